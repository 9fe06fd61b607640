import { existsSync, readFileSync, statSync } from "node:fs"
import path from "node:path"

import { Effect } from "effect"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import { exposureOf } from "../files/fileProblems.ts"
import { configFolder } from "../files/homeFolders.ts"
import type { Options } from "./flags.ts"
import { needingTrust } from "./folderRules.ts"
import { resolve } from "./Launch.ts"
import { parseFile, readSettings, type Sources } from "./readSettings.ts"
import type { SourceFile } from "./SourceFile.ts"

/** Reads the configuration that the options point to. With an embedded engine, only an explicitly requested file counts. */
export const readLaunch = Effect.fnUntraced(function* (given: Options) {
  const options = given.demo
    ? yield* Effect.flatMap(
        Effect.promise(() => import("../demo.ts")),
        ({ demoOptions }) => demoOptions(given)
      )
    : given
  const { config, toolsets } = options
  const isEmbedded = options.embedded !== undefined
  const sources: Sources = isEmbedded && config === undefined ? {} : yield* findSources(config)
  const settings = yield* readSettings({ ...sources, isEmbedded, toolsets })
  const { configuration } = sources
  if (configuration !== undefined) yield* requireTrust(configuration)
  const trusted = { ...options, config: configuration?.isTrusted === true ? configuration.name : undefined }
  yield* Effect.forEach(settings.warnings, (warning) => Effect.logWarning(warning))
  const { http } = settings
  const tokenFile = options["auth-token-file"] ?? (http.authToken === undefined ? http.authTokenFile : undefined)
  if (!options.http || options["auth-token"] !== undefined || tokenFile === undefined) {
    return yield* Effect.fromResult(resolve(trusted, settings))
  }
  const { readTokenFile } = yield* Effect.promise(() => import("./bearerToken.ts"))
  return yield* Effect.fromResult(resolve(trusted, settings, yield* readTokenFile(tokenFile)))
})

/** Refuses what a file that merely lies in the working folder may not set, unless it is trusted. */
export const requireTrust = Effect.fnUntraced(function* (file: SourceFile) {
  const settings = file.isTrusted === true ? [] : needingTrust(yield* parseFile(file))
  if (settings.length === 0) return
  const { refuseUntrusted } = yield* Effect.promise(() => import("./trust.ts"))
  yield* refuseUntrusted(file, settings)
})

/** Reads the files that exist: the requested one, else `.config.json` here, else the user's own, else `.env`. */
const findSources = Effect.fnUntraced(function* (
  requestedFile: string | undefined
): Effect.fn.Return<Sources, ConfigurationError> {
  const configuration = yield* readConfiguration(requestedFile)
  if (configuration !== undefined) return { configuration }
  const ofUser = configFolder()
  const file = ofUser && path.join(ofUser, fileName)
  // A folder that cannot be looked into is not this user's.
  const ownConfiguration = file !== undefined && existsSync(file) ? yield* readIfThere(file) : undefined
  if (ownConfiguration !== undefined) return { configuration: { ...ownConfiguration, isTrusted: true } }
  const dotenv = yield* readIfThere(".env")
  return dotenv === undefined ? {} : { dotenv }
})

/** The requested file, else the one that lies in the working folder. */
export const readConfiguration = Effect.fnUntraced(function* (requestedFile: string | undefined) {
  const file = yield* readIfThere(requestedFile ?? fileName, { isNamed: requestedFile !== undefined })
  if (file !== undefined) return { ...file, isTrusted: requestedFile !== undefined } satisfies SourceFile
  if (requestedFile !== undefined)
    return yield* new ConfigurationError({ message: `Configuration file not found: ${requestedFile}` })
  return undefined
})

const fileName = ".config.json"

/** Largest file that is read unless it is named at the start, in bytes: a thousand instances with all their settings. */
const mostBytes = 1024 * 1024

/**
 * Every start waits for this: Node's own functions are there already, a file system of Effect's costs 7 ms to load, and an error of
 * Node's for a file that is not there more than to read one. Only a person may name a pipe; one that merely lies in a folder, or
 * a link to a device, would keep the start waiting or fill the memory.
 */
const readIfThere = Effect.fnUntraced(function* (name: string, { isNamed = false } = {}) {
  const file = yield* Effect.try({
    try: () => {
      const access = statSync(name, { throwIfNoEntry: false })
      if (access === undefined) return undefined
      const isFit = isNamed || (access.isFile() && access.size <= mostBytes)
      return { text: isFit ? readFileSync(name, "utf8") : undefined, access, folder: statSync(path.dirname(name)) }
    },
    catch: (error) =>
      new ConfigurationError({ message: `${name}: cannot be read (${transportCode(error) ?? "unknown reason"})` })
  })
  if (file === undefined) return undefined
  const { access, folder, text } = file
  if (text === undefined) {
    return yield* new ConfigurationError({ message: `${name}: expected a file of at most ${mostBytes} bytes` })
  }
  // Keys lie in these files, and they say where keys go.
  yield* Effect.forEach(exposureOf(name, access, folder), (warning) => Effect.logWarning(warning))
  return { name, text } satisfies SourceFile
})
