import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { describe } from "vitest"
import { Elicitation } from "workflow-tool-server/mcp"

import { asking } from "./asking.ts"
import { Routes } from "./sample.ts"

/** The sample's router, as a function from a request to its answer. */
const served = Effect.acquireRelease(
  Effect.sync(() => HttpRouter.toWebHandler(Routes, { disableLogger: true })),
  ({ dispose }) => Effect.promise(dispose)
)

const decodeActive = Schema.decodeUnknownSync(Schema.Struct({ active: Schema.Array(Schema.String) }))
const decodeList = Schema.decodeUnknownSync(
  Schema.Struct({ result: Schema.Struct({ tools: Schema.Array(Schema.Struct({ name: Schema.String })) }) })
)

const post = (body: unknown) =>
  new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", host: "127.0.0.1" },
    body: JSON.stringify(body)
  })

describe("an Effect app that embeds the server", () => {
  it.effect("asks its person in its own way", () =>
    Effect.gen(function* () {
      for (const [answer, tag] of [
        [true, "Accepted"],
        [false, "Declined"]
      ] as const) {
        const { ask } = yield* Elicitation.pipe(Effect.provide(asking(() => Promise.resolve(answer))))
        const reply = yield* ask?.({ key: "agreement", message: "Really?", fields: {} }) ?? Effect.undefined
        assert.propertyVal(reply, "_tag", tag)
      }
    })
  )

  it.effect("serves its own route from the same clients", () =>
    Effect.gen(function* () {
      const { handler } = yield* served
      const response = yield* Effect.promise(() => handler(new Request("http://127.0.0.1/active")))
      const { active } = decodeActive(yield* Effect.promise(() => response.json()))
      assert.isNotEmpty(active)
    })
  )

  it.effect("offers only the tools that it chose", () =>
    Effect.gen(function* () {
      const { handler } = yield* served
      const response = yield* Effect.promise(() =>
        handler(post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }))
      )
      const { result } = decodeList(yield* Effect.promise(() => response.json()))
      const names = result.tools.map(({ name }) => name)
      assert.include(names, "list_workflows")
      assert.notInclude(names, "delete_workflow")
    })
  )
})
