import { readFile } from "node:fs/promises"
import path from "node:path"

import { Effect, Schema } from "effect"

import { type NodePackage, NodePackagesError } from "../../engine/nodes/NodePackages.ts"
import { enginePackage, nodePackages } from "../../engine/workflow/naming.ts"
import { transportCode } from "../../internal/http/transportCode.ts"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
const Descriptions = Schema.fromJsonString(Schema.Array(Schema.Unknown))

/** The file of a package with the descriptions of its node types. */
export const descriptionsFile = "dist/types/nodes.json"

/** The packages of an engine of exactly this version in a folder that contains a `node_modules`, or is one. */
export const readFolder = (folder: string) =>
  Effect.fnUntraced(function* (engineVersion: string) {
    const read = (...names: ReadonlyArray<string>) => readIn(folder, names)
    const there = yield* versionIn(yield* read(enginePackage, "package.json"), folder)
    if (there !== engineVersion) {
      return yield* new NodePackagesError({
        message: `nodeTypes: the folder ${folder} holds version ${there}, and this engine runs ${engineVersion}. Name the folder of that version`
      })
    }
    return yield* Effect.forEach(nodePackages, (name) =>
      Effect.gen(function* () {
        const version = yield* versionIn(yield* read(name, "package.json"), folder)
        const text = yield* read(name, descriptionsFile)
        const nodes = yield* Effect.mapError(Schema.decodeEffect(Descriptions)(text), () => unreadable(folder, name))
        return { name, version, nodes } satisfies NodePackage
      })
    )
  })

/** A community package; nothing is known of one that is not in the folder. */
export const readOther = (folder: string) =>
  Effect.fnUntraced(function* (name: string, version: string) {
    const text = yield* Effect.orElseSucceed(readIn(folder, [name, descriptionsFile]), () => "[]")
    const nodes = yield* Effect.mapError(Schema.decodeEffect(Descriptions)(text), () => unreadable(folder, name))
    return { name, version, nodes } satisfies NodePackage
  })

const versionIn = (manifest: string, folder: string) =>
  Effect.map(
    Effect.mapError(Schema.decodeEffect(Manifest)(manifest), () => unreadable(folder, "package.json")),
    ({ version }) => version
  )

const unreadable = (folder: string, name: string) =>
  new NodePackagesError({ message: `nodeTypes: ${name} in ${folder} cannot be read` })

/** A file of a package, wherever in the folder packages are. */
const readIn = (folder: string, names: ReadonlyArray<string>) =>
  Effect.firstSuccessOf(
    [path.join(folder, "node_modules"), folder].map((root) =>
      Effect.tryPromise({
        try: () => readFile(path.join(root, ...names), "utf8"),
        catch: (error) =>
          new NodePackagesError({
            message: `nodeTypes: ${path.join(root, ...names)} cannot be read (${transportCode(error) ?? "unknown reason"}). The folder must hold the packages of an installed engine`
          })
      })
    )
  )
