import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { describe } from "vitest"

import { OperatorRoutes } from "./operatorServer.ts"

const served = Effect.acquireRelease(
  Effect.sync(() => HttpRouter.toWebHandler(OperatorRoutes, { disableLogger: true })),
  ({ dispose }) => Effect.promise(dispose)
)

const post = (method: string, params: unknown) =>
  new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", host: "127.0.0.1" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })

const readText = Schema.decodeUnknownSync(
  Schema.Struct({
    result: Schema.Struct({
      content: Schema.NonEmptyArray(
        Schema.Struct({ text: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)) })
      )
    })
  })
)

const readRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.String })))

describe("the toolset operator in a program", () => {
  it.effect("searches, plans, applies and rolls back", () =>
    Effect.gen(function* () {
      const { handler } = yield* served
      const ask = Effect.fnUntraced(function* (name: string, args: object) {
        const request = post("tools/call", { name, arguments: args })
        const answer: unknown = yield* Effect.promise(async () => (await handler(request)).json())
        return readText(answer).result.content[0].text
      })
      const active = () => Effect.map(ask("list_workflows", { active: true }), ({ data }) => readRows(data).length)
      const before = yield* active()
      const plan = yield* ask("plan_bulk", { action: ["deactivate"], where: { name: "*" } })
      assert.strictEqual(plan["steps"], before)
      assert.deepInclude(yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true }), { state: "applied" })
      assert.strictEqual(yield* active(), 0)
      const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
      yield* ask("apply_plan", { plan_id: back["plan_id"], confirm: true })
      assert.strictEqual(yield* active(), before)
    })
  )
})
