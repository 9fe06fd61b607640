import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { inMemory } from "../../../src/changes/Journal.ts"
import type { Change } from "../../../src/engine/plans/Change.ts"
import { WorkflowJournal } from "../../../src/engine/plans/Plans.ts"
import { ask, refused } from "../../support/harness.ts"
import { Beside, type Given, twoEmbedded, workflow } from "./support.ts"

/** `staging` has these workflows, tagged so. */
const given = Effect.fnUntraced(function* (all: Readonly<Record<string, string>>) {
  const { send } = yield* Beside
  const tags = new Map<string, unknown>()
  for (const tag of new Set(Object.values(all))) {
    tags.set(tag, (yield* send("staging", "POST", "/tags", { name: tag }))["id"])
  }
  for (const [name, tag] of Object.entries(all)) {
    const { id } = yield* send("staging", "POST", "/workflows", workflow(name))
    yield* send("staging", "PUT", `/workflows/${String(id)}/tags`, [{ id: tags.get(tag) }])
  }
})

type Guards = NonNullable<NonNullable<Given["plans"]>["guards"]>

const engines = (guards: Guards) => twoEmbedded(["1.82.3", "2.41.1"], { plans: { guards } })

const all = { from: "staging", to: "production", name: "*" }

describe("guards of plans", () => {
  it.live("let nothing be changed on an instance that is not allowed", () =>
    Effect.gen(function* () {
      yield* given({ one: "team" })
      const plan = yield* ask("plan_promotion", all)
      assert.deepInclude(plan, { steps: 0, blocked_count: 3 })
      assert.include(
        JSON.stringify(plan["blocked"]),
        "guard allowedInstances: plans may not change instance production"
      )
    }).pipe(Effect.provide(engines({ allowedInstances: ["staging"] })))
  )

  it.live("let only workflows with an allowed tag be changed", () =>
    Effect.gen(function* () {
      yield* given({ ours: "team", theirs: "others" })
      const plan = yield* ask("plan_promotion", all)
      assert.deepInclude(plan, { by_kind: { "create-tag": 1, create: 1, tags: 1 } })
      assert.include(JSON.stringify(plan["blocked"]), "guard allowedTags: theirs has none of the tags team")
      const bulk = yield* ask("plan_bulk", { instance: "staging", action: "tag", value: "team", where: { name: "*" } })
      assert.deepInclude(bulk, { steps: 0, blocked_count: 1, unchanged: 1 })
    }).pipe(Effect.provide(engines({ allowedTags: ["team"] })))
  )

  it.live("let no plan hold more changes than one may", () =>
    Effect.gen(function* () {
      yield* given({ one: "team", two: "team" })
      const plan = yield* ask("plan_promotion", all)
      assert.deepInclude(plan, { steps: 0 })
      assert.include(JSON.stringify(plan["blocked"]), "guard maxItemsPerApply: 5 changes are more than 4")
    }).pipe(Effect.provide(engines({ maxItemsPerApply: 4 })))
  )

  it.live("let protected workflows only be changed, and changed back, after a person has agreed to them by name", () =>
    Effect.gen(function* () {
      yield* given({ "Billing run": "team", other: "money" })
      const plan = yield* ask("plan_promotion", all)
      assert.match(JSON.stringify(plan["warnings"]), /^\["Protected workflows are changed \(Billing run, other\)/)
      const { data, message } = yield* refused("apply_plan", { plan_id: plan["plan_id"], confirm: true })
      assert.deepInclude(data, { code: "GUARD" })
      assert.include(message, "it changes protected workflows (Billing run, other), which needs confirm_protected")
      const confirmed = { confirm: true, confirm_protected: true }
      assert.deepInclude(yield* ask("apply_plan", { plan_id: plan["plan_id"], ...confirmed }), { state: "applied" })
      const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
      assert.include(JSON.stringify(back["warnings"]), "Protected workflows are changed (Billing run, other)")
      assert.include((yield* refused("apply_plan", { plan_id: back["plan_id"], confirm: true })).message, "protected")
      assert.deepInclude(yield* ask("apply_plan", { plan_id: back["plan_id"], ...confirmed }), { state: "applied" })
      const forward = yield* ask("plan_rollback", { plan_id: back["plan_id"] })
      assert.lengthOf(JSON.stringify(forward["warnings"]).split("Protected workflows are changed"), 2)
    }).pipe(Effect.provide(engines({ protected: { tags: ["money"], names: ["Billing*"] } })))
  )

  it.live("refuse to plan for an instance that is read-only, whatever the plan", () =>
    Effect.gen(function* () {
      yield* given({ one: "team" })
      for (const [tool, args] of [
        ["plan_promotion", all],
        ["plan_bulk", { instance: "production", action: "deactivate", where: { name: "*" } }],
        ["plan_restore", { instance: "production", version: "HEAD" }]
      ] as const) {
        const { data, message } = yield* refused(tool, args)
        assert.deepInclude(data, { code: "READ_ONLY" }, tool)
        assert.include(message, "production")
      }
    }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"], { instances: { production: { readOnly: true } } })))
  )

  it.live("are asked again when a plan is applied, as a person may have made them stricter meanwhile", () =>
    Effect.gen(function* () {
      const journal = Layer.succeed(WorkflowJournal, yield* inMemory<Change>())
      const over = (guards: Guards) => twoEmbedded(["1.82.3", "2.41.1"], { plans: { guards } }, journal)
      const plan = yield* Effect.gen(function* () {
        yield* given({ "Billing run": "team" })
        return yield* ask("plan_promotion", all)
      }).pipe(Effect.provide(over({})))
      const stricter: ReadonlyArray<readonly [Guards, string]> = [
        [{ allowedInstances: ["staging"] }, "guard allowedInstances: plans may not change instance production"],
        [{ allowedTags: ["others"] }, "guard allowedTags: Billing run has none of the tags others"],
        [{ maxItemsPerApply: 1 }, "guard maxItemsPerApply: 3 changes are more than 1"],
        [{ protected: { names: ["Billing*"] } }, "it changes protected workflows (Billing run)"]
      ]
      for (const [guards, words] of stricter) {
        const apply = refused("apply_plan", { plan_id: plan["plan_id"], confirm: true })
        const { data, message } = yield* Effect.provide(apply, over(guards))
        assert.deepInclude(data, { code: "GUARD" })
        assert.include(message, words)
      }
    })
  )

  it.live("let no key of an instance come into the journal, and plan what holds none", () =>
    Effect.gen(function* () {
      const journal = yield* inMemory<Change>()
      const apiKey = "plain words of a key"
      yield* Effect.gen(function* () {
        yield* given({ clean: "team" })
        const { send } = yield* Beside
        const calling = workflow("calling")
        const nodes = calling.nodes.map((node) => ({ ...node, notes: `calls with ${apiKey}.` }))
        const { id } = yield* send("staging", "POST", "/workflows", { ...calling, nodes })
        const promotion = yield* ask("plan_promotion", all)
        assert.deepInclude(promotion, { by_kind: { "create-tag": 1, create: 1, tags: 1 }, blocked_count: 1 })
        assert.include(JSON.stringify(promotion["blocked"]), "the API key of an instance stands in it")
        yield* ask("plan_bulk", { instance: "staging", action: "delete", where: { name: "*" } })
        const rename = { op: "set", node: "Hook", path: "notes", value: "no key" }
        yield* ask("edit_workflow", { instance: "staging", id, operations: [rename] })
        assert.deepInclude(yield* ask("plan_promotion", all), { blocked_count: 0 })
      }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"], { apiKey }, Layer.succeed(WorkflowJournal, journal))))
      const written = JSON.stringify(yield* journal.entries)
      assert.include(written, "calling")
      assert.notInclude(written, apiKey)
    })
  )
})
