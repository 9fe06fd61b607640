import { Context, Duration, Effect } from "effect"

import { monotonicMillis } from "../../internal/http/monotonicMillis.ts"

/** The moment, in `monotonicMillis`, at which a whole tool call must have its answer. */
export const Deadline = Context.Reference<number>("workflow-tool-server/engine/Deadline", {
  defaultValue: () => Infinity
})

/** Gives everything inside this much time in total; each upstream call inside takes what is left of it, 30 s at most. */
export const within = (duration: Duration.Input) =>
  Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
    const now = yield* monotonicMillis
    return yield* Effect.provideService(self, Deadline, now + Duration.toMillis(Duration.fromInputUnsafe(duration)))
  })

/** What is left, `most` at most. */
export const remaining = (most: Duration.Duration) =>
  Effect.flatMap(Deadline, (deadline) =>
    Effect.map(monotonicMillis, (now) => Duration.min(most, Duration.millis(Math.max(deadline - now, 0))))
  )
