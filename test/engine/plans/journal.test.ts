import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

import { type Change, idOf, invert } from "../../../src/engine/changes/Change.ts"
import { Entry } from "../../../src/engine/changes/Plans.ts"

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

const plannedWith = (undo: ReadonlyArray<Change>): Entry => ({
  type: "planned",
  at: 1,
  plan_id: "promotion-1",
  plan: {
    id: "promotion-1",
    kind: "promotion",
    steps: [{ id: idOf(create), change: create, reason: "not on production yet", undo }],
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

  it("keeps a rollback that is another one", () => {
    const entry = plannedWith([])
    assert.deepStrictEqual(Schema.decodeUnknownSync(lines)(Schema.encodeSync(lines)(entry)), entry)
  })
})
