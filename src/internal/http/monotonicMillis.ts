import { Clock, Effect } from "effect"

/** Milliseconds on a clock that nobody sets: for how long things take, never for what time it is. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1_000_000
)
