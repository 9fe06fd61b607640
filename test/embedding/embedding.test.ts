import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { describe } from "vitest"
import { Elicitation } from "workflow-tool-server/mcp"

import { TestAds } from "./adsInTests.ts"
import { AdsRoutes } from "./adsServer.ts"
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

  it.effect.each(["/api/v1/workflows", "/webhook/any", "/healthz", "/", "/elsewhere"])(
    "does not offer %s of the engine that lives in it to whoever reaches its own routes",
    (path) =>
      Effect.gen(function* () {
        const { handler } = yield* served
        const headers = { host: "127.0.0.1", "x-n8n-api-key": "embedded" }
        const response = yield* Effect.promise(() => handler(new Request(`http://127.0.0.1${path}`, { headers })))
        assert.deepStrictEqual([response.status, yield* Effect.promise(() => response.text())], [404, ""])
      })
  )

  it.effect("does not offer the embedded marketplace so either", () =>
    Effect.gen(function* () {
      const { dispose, handler } = HttpRouter.toWebHandler(Layer.provide(AdsRoutes, TestAds), { disableLogger: true })
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      const statuses = yield* Effect.forEach(["/health", "/adv/v1/promotion/count", "/elsewhere"], (path) =>
        Effect.promise(() => handler(new Request(`http://127.0.0.1${path}`, { headers: { host: "127.0.0.1" } })))
      )
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [200, 404, 404]
      )
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
