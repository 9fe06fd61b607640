import { Context, Effect, type Option, Schema } from "effect"

/** What is kept of node types could not be read or written. */
export class ArchiveError extends Schema.TaggedError<ArchiveError>()("ArchiveError", { message: Schema.String }) {}

/** A list, and behind it one text for each of its lines, which are read one at a time. */
export interface Archive {
  readonly index: string
  /** The text at this place of the list. */
  readonly read: (place: number) => Effect.Effect<string, ArchiveError>
}

export interface Archives {
  /** Nothing where none of this name was ever kept. */
  readonly open: (name: string) => Effect.Effect<Option.Option<Archive>, ArchiveError>
  /** Keeps it in place of an older one of this name, at once or not at all. */
  readonly save: (name: string, index: string, texts: ReadonlyArray<string>) => Effect.Effect<Archive, ArchiveError>
}

/** An archive of texts that are at hand. */
export const archiveOf = (index: string, texts: ReadonlyArray<string>): Archive => ({
  index,
  read: (place) => Effect.succeed(texts[place] ?? "[]")
})

/** Where the node types of engines are kept beyond this process; nowhere, unless a command gives a folder. */
export const Archives = Context.Reference<Archives>("workflow-tool-server/engine/nodes/Archives", {
  defaultValue: () => ({
    open: () => Effect.succeedNone,
    save: (_, index, texts) => Effect.succeed(archiveOf(index, texts))
  })
})
