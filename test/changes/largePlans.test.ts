import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import type { PlannedEntry } from "../../src/changes/Journal.ts"
import { joinEntries, linesOf, measureSteps, entryOutliner, stepCollector } from "../../src/changes/largePlans.ts"

const step = (number: number, characters: number) => ({
  id: `step ${number}`,
  change: "x".repeat(characters),
  reason: "asked for",
  undo: []
})

const planWith = (steps: ReadonlyArray<ReturnType<typeof step>>): PlannedEntry<string> => ({
  type: "planned",
  at: 7,
  plan_id: "p",
  plan: {
    id: "p",
    kind: "bulk",
    steps,
    warnings: [],
    blocked: [],
    estimate: { calls: 1, seconds: 1 },
    createdAt: 7,
    expiresAt: 8
  }
})

const large = planWith(Array.from({ length: 100 }, (_, number) => step(number, 50_000)))

describe("the lines of a large plan", () => {
  it.effect("are each short, and are one plan again when they are read", () =>
    Effect.gen(function* () {
      const { lengths } = yield* measureSteps(large.plan.steps)
      const lines = linesOf(large, lengths)
      assert.isAbove(lines.length, 15)
      for (const line of lines) assert.isBelow(JSON.stringify(line).length, 300_000)
      assert.strictEqual(lines.at(-1)?.type, "planned")
      assert.deepStrictEqual(joinEntries(lines), [large])
    })
  )

  it.effect("leave a small plan in one line, as older versions wrote it", () =>
    Effect.gen(function* () {
      const small = planWith([step(1, 10), step(2, 10)])
      const { lengths } = yield* measureSteps(small.plan.steps)
      assert.deepStrictEqual(linesOf(small, lengths), [small])
      assert.deepStrictEqual(joinEntries([small]), [small])
    })
  )

  it.effect("are no plan where one of them is missing, and nothing where the last one is", () =>
    Effect.gen(function* () {
      const { lengths } = yield* measureSteps(large.plan.steps)
      const [first, , ...others] = linesOf(large, lengths)
      assert.isDefined(first)
      const [gap] = joinEntries([first, ...others])
      assert.deepInclude(gap, { type: "unreadable", plan_id: "p" })
      assert.deepStrictEqual(joinEntries([first, ...others.slice(0, -1)]), [])
    })
  )

  it.effect("give the wanted steps as they are in the end, and of all others only what they are about", () =>
    Effect.gen(function* () {
      const { lengths } = yield* measureSteps(large.plan.steps)
      const again = { ...step(41, 10), reason: "on top of another change" }
      const other = { ...planWith([step(41, 10)]), plan_id: "other" }
      const rebased = { type: "rebased", at: 9, plan_id: "p", of_plan: [again, step(3, 10)] } as const
      const { steps, add: take } = stepCollector<string>("p", (place) => place >= 40 && place < 43)
      const outline = entryOutliner((change: string) => change.length)
      const lines = [other, ...linesOf(large, lengths), rebased].map((entry) => {
        take(entry)
        return outline(entry)
      })
      assert.deepStrictEqual([...steps.values()], [step(40, 50_000), again, step(42, 50_000)])
      const plan = joinEntries(lines).find((entry) => entry.type === "planned" && entry.plan_id === "p")
      assert.isBelow(JSON.stringify(plan).length, 10_000)
      assert.deepNestedInclude(plan, { "plan.steps[99].id": "step 99", "plan.steps[99].change": 50_000 })
    })
  )
})
