import { Context, Effect, type Exit } from "effect"

/** A temporary copy that exists, or may exist. */
export interface TemporaryCopyEntry {
  readonly instance: string
  /** Bears a mark that nothing else has. */
  readonly name: string
}

interface Ended<A, E> {
  /** Whether the temporary copy is known not to be there any more. */
  readonly isGone: boolean
  readonly outcome: Exit.Exit<A, E>
}

/**
 * Remembers temporary copies as long as they may exist, so that the next process deletes what this one could not. By
 * default nothing does.
 */
export const TemporaryCopyJournal = Context.Reference<{
  readonly during: <A, E, E2, R>(
    copy: TemporaryCopyEntry,
    life: Effect.Effect<Ended<A, E>, E2, R>
  ) => Effect.Effect<A, E | E2, R>
}>("workflow-tool-server/engine/TemporaryCopyJournal", {
  defaultValue: () => ({ during: (_, life) => Effect.flatMap(life, ({ outcome }) => outcome) })
})
