import { Context, Effect, Schema } from "effect"

/** The packages of an engine could not be had. */
export class NodePackagesError extends Schema.TaggedError<NodePackagesError>()("NodePackagesError", {
  message: Schema.String
}) {}

/** What a package tells of its node types. */
export interface NodePackage {
  readonly name: string
  readonly version: string
  /** The descriptions of its node types, as the engine would load them. */
  readonly nodes: ReadonlyArray<unknown>
}

/** Where the packages come from that engines are made of, as far as anybody said that they may be asked for. */
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
