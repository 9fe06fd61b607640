import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import type { PlannedEntry } from "../../src/changes/Journal.ts"
import { joined, linesOf, measured } from "../../src/changes/largePlans.ts"

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
      const { lengths } = yield* measured(large.plan.steps)
      const lines = linesOf(large, lengths)
      assert.isAbove(lines.length, 15)
      for (const line of lines) assert.isBelow(JSON.stringify(line).length, 300_000)
      assert.strictEqual(lines.at(-1)?.type, "planned")
      assert.deepStrictEqual(joined(lines), [large])
    })
  )

  it.effect("leave a small plan in one line, as older versions wrote it", () =>
    Effect.gen(function* () {
      const small = planWith([step(1, 10), step(2, 10)])
      const { lengths } = yield* measured(small.plan.steps)
      assert.deepStrictEqual(linesOf(small, lengths), [small])
      assert.deepStrictEqual(joined([small]), [small])
    })
  )

  it.effect("are no plan where one of them is missing, and nothing where the last one is", () =>
    Effect.gen(function* () {
      const { lengths } = yield* measured(large.plan.steps)
      const [first, , ...others] = linesOf(large, lengths)
      assert.isDefined(first)
      const [gap] = joined([first, ...others])
      assert.deepInclude(gap, { type: "unreadable", plan_id: "p" })
      assert.deepStrictEqual(joined([first, ...others.slice(0, -1)]), [])
    })
  )
})
