import { Context, Effect } from "effect"

/** The place where plans go on without a caller. One that ends with its client has none. */
export const Background = Context.Reference<{
  /** Runs work for a plan until it is done or the server ends, unless the same is at work already. */
  readonly run: ((id: string, work: Effect.Effect<void>) => Effect.Effect<void>) | undefined
  readonly isRunning: (id: string) => boolean
}>("workflow-tool-server/changes/Background", { defaultValue: () => ({ run: undefined, isRunning: () => false }) })

/** A place in the scope around it, which lives as long as the server. */
export const makeBackground = Effect.map(Effect.scope, (scope): typeof Background.Service => {
  const running = new Set<string>()
  return {
    isRunning: (id) => running.has(id),
    run: (id, work) =>
      Effect.suspend(() => {
        if (running.has(id)) return Effect.void
        running.add(id)
        const over = Effect.sync(() => void running.delete(id))
        return Effect.asVoid(Effect.forkIn(Effect.ensuring(work, over), scope))
      })
  }
})
