import { Clock, Effect, type Fiber } from "effect"

/** Goes on with the milliseconds on a clock that nobody sets: for how long things take, never for what time it is. */
export const atMillis = <A, E, R>(then: (now: number) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => then(read(fiber)))

/** The milliseconds themselves. */
export const monotonicMillis: Effect.Effect<number> = Effect.withFiber((fiber) => Effect.succeed(read(fiber)))

const read = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Number(fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()) / 1_000_000
