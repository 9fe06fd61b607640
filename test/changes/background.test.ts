import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { goingOn, markOf, signOf, toTheEnd } from "../../src/changes/apply/toTheEnd.ts"
import type { StoredEntry } from "../../src/changes/Journal.ts"
import { ApplyStopped, GuardViolation, JournalFailed } from "../../src/changes/PlanError.ts"
import { PlanSources } from "../../src/changes/tools/PlanSource.ts"
import { applyPlan } from "../../src/changes/tools/planTools.ts"

const hour = 3_600_000

describe("a plan that is applied in the background", () => {
  const mark = markOf("bids-1", hour, true)
  const later = (type: "begun" | "finished" | "stopped"): StoredEntry<never> => {
    const about = { at: 2 * hour, plan_id: "bids-1" }
    if (type === "finished") return { ...about, type }
    return type === "stopped" ? { ...about, type, problem: "no answer" } : { ...about, type: "begun", steps: ["a"] }
  }

  const going = (entries: ReadonlyArray<StoredEntry<never>>, now: number) => goingOn(entries.map(signOf), now)

  it("goes on after a restart, unless it has finished or stopped, or a day has passed", () => {
    assert.deepStrictEqual(going([mark, later("begun")], 3 * hour), [{ id: "bids-1", isProtectedConfirmed: true }])
    assert.isEmpty(going([mark, later("finished")], 3 * hour))
    assert.isEmpty(going([mark, later("stopped")], 3 * hour))
    assert.isEmpty(going([mark, later("begun")], 30 * hour))
    assert.isEmpty(going([later("begun")], 3 * hour))
    assert.lengthOf(going([mark, later("stopped"), { ...mark, at: 2 * hour }], 3 * hour), 1)
  })

  const stopped = (retryAfterSeconds?: number) =>
    new ApplyStopped({
      id: "bids-1",
      done: 1,
      total: 2,
      problem: "limit",
      reason: "AdsRateLimited",
      isOutcomeUnknown: false,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
    })

  it.effect(
    "waits as long as it is told to, is marked again after a stop, and ends where waiting settles nothing",
    () =>
      Effect.gen(function* () {
        const moments: Array<number> = []
        let marks = 0
        type Outcome = Effect.Effect<{ readonly state: string }, ApplyStopped | GuardViolation | JournalFailed>
        const outcomes: ReadonlyArray<Outcome> = [
          Effect.succeed({ state: "in progress" }),
          Effect.fail(stopped(170)),
          Effect.fail(new JournalFailed({ problem: "in use" })),
          Effect.succeed({ state: "in progress" }),
          Effect.fail(new GuardViolation({ problems: ["stricter"] })),
          Effect.die("not asked any more")
        ]
        const turn = () =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => outcomes[moments.push(now) - 1] ?? Effect.die("too many"))
        const work = yield* Effect.forkChild(
          toTheEnd(
            turn,
            Effect.sync(() => void marks++)
          )
        )
        yield* TestClock.adjust("10 minutes")
        yield* Fiber.join(work)
        assert.deepStrictEqual(moments, [0, 0, 170_000, 180_000, 180_000])
        assert.strictEqual(marks, 3)
      })
  )

  it.effect("is refused where the server ends with its client, and nothing is changed", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(applyPlan.call({ plan_id: "bids-1", confirm: true, background: true }))
      assert.include(error.message, "Invalid background: must be left out here")
    }).pipe(Effect.provideService(PlanSources, []))
  )
})
