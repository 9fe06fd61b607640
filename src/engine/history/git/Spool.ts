import { Context, Effect, Schema, type Scope } from "effect"

/** What should have waited on the disk could not be written or read there. */
export class SpoolError extends Schema.TaggedError<SpoolError>()("SpoolError", { message: Schema.String }) {}

/** What another process, which has ended, has left. Nobody else takes it as long as the scope is open. */
export interface Left {
  readonly lines: ReadonlyArray<string>
  readonly remove: Effect.Effect<void>
}

/** Where things wait on the disk for a repository that takes nothing, for the case that this process ends before it does. */
export interface Spool {
  /** Adds lines, which are on the disk when this completes; answers where. */
  readonly keep: (lines: ReadonlyArray<string>) => Effect.Effect<string, SpoolError>
  /** Forgets what this process has added. */
  readonly forget: Effect.Effect<void>
  /** Leaves what this process has added to whoever comes next. */
  readonly release: Effect.Effect<void>
  readonly left: Effect.Effect<ReadonlyArray<Left>, never, Scope.Scope>
}

/** The way to the spool of the history in a folder; without one, what waits is lost with the process. */
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
