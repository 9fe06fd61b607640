import path from "node:path"

import { Effect, Layer } from "effect"

import { Archives, NodePackages } from "../../engine/nodes/NodePackages.ts"
import type { Launch } from "../configuration/Launch.ts"
import { cacheFolder } from "../files/homeFolders.ts"
import * as NodeHttpClients from "../upstream/NodeHttpClients.ts"

/**
 * The cache of node types, and the source of those that an engine does not provide. Nothing is loaded or read before it is
 * needed. The embedded engine provides its own, and leaves no files behind.
 */
export const nodeTypes = ({ engine, nodeTypes: setting }: Pick<Launch, "engine" | "nodeTypes">) => {
  const cache = engine === undefined ? undefined : cacheFolder()
  return Layer.merge(
    cache === undefined ? Layer.empty : Layer.succeed(Archives, archivesIn(path.join(cache, "nodes"))),
    Layer.succeed(NodePackages, packagesOf(setting ?? "kept"))
  )
}

const archivesIn = (folder: string): Archives => {
  const files = Effect.map(
    Effect.promise(() => import("./archiveFiles.ts")),
    ({ archiveFiles }) => archiveFiles(folder)
  )
  return {
    open: (name) => Effect.flatMap(files, ({ open }) => open(name)),
    save: (name, index, texts) => Effect.flatMap(files, ({ save }) => save(name, index, texts))
  }
}

const packagesOf = (setting: NonNullable<Launch["nodeTypes"]> | "kept"): NodePackages => {
  if (setting === "off" || setting === "kept") return { policy: setting, read: () => Effect.succeed([]) }
  if (setting === "fetch") return fromRegistry(() => Effect.void)
  const { folder } = setting
  const reader = Effect.promise(() => import("./folder.ts"))
  return {
    policy: "folder",
    read: (version) => Effect.flatMap(reader, ({ readFolder }) => readFolder(folder)(version)),
    readOther: (name, version) => Effect.flatMap(reader, ({ readOther }) => readOther(folder)(name, version))
  }
}

/** Packages from the user's registry; `tell` is called with what is being fetched. */
export const fromRegistry = (tell: (words: string) => Effect.Effect<void>): NodePackages => {
  const reader = Effect.all([
    Effect.promise(() => import("./registry.ts")),
    Effect.promise(() => import("./npmSettings.ts"))
  ])
  return {
    policy: "fetch",
    read: (version) =>
      Effect.flatMap(reader, ([{ readRegistry }, { readNpmSettings }]) =>
        readRegistry(readNpmSettings(), tell)(version)
      ).pipe(Effect.provide(NodeHttpClients.layer)),
    readOther: (name, version) =>
      Effect.flatMap(reader, ([{ readPackage }, { readNpmSettings }]) =>
        readPackage(readNpmSettings(), name, version, tell)
      ).pipe(Effect.provide(NodeHttpClients.layer))
  }
}
