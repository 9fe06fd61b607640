import { readFileSync } from "node:fs"

import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

import * as PlanState from "../../src/changes/PlanState.ts"
import { Entry } from "../../src/marketplace/apply/Plans.ts"

/**
 * Written by commit d584f32, before plans had a core of their own: bids that were applied and rolled back, bids of which
 * one was refused, phrases whose outcome is unknown, a new campaign, and a pause.
 */
const lines = readFileSync(new URL("data/previous-journal.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
const Line = Schema.fromJsonString(Entry)
const entries = lines.map((line) => Schema.decodeUnknownSync(Line)(line))

const stateOf = (id: string) => {
  const state = PlanState.fold(entries, id)
  assert.isDefined(state)
  return state
}

const phrases = ["phrases 1001/500101", "phrases 1001/500102", "phrases 1001/500103"]

/** The plan as the version that wrote the journal has left it. */
const expected = [
  ["bids-0-1vq3zak", { done: 2, isFinished: true, isRollbackBegun: true, isRolledBack: true }, [], []],
  ["rollback-5k-69jcxb", { done: 2, isFinished: true, isRollbackBegun: false, isRolledBack: false }, [], []],
  ["bids-1b2g-2b4i5o", { done: 1, isFinished: false, isPartly: true }, [], ["bid 1001/500102/combined"]],
  ["minus-phrases-2lts-1huv7hq", { done: 0, isBegun: true, isFinished: false, isPartly: false }, phrases, []],
  ["campaign-928g-5g3jxc", { done: 2, isFinished: true, isPartly: false }, [], []]
] as const

describe("a journal of the version before", () => {
  it.each(expected)("gives the same state of plan %s as that version", (id, known, unknown, refused) => {
    const state = stateOf(id)
    assert.deepInclude(state, known)
    const steps = (field: (record: PlanState.StepRecord) => unknown) =>
      state === undefined ? [] : PlanState.valuesByStep(state, field).map(([step]) => step)
    assert.deepStrictEqual(
      steps(({ outcomeUnknownSince }) => outcomeUnknownSince),
      [...unknown]
    )
    assert.deepStrictEqual(
      steps(({ refused: problem }) => problem),
      [...refused]
    )
  })

  it("knows the campaign that a plan created", () => {
    const state = stateOf("campaign-928g-5g3jxc")
    assert.deepStrictEqual(state === undefined ? [] : PlanState.valuesByStep(state, ({ created }) => created), [
      ["create New", 1005]
    ])
  })

  it("has the fields that are written today", () => {
    const parse = (line: string): unknown => JSON.parse(line)
    assert.deepStrictEqual(
      entries.map((entry) => parse(Schema.encodeUnknownSync(Line)(entry))),
      lines.map(parse)
    )
  })
})
