import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem } from "effect"

import { LineFileError } from "./LineFileError.ts"

/**
 * The whole lines of a file, empty ones included, as they are now; none where there is no such file. Claims nothing:
 * another process may be writing, and what it has half written does not count.
 */
export const readLines = (file: string): Effect.Effect<ReadonlyArray<string>, LineFileError> =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    if (!(yield* fileSystem.exists(file))) return []
    return (yield* fileSystem.readFileString(file)).split("\n").slice(0, -1)
  }).pipe(
    Effect.mapError(({ message }) => new LineFileError({ message: `${file}: ${message}. May this process read it?` })),
    Effect.provide(NodeFileSystem.layer)
  )
