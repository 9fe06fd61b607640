import { readFileSync, statSync } from "node:fs"
import path from "node:path"

import { Effect } from "effect"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import { exposureOf } from "../files/fileProblems.ts"
import type { Options } from "./flags.ts"
import { resolve } from "./Launch.ts"
import { readSettings, type Sources } from "./readSettings.ts"
import type { SourceFile } from "./SourceFile.ts"

/** Reads the configuration that the options point to. With an embedded engine, only an explicitly requested file counts. */
export const readLaunch = Effect.fnUntraced(function* (options: Options) {
  const { config, toolsets } = options
  const isEmbedded = options.embedded !== undefined
  const sources = isEmbedded && config === undefined ? {} : yield* findSources(config)
  const settings = yield* readSettings({ ...sources, isEmbedded, toolsets })
  yield* Effect.forEach(settings.warnings, (warning) => Effect.logWarning(warning))
  const { http } = settings.server
  const tokenFile = options.authTokenFile ?? (http.authToken === undefined ? http.authTokenFile : undefined)
  if (!options.http || options.authToken !== undefined || tokenFile === undefined) {
    return yield* Effect.fromResult(resolve(options, settings))
  }
  const { readTokenFile } = yield* Effect.promise(() => import("./bearerToken.ts"))
  const authTokenOfFile = yield* readTokenFile(tokenFile)
  return yield* Effect.fromResult(resolve({ ...options, authTokenOfFile }, settings))
})

/** Reads the files that exist: the requested one, else `.config.json`, else `.env`. */
const findSources = Effect.fnUntraced(function* (
  asked: string | undefined
): Effect.fn.Return<Sources, ConfigurationError> {
  const configuration = yield* readIfThere(asked ?? ".config.json")
  if (configuration !== undefined) return { configuration: { ...configuration, isTrusted: asked !== undefined } }
  if (asked !== undefined) return yield* new ConfigurationError({ message: `Configuration file not found: ${asked}` })
  const dotenv = yield* readIfThere(".env")
  return dotenv === undefined ? {} : { dotenv }
})

/**
 * Every start waits for this: Node's own functions are there already, a file system of Effect's costs 7 ms to load, and an error of
 * Node's for a file that is not there more than to read one.
 */
const readIfThere = Effect.fnUntraced(function* (name: string) {
  const file = yield* Effect.try({
    try: () => {
      const access = statSync(name, { throwIfNoEntry: false })
      return access && { text: readFileSync(name, "utf8"), access, folder: statSync(path.dirname(name)) }
    },
    catch: (error) =>
      new ConfigurationError({ message: `${name}: cannot be read (${transportCode(error) ?? "unknown reason"})` })
  })
  if (file === undefined) return undefined
  // Keys lie in these files, and they say where keys go.
  yield* Effect.forEach(exposureOf(name, file.access, file.folder), (warning) => Effect.logWarning(warning))
  return { name, text: file.text } satisfies SourceFile
})
