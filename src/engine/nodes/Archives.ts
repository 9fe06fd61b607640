import { Context, Effect, Option, Schema } from "effect"

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

/** Forgets everything with the process. */
export const inMemory = (): Archives => {
  const kept = new Map<string, Archive>()
  return {
    open: (name) => Effect.sync(() => Option.fromUndefinedOr(kept.get(name))),
    save: (name, index, texts) =>
      Effect.sync(() => {
        const archive: Archive = { index, read: (place) => Effect.succeed(texts[place] ?? "[]") }
        kept.set(name, archive)
        return archive
      })
  }
}

/** Where the node types of engines are kept between calls; in memory, unless a command gives a folder. */
export const Archives = Context.Reference<Archives>("workflow-tool-server/engine/nodes/Archives", {
  defaultValue: inMemory
})
