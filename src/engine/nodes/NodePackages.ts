import { Context, Effect, type Option, Schema } from "effect"

/** The packages of an engine could not be fetched or read. */
export class NodePackagesError extends Schema.TaggedError<NodePackagesError>()("NodePackagesError", {
  message: Schema.String
}) {}

/** A package with descriptions of its node types. */
export interface NodePackage {
  readonly name: string
  readonly version: string
  /** The descriptions of its node types, as the engine would load them. */
  readonly nodes: ReadonlyArray<unknown>
}

/** The source of the packages that engines are made of, as far as the configuration allows one. */
export interface NodePackages {
  /** `off`: nothing beside the workflows of an instance; `kept`: only what was fetched before. */
  readonly policy: "off" | "kept" | "fetch" | "folder"
  /** The packages with node types of an engine of exactly this version. */
  readonly read: (engineVersion: string) => Effect.Effect<ReadonlyArray<NodePackage>, NodePackagesError>
  /** A package that is installed beside them, in exactly this version. */
  readonly readOther?: (name: string, version: string) => Effect.Effect<NodePackage, NodePackagesError>
}

export const NodePackages = Context.Reference<NodePackages>("workflow-tool-server/engine/nodes/NodePackages", {
  defaultValue: () => ({ policy: "kept", read: () => Effect.succeed([]) })
})

/** The archive of node types could not be read or written. */
export class ArchiveError extends Schema.TaggedError<ArchiveError>()("ArchiveError", { message: Schema.String }) {}

/** A list, and behind it one text for each of its lines, which are read one at a time. */
export interface Archive {
  readonly index: string
  /** The text at this place of the list. */
  readonly read: (place: number) => Effect.Effect<string, ArchiveError>
}

export interface Archives {
  /** `None` if there is no archive of this name. */
  readonly open: (name: string) => Effect.Effect<Option.Option<Archive>, ArchiveError>
  /** Keeps it in place of an older one of this name, at once or not at all. */
  readonly save: (name: string, index: string, texts: ReadonlyArray<string>) => Effect.Effect<Archive, ArchiveError>
}

/** An archive of texts that are at hand. */
export const archiveOf = (index: string, texts: ReadonlyArray<string>): Archive => ({
  index,
  read: (place) => Effect.succeed(texts[place] ?? "[]")
})

/** The store of node types beyond this process; it keeps nothing, unless the command gives a folder. */
export const Archives = Context.Reference<Archives>("workflow-tool-server/engine/nodes/Archives", {
  defaultValue: () => ({
    open: () => Effect.succeedNone,
    save: (_, index, texts) => Effect.succeed(archiveOf(index, texts))
  })
})
