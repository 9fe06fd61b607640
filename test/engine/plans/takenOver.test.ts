import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, refused } from "../../support/harness.ts"
import { Beside, twoEmbedded } from "./support.ts"

const body = (name: string) => ({
  name,
  nodes: [
    {
      id: "hook",
      name: "Hook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      parameters: { path: "orders", options: {} },
      webhookId: "orders"
    }
  ],
  connections: {},
  settings: {}
})

const apply = (plan: Json) => ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })

const Found = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, active: Schema.Boolean }))
  })
)

const on = Effect.fnUntraced(function* (instance: string) {
  const { send } = yield* Beside
  return Found(yield* send(instance, "GET", "/workflows?limit=250")).data
})

/** A workflow as somebody has changed it in the editor. */
const takenOver = Effect.fnUntraced(function* (instance: string, id: unknown) {
  const { send } = yield* Beside
  yield* send(instance, "PUT", `/workflows/${String(id)}`, body("Mine now"))
})

const active = Effect.fnUntraced(function* (instance: string) {
  const { send } = yield* Beside
  const { id } = yield* send(instance, "POST", "/workflows", body("Orders"))
  yield* send(instance, "POST", `/workflows/${String(id)}/activate`, {})
  return String(id)
})

describe.each(["1.82.3", "2.41.1"] as const)("a workflow of %s that somebody has changed since", (version) => {
  const engines = () => Effect.provide(twoEmbedded([version, version]))

  it.live("stays active where a plan would have deleted it", () =>
    Effect.gen(function* () {
      const id = yield* active("production")
      const plan = yield* ask("plan_bulk", { instance: "production", action: "delete", where: { name: "Orders" } })
      assert.deepInclude(plan, { steps: 2 })
      yield* takenOver("production", id)
      assert.deepInclude(yield* apply(plan), { state: "refused", done: 0, refused_count: 2 })
      assert.deepStrictEqual(yield* on("production"), [{ id, name: "Mine now", active: true }])
    }).pipe(engines())
  )

  it.live("stays active where a rollback would have deleted it, whenever it was changed", () =>
    Effect.gen(function* () {
      yield* active("staging")
      const plan = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Orders" })
      assert.deepInclude(yield* apply(plan), { state: "applied" })
      const early = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
      assert.deepInclude(early, { steps: 2 })
      const [made] = yield* on("production")
      yield* takenOver("production", made?.id)
      const { data } = yield* refused("plan_rollback", { plan_id: plan["plan_id"] })
      assert.deepInclude(data, { code: "NOTHING_TO_ROLL_BACK" })
      assert.deepInclude(yield* apply(early), { state: "refused", done: 0 })
      assert.deepStrictEqual(yield* on("production"), [{ id: made?.id ?? "", name: "Mine now", active: true }])
    }).pipe(engines())
  )

  it.live("stays active where a rollback would have brought its former content back", () =>
    Effect.gen(function* () {
      const source = yield* active("staging")
      yield* apply(
        yield* ask("plan_promotion", { from: "staging", to: "production", name: "Orders", activation: "inactive" })
      )
      yield* ask("update_workflow", { instance: "staging", id: source, settings: { timezone: "Europe/Berlin" } })
      const plan = yield* ask("plan_promotion", {
        from: "staging",
        to: "production",
        name: "Orders",
        activation: "activate"
      })
      assert.deepInclude(plan, { by_kind: { update: 1, active: 1 } })
      assert.deepInclude(yield* apply(plan), { state: "applied" })
      const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
      const [made] = yield* on("production")
      yield* takenOver("production", made?.id)
      assert.deepInclude(yield* apply(back), { state: "refused", done: 0 })
      assert.deepInclude((yield* on("production"))[0], { name: "Mine now", active: true })
    }).pipe(engines())
  )
})
