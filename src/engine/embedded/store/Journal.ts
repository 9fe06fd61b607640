import { Context, Effect, Layer, Schema } from "effect"

/** The journal could not be read or written; nothing of the refused entry is kept. */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  message: Schema.String
}) {}

/** An append-only list of one-line texts that outlives the process; the command keeps the marketplace's plans in one, too. */
export class Journal extends Context.Service<
  Journal,
  {
    /** Every entry in the order of writing, without one whose writing was cut short. */
    readonly entries: Effect.Effect<ReadonlyArray<string>, JournalError>
    /** Adds one entry; it is durable when this completes. */
    readonly append: (entry: string) => Effect.Effect<void, JournalError>
    /** Puts these entries in the place of all others, at once or not at all. */
    readonly replace: (entries: ReadonlyArray<string>) => Effect.Effect<void, JournalError>
  }
>()("workflow-tool-server/embedded/engine/store/Journal") {
  /** Remembers nothing. */
  static readonly layerNone = Layer.succeed(Journal, {
    entries: Effect.succeed([]),
    append: () => Effect.void,
    replace: () => Effect.void
  })
}
