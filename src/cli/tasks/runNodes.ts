import { Console, Effect, Layer } from "effect"

import { Instances } from "../../engine/client/Instances.ts"
import { fetchNodeTypes, fetchVersion } from "../../engine/nodes/NodeKnowledge.ts"
import { NodePackages } from "../../engine/nodes/NodePackages.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { oneLine } from "../../internal/foreignText.ts"
import { type Options, UsageError } from "../configuration/flags.ts"
import { readLaunch } from "../configuration/readLaunch.ts"
import { instances } from "../engine/instances.ts"
import { cacheFolder, homeless } from "../files/homeFolders.ts"
import { fromRegistry } from "../nodes/nodePackages.ts"

/** The arguments of `nodes fetch`. */
export interface NodesRequest {
  /** A version whose packages are fetched, whether or not an instance has it. */
  readonly engineVersion: string | undefined
}

/**
 * Fetches and caches the node types of a version, or of every configured instance: from the engine if it provides them, otherwise from its
 * packages, to which the user agrees by this command. The exit code is 1 if any could not be fetched.
 */
export const runNodes = Effect.fnUntraced(function* (options: Options, { engineVersion }: NodesRequest) {
  if (engineVersion !== undefined && !/^\d{1,4}(?:\.\d{1,4}){2}(?:-[\w.]{1,20})?$/.test(engineVersion)) {
    return yield* new UsageError({ message: "--engine: expected a version in full, such as 2.48.5" })
  }
  const launch = yield* readLaunch(options)
  const setting = launch.nodeTypes
  if (cacheFolder() === undefined) {
    return yield* new ConfigurationError({ message: `Node types cannot be stored: ${homeless("XDG_CACHE_HOME")}` })
  }
  const context = yield* instances(launch)
  const packages = typeof setting === "object" ? Layer.empty : Layer.succeed(NodePackages, fromRegistry(Console.log))
  if (engineVersion !== undefined) {
    const { catalog, hint = "" } = yield* fetchVersion(engineVersion).pipe(
      Effect.provide(packages),
      Effect.provideContext(context)
    )
    const words = catalog === undefined ? hint : `version ${engineVersion}, ${catalog.entries.length} node types kept`
    yield* Console.log(oneLine(words))
    return catalog === undefined ? 1 : 0
  }
  const fetched = Effect.gen(function* () {
    const { names, resolve } = yield* Instances
    if (names.length === 0) {
      yield* Console.log("There is no instance whose node types could be fetched.")
      return 1
    }
    const done = yield* Effect.forEach(names, (name) =>
      Effect.flatMap(resolve(name), fetchNodeTypes).pipe(
        Effect.map(({ catalog, hint = "" }) =>
          catalog === undefined
            ? { isFine: false, words: hint }
            : { isFine: true, words: `version ${catalog.version}, ${catalog.entries.length} node types kept` }
        ),
        Effect.catch(({ message }) => Effect.succeed({ isFine: false, words: message })),
        Effect.tap(({ words }) => Console.log(`${name}: ${oneLine(words)}`))
      )
    )
    return done.every(({ isFine }) => isFine) ? 0 : 1
  })
  return yield* fetched.pipe(Effect.provide(packages), Effect.provideContext(context))
}, Effect.scoped)
