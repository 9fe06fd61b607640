import { Context, Duration, Effect } from "effect"

import { makePacer, type Pacer } from "../../internal/http/Coordination.ts"
import { monotonicMillis } from "../../internal/time.ts"

/** When a whole tool call must be answered, in `monotonicMillis`. */
export const Deadline = Context.Reference<number>("workflow-tool-server/engine/Deadline", {
  defaultValue: () => Infinity
})

/** Limits the total time of an effect; each upstream call inside gets what is left, 30 s at most. */
export const within = (duration: Duration.Input) =>
  Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
    const now = yield* monotonicMillis
    return yield* Effect.provideService(self, Deadline, now + Duration.toMillis(Duration.fromInputUnsafe(duration)))
  })

/** The remaining time, `most` at most. */
export const remaining = (most: Duration.Duration) =>
  Effect.flatMap(Deadline, (deadline) =>
    Effect.map(monotonicMillis, (now) => Duration.min(most, Duration.millis(Math.max(deadline - now, 0))))
  )

/** The pace of work that nobody waits for, beside that of the instance. */
export const Pace = Context.Reference<Pacer>("workflow-tool-server/engine/Pace", {
  defaultValue: () => makePacer(Infinity)
})

/** Longest wait for one upstream call. */
export const callTimeout = Duration.seconds(30)
