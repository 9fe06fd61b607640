import { Effect, FileSystem } from "effect"

import { ConfigurationError } from "../config/ConfigurationError.ts"
import type { SourceFile, Sources } from "../config/read.ts"

/** Reads the files that there are: the one that was asked for, else `.config.json`, else `.env`. */
export const findSources = Effect.fnUntraced(function* (
  asked: string | undefined
): Effect.fn.Return<Sources, ConfigurationError, FileSystem.FileSystem> {
  const configuration = yield* readIfThere(asked ?? ".config.json")
  if (configuration !== undefined) return { configuration }
  if (asked !== undefined) return yield* new ConfigurationError({ message: `Configuration file not found: ${asked}` })
  const dotenv = yield* readIfThere(".env")
  return dotenv === undefined ? {} : { dotenv }
})

const readIfThere = Effect.fnUntraced(function* (name: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* files
    .readFileString(name)
    .pipe(
      Effect.catch((error) =>
        error.reason._tag === "NotFound"
          ? Effect.undefined
          : Effect.fail(new ConfigurationError({ message: `${name}: cannot be read (${error.reason._tag})` }))
      )
    )
  if (text === undefined) return undefined
  yield* warnIfShared(name)
  return { name, text } satisfies SourceFile
})

/** Keys lie in these files: nobody but their owner should be able to read them. */
const warnIfShared = Effect.fnUntraced(function* (name: string) {
  const files = yield* FileSystem.FileSystem
  const { mode } = yield* Effect.orElseSucceed(files.stat(name), () => ({ mode: 0 }))
  if (process.platform !== "win32" && (mode & 0o044) !== 0) {
    yield* Effect.logWarning(`${name} can be read by other users of this machine. Close it: chmod 600 ${name}`)
  }
})
