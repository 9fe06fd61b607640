import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { ask } from "../../support/harness.ts"
import { Beside, twoEmbedded } from "./support.ts"

const hook = (path: string) => ({
  name: "Hook",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  parameters: { path, httpMethod: "POST", options: {} },
  webhookId: path
})

const workflow = (name: string, path: string) => ({
  name,
  nodes: [hook(path)],
  connections: {},
  settings: { executionOrder: "v1" }
})

describe("plan_promotion", () => {
  it.live("brings a workflow to another instance of another version, and a rollback takes it away", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const made = yield* send("staging", "POST", "/workflows", workflow("Orders", "orders"))
      yield* send("staging", "POST", `/workflows/${String(made["id"])}/activate`)
      const plan = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Ord*" })
      assert.deepInclude(plan, { kind: "promotion", steps: 2, blocked: [], by_kind: { create: 1, active: 1 } })
      const { data: before } = yield* send("production", "GET", "/workflows")
      assert.deepStrictEqual(before, [])
      const report = yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })
      assert.deepInclude(report, { state: "applied", done: 2 })
      const { data: after } = yield* send("production", "GET", "/workflows")
      assert.nestedPropertyVal(after, "[0].name", "Orders")
      assert.nestedPropertyVal(after, "[0].active", true)
      assert.nestedPropertyVal(after, "[0].nodes[0].webhookId", "orders")
      const again = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Ord*" })
      assert.deepInclude(again, { steps: 0 })
      const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
      assert.deepInclude(yield* ask("apply_plan", { plan_id: back["plan_id"], confirm: true }), { state: "applied" })
      assert.deepStrictEqual((yield* send("production", "GET", "/workflows"))["data"], [])
    }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])))
  )
})
