import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { doNothing } from "../../support/engineNodes.ts"
import { ask, type Json } from "../../support/harness.ts"
import { Beside, twoEmbedded } from "./support.ts"

const front = { id: "front", name: "Front", nodeIds: ["a", "b"] }

const workflow = {
  name: "Grouped",
  nodes: [doNothing("a", "A"), doNothing("b", "B")],
  connections: { A: { main: [[{ node: "B", type: "main", index: 0 }]] } },
  settings: {},
  nodeGroups: [front]
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

/** The same workflow with these nodes in a row, and these groups. */
const changed = (nodes: ReadonlyArray<string>, nodeGroups: ReadonlyArray<object>) => ({
  ...workflow,
  nodes: nodes.map((name) => doNothing(name.toLowerCase(), name)),
  connections: Object.fromEntries(
    nodes.slice(1).map((name, place) => [nodes[place], { main: [[{ node: name, type: "main", index: 0 }]] }])
  ),
  nodeGroups
})

const idOn = Effect.fnUntraced(function* (instance: string) {
  const { send } = yield* Beside
  const [one] = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) }))(
    yield* send(instance, "GET", "/workflows")
  ).data
  return one?.id ?? ""
})

const changesIn = (plan: Json) => JSON.stringify(plan["preview"] ?? plan)

it.live("a promotion brings groups to the nodes of its counterpart, and its rollback puts the former ones back", () =>
  Effect.gen(function* () {
    const { send } = yield* Beside
    yield* send("staging", "POST", "/workflows", workflow)
    const target = { ...workflow, nodes: [doNothing("x", "A"), doNothing("y", "B")] }
    const former = [{ id: "mine", name: "Mine", nodeIds: ["y"] }]
    yield* send("production", "POST", "/workflows", { ...target, nodeGroups: former })
    const plan = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Grouped" })
    assert.include(changesIn(plan), "group Mine: removed (B)")
    assert.include(changesIn(plan), "group Front: added (A, B)")
    assert.deepInclude(yield* apply(plan), { state: "applied" })
    const brought = [{ id: "front", name: "Front", nodeIds: ["x", "y"] }]
    assert.deepStrictEqual(yield* groupsOn("production"), [brought])
    assert.deepInclude(yield* ask("plan_promotion", { from: "staging", to: "production", name: "Grouped" }), {
      steps: 0
    })
    assert.deepInclude(yield* apply(yield* ask("plan_rollback", { plan_id: plan["plan_id"] })), { state: "applied" })
    assert.deepStrictEqual(yield* groupsOn("production"), [former])
  }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"])))
)

it.live("a promotion takes groups away that it brought, and blocks where somebody has changed them", () =>
  Effect.gen(function* () {
    const { send } = yield* Beside
    yield* send("staging", "POST", "/workflows", workflow)
    yield* apply(yield* ask("plan_promotion", { from: "staging", to: "production", name: "Grouped" }))
    const [source, target] = [yield* idOn("staging"), yield* idOn("production")]
    yield* send("staging", "PUT", `/workflows/${source}`, { ...workflow, nodeGroups: [] })
    const removal = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Grouped" })
    assert.include(changesIn(removal), "group Front: removed (A, B)")
    yield* apply(removal)
    assert.deepStrictEqual(yield* groupsOn("production"), [[]])
    yield* send("production", "PUT", `/workflows/${target}`, workflow)
    yield* send("staging", "PUT", `/workflows/${source}`, { ...workflow, nodeGroups: [{ ...front, name: "Other" }] })
    const blocked = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Grouped" })
    assert.include(
      JSON.stringify(blocked["blocked"]),
      "it was changed on production since the last promotion (nodeGroups)"
    )
  }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"])))
)

it.live("a plan whose target's groups are changed before its apply leaves the workflow alone", () =>
  Effect.gen(function* () {
    const { send } = yield* Beside
    yield* send("staging", "POST", "/workflows", workflow)
    yield* send("production", "POST", "/workflows", { ...workflow, nodeGroups: [] })
    const plan = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Grouped" })
    const mine = [{ id: "mine", name: "Mine", nodeIds: ["b"] }]
    yield* send("production", "PUT", `/workflows/${yield* idOn("production")}`, { ...workflow, nodeGroups: mine })
    assert.include(JSON.stringify(yield* apply(plan)), "someone else has changed it since")
    assert.deepStrictEqual(yield* groupsOn("production"), [mine])
  }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"])))
)

it.live("groups that a target has of its own stay as far as they hold together, and come back with a rollback", () =>
  Effect.gen(function* () {
    const { send } = yield* Beside
    yield* send("staging", "POST", "/workflows", changed(["A", "C", "D", "B"], []))
    const targetGroups = [
      { id: "torn", name: "Torn", nodeIds: ["a", "b"] },
      { id: "whole", name: "Whole", nodeIds: ["c", "d"] }
    ]
    yield* send("production", "POST", "/workflows", changed(["A", "B", "C", "D", "E"], targetGroups))
    const plan = yield* ask("plan_promotion", { from: "staging", to: "production", name: "Grouped" })
    assert.include(
      JSON.stringify(plan["warnings"]),
      "Grouped: groups of nodes that do not hold together any more on production go: Torn"
    )
    assert.deepInclude(yield* apply(plan), { state: "applied" })
    assert.deepStrictEqual(yield* groupsOn("production"), [[targetGroups[1]]])
    yield* apply(yield* ask("plan_rollback", { plan_id: plan["plan_id"] }))
    assert.deepStrictEqual(yield* groupsOn("production"), [targetGroups])
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
