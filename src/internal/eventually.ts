import { type Context, Duration, Effect, Exit } from "effect"

/** A value that is made once, when it is first asked for, however many ask; what failed is tried again for the next. */
export const eventually = <A, E, R>(make: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E>, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.cachedWithTTL(Effect.uninterruptible(Effect.provideContext(make, context)), (exit) =>
      Exit.isSuccess(exit) ? Duration.infinity : Duration.zero
    )
  )
