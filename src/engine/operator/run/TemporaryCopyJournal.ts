import { Context, Effect, type Exit } from "effect"

/** A temporary copy that exists, or may exist. */
export interface TemporaryCopyEntry {
  readonly instance: string
  /** Contains a mark that makes it unique. */
  readonly name: string
}

interface Ended<A, E> {
  /** Whether the temporary copy certainly no longer exists. */
  readonly isGone: boolean
  readonly outcome: Exit.Exit<A, E>
}

/**
 * Records temporary copies for as long as they may exist, so that the next process can delete what this one could not. By
 * default nothing is recorded.
 */
export const TemporaryCopyJournal = Context.Reference<{
  readonly during: <A, E, E2, R>(
    copy: TemporaryCopyEntry,
    life: Effect.Effect<Ended<A, E>, E2, R>
  ) => Effect.Effect<A, E | E2, R>
}>("workflow-tool-server/engine/TemporaryCopyJournal", {
  defaultValue: () => ({ during: (_, life) => Effect.flatMap(life, ({ outcome }) => outcome) })
})
