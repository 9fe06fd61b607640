import { Context, Effect, Schema, type Scope } from "effect"

/** The spool could not be written or read. */
export class SpoolError extends Schema.TaggedError<SpoolError>()("SpoolError", { message: Schema.String }) {}

/** Lines that another process, which has ended, left behind. They are locked for others as long as the scope is open. */
export interface Left {
  readonly lines: ReadonlyArray<string>
  readonly remove: Effect.Effect<void>
}

/** A place on disk for items that wait while the repository cannot be written, in case this process ends first. */
export interface Spool {
  /** Adds lines, which are on disk when this completes; returns their place. */
  readonly keep: (lines: ReadonlyArray<string>) => Effect.Effect<string, SpoolError>
  /** Deletes what this process has added. */
  readonly forget: Effect.Effect<void>
  /** Leaves what this process has added to the next one. */
  readonly release: Effect.Effect<void>
  readonly left: Effect.Effect<ReadonlyArray<Left>, never, Scope.Scope>
}

/** Provides the spool of the history in a folder; without one, what waits is lost with the process. */
export const HistorySpool = Context.Reference<{
  readonly of: (directory: string) => Effect.Effect<Spool, never, Scope.Scope>
}>("workflow-tool-server/engine/HistorySpool", {
  defaultValue: () => ({
    of: (directory) =>
      Effect.succeed({
        keep: () => Effect.fail(new SpoolError({ message: `there is no place for what ${directory} does not take` })),
        forget: Effect.void,
        release: Effect.void,
        left: Effect.succeed([])
      })
  })
})
