import { readFileSync, statSync } from "node:fs"

import { Effect } from "effect"

import { ConfigurationError } from "../internal/config/ConfigurationError.ts"
import { transportCode } from "../internal/http/transportCode.ts"
import { exposure } from "./exposure.ts"
import type { SourceFile, Sources } from "./settings/read.ts"

/** Reads the files that there are: the one that was asked for, else `.config.json`, else `.env`. */
export const findSources = Effect.fnUntraced(function* (
  asked: string | undefined
): Effect.fn.Return<Sources, ConfigurationError> {
  const configuration = yield* readIfThere(asked ?? ".config.json")
  if (configuration !== undefined) return { configuration: { ...configuration, isTrusted: asked !== undefined } }
  if (asked !== undefined) return yield* new ConfigurationError({ message: `Configuration file not found: ${asked}` })
  const dotenv = yield* readIfThere(".env")
  return dotenv === undefined ? {} : { dotenv }
})

/** Every start waits for this: Node's own functions are there already, a file system of Effect's costs 7 ms to load. */
const readIfThere = Effect.fnUntraced(function* (name: string) {
  const file = yield* Effect.try({
    try: () => ({ text: readFileSync(name, "utf8"), access: statSync(name) }),
    catch: (error) => transportCode(error) ?? "unknown reason"
  }).pipe(
    Effect.catch((code) =>
      code === "ENOENT"
        ? Effect.undefined
        : Effect.fail(new ConfigurationError({ message: `${name}: cannot be read (${code})` }))
    )
  )
  if (file === undefined) return undefined
  // Keys lie in these files, and they say where keys go.
  const exposed = exposure(name, file.access)
  if (exposed !== undefined) yield* Effect.logWarning(exposed)
  return { name, text: file.text } satisfies SourceFile
})
