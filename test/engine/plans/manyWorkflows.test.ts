import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { inMemory, readingBy } from "../../../src/changes/Journal.ts"
import { workflowsIn } from "../../../src/engine/client/listAll.ts"
import type { Change } from "../../../src/engine/plans/Change.ts"
import { outlineOf } from "../../../src/engine/plans/instanceContents.ts"
import { WorkflowJournal } from "../../../src/engine/plans/Plans.ts"
import { ask, refused } from "../../support/harness.ts"
import { engineWith, serverOf, turnsBeside, workflowOf } from "../../support/manyWorkflows.ts"

const count = 2000
const nodes = 12

describe("a plan over thousands of workflows", () => {
  it.live("lets others have their turn every few hundred nodes, and reads pages of a hundred", () => {
    const engine = engineWith(count)
    return Effect.gen(function* () {
      const replaced = ask("plan_bulk", {
        where: { name: "*" },
        action: "replace_text",
        find: "order 17",
        value: "order x",
        match: "part",
        in: { field: "note" }
      })
      const { result, turns } = yield* turnsBeside(replaced)
      assert.deepInclude(result, { selected: count, steps: 111, unchanged: count - 111 })
      assert.isAbove(turns, (count * nodes) / 200)
      const pages = engine.requests.filter(({ path }) => path.startsWith("/api/v1/workflows?"))
      assert.lengthOf(pages, count / 100)
    }).pipe(Effect.provide(serverOf(engine)))
  })

  it.live("is read once to be shown, and once to be applied", () => {
    let reads = 0
    const counted = Layer.effect(
      WorkflowJournal,
      Effect.map(inMemory<Change>(), (journal) => ({
        ...journal,
        ...readingBy<Change>((make) =>
          Effect.suspend(() => {
            reads++
            return journal.mapEntries(make)
          })
        )
      }))
    )
    return Effect.gen(function* () {
      const { plan_id } = yield* ask("plan_bulk", { where: { name: "*" }, action: "tag", value: "seen" })
      reads = 0
      const { total } = yield* ask("show_plan", { plan_id })
      assert.strictEqual(total, 11)
      assert.strictEqual(reads, 1)
      reads = 0
      yield* refused("apply_plan", { plan_id, confirm: true })
      assert.strictEqual(reads, 1)
    }).pipe(Effect.provide(serverOf(engineWith(10), {}, counted)))
  })

  it("keeps little of workflows that it does not change", () => {
    const [workflow] = workflowsIn([
      { ...workflowOf(1), pinData: { "Node 1": [{ json: {} }] }, staticData: { last: 1 } }
    ])
    assert.isDefined(workflow)
    const { connections, nodes, pinData, staticData, ...rest } = outlineOf(workflow)
    assert.deepStrictEqual(connections, {})
    assert.deepStrictEqual(
      nodes.map(({ name }) => name),
      ["Node 0"]
    )
    assert.deepStrictEqual([pinData, staticData], [undefined, undefined])
    assert.strictEqual(rest.name, "Workflow 1")
    assert.deepStrictEqual(rest.tags, [])
  })
})
