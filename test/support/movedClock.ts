import { Clock, Effect } from "effect"

/** A clock that can be put forward, from the present on. */
export const movedClock = Effect.map(Clock.Clock, (real) => {
  let ahead = 0
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + ahead,
    currentTimeMillis: Effect.map(real.currentTimeMillis, (now) => now + ahead),
    currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe(),
    currentTimeNanos: real.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
  return {
    clock,
    putForward: (ms: number) => {
      ahead += ms
    },
    setRight: () => {
      ahead = 0
    }
  }
})
