import { Context, Duration, Effect } from "effect"

import { atMillis, monotonicMillis } from "../../internal/http/monotonicMillis.ts"
import { withReference } from "../../internal/withReference.ts"

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
  withReference(Deadline, (deadline) =>
    atMillis((now) => Effect.succeed(Duration.min(most, Duration.millis(Math.max(deadline - now, 0)))))
  )

/** Longest wait for one upstream call. */
export const callTimeout = Duration.seconds(30)
