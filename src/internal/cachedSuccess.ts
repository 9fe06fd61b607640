import { type Context, Effect, Exit, Fiber } from "effect"

/**
 * A value that is made once, when it is first asked for, however many ask and whoever of them leaves; what failed is tried
 * again for the next.
 */
export const cachedSuccess = <A, E, R>(make: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E>, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.sync(() => {
      let making: Fiber.Fiber<A, E> | undefined
      let made: Effect.Effect<A, E> | undefined
      const begun = Effect.map(
        Effect.forkDetach(Effect.provideContext(make, context), { startImmediately: true }),
        (fiber) => {
          making = fiber
          fiber.addObserver((exit) => {
            making = undefined
            if (Exit.isSuccess(exit)) made = exit
          })
          return fiber
        }
      )
      return Effect.suspend(
        () => made ?? (making === undefined ? Effect.flatMap(begun, Fiber.join) : Fiber.join(making))
      )
    })
  )
