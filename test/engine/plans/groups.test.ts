import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json } from "../../support/harness.ts"
import { Beside, twoEmbedded } from "./support.ts"

const doNothing = (id: string, name: string) => ({
  id,
  name,
  type: "n8n-nodes-base.noOp",
  typeVersion: 1,
  position: [0, 0],
  parameters: {}
})

const workflow = {
  name: "Grouped",
  nodes: [doNothing("a", "A"), doNothing("b", "B")],
  connections: { A: { main: [[{ node: "B", type: "main", index: 0 }]] } },
  settings: {},
  nodeGroups: [{ id: "front", name: "Front", nodeIds: ["a", "b"] }]
}

const apply = (plan: Json) => ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })

const Listed = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Array(Schema.Struct({ nodeGroups: Schema.Unknown })) })
)

const groupsOn = Effect.fnUntraced(function* (instance: string) {
  const { send } = yield* Beside
  return Listed(yield* send(instance, "GET", "/workflows")).data.map(({ nodeGroups }) => nodeGroups)
})

it.live("groups of nodes go to another instance with a new workflow, and come back with a deleted one", () =>
  Effect.gen(function* () {
    const { send } = yield* Beside
    yield* send("staging", "POST", "/workflows", workflow)
    const plan = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Grouped" })
    assert.deepInclude(plan, { steps: 1, warnings: [] })
    yield* apply(plan)
    assert.deepStrictEqual(yield* groupsOn("production"), [workflow.nodeGroups])
    const deletion = yield* ask("plan_bulk", { instance: "production", action: "delete", where: { name: "Grouped" } })
    yield* apply(deletion)
    assert.deepStrictEqual(yield* groupsOn("production"), [])
    yield* apply(yield* ask("plan_rollback", { plan_id: deletion["plan_id"] }))
    assert.deepStrictEqual(yield* groupsOn("production"), [workflow.nodeGroups])
  }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"])))
)

it.live("groups of nodes stay behind where the target knows none, which the plan says", () =>
  Effect.gen(function* () {
    const { send } = yield* Beside
    yield* send("staging", "POST", "/workflows", workflow)
    const plan = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Grouped" })
    assert.deepInclude(plan, { warnings: ["Grouped: its nodeGroups on staging does not go along"] })
    assert.deepInclude(yield* apply(plan), { state: "applied" })
  }).pipe(Effect.provide(twoEmbedded(["2.41.1", "1.82.3"])))
)
