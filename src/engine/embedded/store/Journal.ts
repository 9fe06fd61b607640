import { Context, Effect, Layer, Schema } from "effect"

/** The journal could not be read or written; nothing of a refused entry is kept. */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  message: Schema.String
}) {}

/** An append-only list of single-line texts that outlives the process; the command also uses one for the marketplace's plans. */
export class Journal extends Context.Service<
  Journal,
  {
    /** All entries in order, without one that was cut off while it was written. */
    readonly entries: Effect.Effect<ReadonlyArray<string>, JournalError>
    /** Adds one entry; it is durable when this completes. */
    readonly append: (entry: string) => Effect.Effect<void, JournalError>
    /** Atomically replaces all entries by these. */
    readonly replace: (entries: ReadonlyArray<string>) => Effect.Effect<void, JournalError>
  }
>()("workflow-tool-server/embedded/engine/store/Journal") {
  /** Keeps nothing. */
  static readonly layerNone = Layer.succeed(Journal, {
    entries: Effect.succeed([]),
    append: () => Effect.void,
    replace: () => Effect.void
  })
}
