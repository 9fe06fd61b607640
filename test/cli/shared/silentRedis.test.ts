import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { sharedJournals } from "../../../src/cli/shared/journals.ts"
import { layerOver } from "../../../src/cli/shared/shared.ts"
import { storeOver } from "../../../src/cli/shared/Store.ts"
import { Entry, WorkflowJournal } from "../../../src/engine/plans/Plans.ts"
import { serverWithPlans } from "../../engine/plans/support.ts"
import { hangs, standIn } from "../../internal/http/standIn.ts"
import { refused } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { movedClock } from "../../support/movedClock.ts"

/** A Redis that answers "OK" to everything, or nothing at all. */
const redis = () => {
  const state = { answers: false }
  const answer = Effect.suspend(() => (state.answers ? Effect.succeed(JSON.parse('"OK"')) : Effect.never))
  return { state, store: storeOver({ send: () => answer, eval: () => () => answer }, "test") }
}

describe("a Redis that does not answer", () => {
  it.effect("is asked again a moment later, also where the clock is set back meanwhile", () =>
    Effect.gen(function* () {
      const { state, store } = redis()
      const { clock, putForward } = yield* movedClock
      const reply = Effect.provideService(store.ask(store.send("GET", "a")), Clock.Clock, clock)
      assert.strictEqual((yield* inTime(Effect.flip(reply))).cause, "no answer")
      state.answers = true
      putForward(-3_600_000)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* reply, "OK")
    })
  )

  it.effect("lets no server wait for it when that starts", () =>
    Effect.gen(function* () {
      const { store } = redis()
      const { message } = yield* inTime(Effect.flip(Effect.scoped(Layer.build(layerOver(Effect.succeed(store))))))
      assert.strictEqual(
        message,
        "shared.redis cannot be used (it does not answer): is it running, and is its password right?"
      )
    })
  )

  it.effect("is the reason for which a plan cannot be looked up", () =>
    Effect.gen(function* () {
      const { store } = redis()
      const journal = Layer.effect(WorkflowJournal, sharedJournals(store).make("plans", Entry))
      const { client } = standIn(hangs)
      const server = serverWithPlans({ production: { host: "http://127.0.0.1:1", apiKey: "k" } }, client, {}, journal)
      for (const [tool, more] of [
        ["show_plan", {}],
        ["plan_rollback", {}],
        ["apply_plan", { confirm: true }]
      ] as const) {
        const { data, message } = yield* refused(tool, { plan_id: "bulk-1", ...more }).pipe(
          Effect.provide(server),
          inTime
        )
        assert.deepInclude(data, { code: "JOURNAL_FAILED" }, tool)
        assert.include(message, "the Redis that holds the shared journal does not answer")
      }
    })
  )
})
