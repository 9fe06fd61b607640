import { Context, Effect } from "effect"

/**
 * Lets effects run with these services as well. As `Effect.provideContext`, but only what the caller has not got already
 * is added: a copy of all that a server knows, for each call, costs more than many a call does.
 */
export const provideMissing = <R>(services: Context.Context<R>) => {
  const entries = Array.from(services.mapUnsafe, ([name, service]: readonly [string, unknown]) => ({
    name,
    key: Context.Service<unknown>(name),
    service
  }))
  const complete = (caller: Context.Context<never>): Context.Context<R> => {
    let completed: Context.Context<R> | undefined
    for (const { key, name, service } of entries) {
      const present = completed ?? caller
      if (service === undefined || Context.getOrUndefined(present, key) !== service) {
        completed = Context.addUnsafe<never, R, unknown>(present, name, service)
      }
    }
    return completed ?? Context.merge(caller, services)
  }
  return <A, E>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E> => Effect.updateContext(self, complete)
}
