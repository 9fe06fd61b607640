import { Effect } from "effect"

import { findSources } from "./configurationFiles.ts"
import type { Options } from "./Invocation.ts"
import { settle } from "./Launch.ts"
import { readSettings } from "./settings/read.ts"

/** Reads the configuration that the options point to. Beside an embedded engine, only a file that was asked for counts. */
export const readLaunch = Effect.fnUntraced(function* (options: Options) {
  const { config, toolsets } = options
  const isEmbedded = options.embedded !== undefined
  const sources = isEmbedded && config === undefined ? {} : yield* findSources(config)
  const settings = yield* readSettings({ ...sources, isEmbedded, toolsets })
  yield* Effect.forEach(settings.warnings, (warning) => Effect.logWarning(warning))
  const { http } = settings.server
  const tokenFile = options.authTokenFile ?? (http.authToken === undefined ? http.authTokenFile : undefined)
  if (!options.http || options.authToken !== undefined || tokenFile === undefined) {
    return yield* Effect.fromResult(settle(options, settings))
  }
  const { readTokenFile } = yield* Effect.promise(() => import("./bearerToken.ts"))
  return yield* Effect.fromResult(settle({ ...options, authTokenOfFile: yield* readTokenFile(tokenFile) }, settings))
})
