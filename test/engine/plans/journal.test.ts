import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

import { type Change, idOf } from "../../../src/engine/plans/Change.ts"
import { invert } from "../../../src/engine/plans/invert.ts"
import { Entry } from "../../../src/engine/plans/Plans.ts"

const lines = Schema.fromJsonString(Entry)

const large = "x".repeat(10_000)

const create: Change = {
  kind: "create",
  instance: "production",
  key: "Large (staging 1)",
  content: { name: "Large", nodes: [{ name: "Code", parameters: { code: large } }], connections: {}, settings: {} },
  references: [],
  level: 0
}

const plannedWith = (undo: ReadonlyArray<Change>): Entry => plannedOf(create, undo)

const plannedOf = (change: Change, undo: ReadonlyArray<Change>): Entry => ({
  type: "planned",
  at: 1,
  plan_id: "promotion-1",
  plan: {
    id: "promotion-1",
    kind: "promotion",
    steps: [{ id: idOf(change), change, reason: "not on production yet", undo }],
    warnings: [],
    blocked: [],
    estimate: { calls: 2, seconds: 1 },
    createdAt: 1,
    expiresAt: 2
  }
})

describe("the journal of workflows", () => {
  it("holds a workflow once where its rollback says nothing else, and reads the rollback from it", () => {
    const entry = plannedWith(invert(create))
    const line = Schema.encodeSync(lines)(entry)
    assert.isBelow(line.length, large.length + 1000)
    assert.deepStrictEqual(Schema.decodeUnknownSync(lines)(line), entry)
  })

  it("holds a node that an update leaves as it is once, and reads it as one", () => {
    const [old, kept] = [
      { name: "Old", parameters: { code: "before" } },
      { name: "Kept", parameters: { code: large } }
    ]
    const update: Change = {
      kind: "update",
      instance: "production",
      workflow: "1",
      name: "Large",
      before: { nodes: [old, kept] },
      after: { name: "Large", nodes: [kept, { ...old, parameters: { code: "after" } }], connections: {}, settings: {} },
      references: [],
      level: 0
    }
    const entry = plannedOf(update, invert(update))
    const line = Schema.encodeSync(lines)(entry)
    assert.isBelow(line.length, large.length + 1000)
    const read = Schema.decodeUnknownSync(lines)(line)
    assert.deepStrictEqual(read, entry)
    const [step] = read.type === "planned" ? read.plan.steps : []
    assert(step?.change.kind === "update")
    assert.strictEqual(step.change.before.nodes?.[1]?.["parameters"], step.change.after.nodes[0]?.["parameters"])
  })

  it("keeps steps that were put on top of what another plan has changed", () => {
    const step = { id: idOf(create), change: create, reason: "asked for", undo: invert(create) }
    const entry: Entry = { type: "rebased", at: 2, plan_id: "promotion-1", of_plan: [step] }
    assert.deepStrictEqual(Schema.decodeUnknownSync(lines)(Schema.encodeSync(lines)(entry)), entry)
  })

  it("keeps a rollback that is another one", () => {
    const entry = plannedWith([])
    assert.deepStrictEqual(Schema.decodeUnknownSync(lines)(Schema.encodeSync(lines)(entry)), entry)
  })
})
