import { Effect, FileSystem, Result } from "effect"

import { transportCode } from "../http/transportCode.ts"
import { LineFileError } from "./LineFileError.ts"

/** Makes a file this process's own for as long as the scope is open. A claim of a process that is gone is taken over. */
export const claim = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const lock = `${file}.lock`
  const self = `${process.pid}`

  const take = fileSystem.writeFileString(lock, self, { flag: "wx", mode: 0o600 })
  const inspect = Effect.gen(function* () {
    const owner = (yield* fileSystem.readFileString(lock)).trim()
    // Without a name in it, it is being made just now.
    if (owner === "" || (owner !== self && isRunning(Number(owner)))) {
      return yield* new LineFileError({
        message: `${file} is in use by process ${owner || "that is starting"}. If that is not so, delete ${lock}.`,
        inUse: true
      })
    }
    yield* fileSystem.remove(lock, { force: true })
    return yield* take
  }).pipe(
    Effect.catchIf(
      (error) => error._tag === "PlatformError" && ["AlreadyExists", "NotFound"].includes(error.reason._tag),
      () =>
        Effect.fail(
          new LineFileError({ message: `${file} is in use by a process that opens it at the same time.`, inUse: true })
        )
    )
  )

  yield* Effect.acquireRelease(
    Effect.catchTag(take, "PlatformError", (error) =>
      error.reason._tag === "AlreadyExists" ? inspect : Effect.fail(error)
    ).pipe(
      Effect.catchTag("PlatformError", ({ message }) =>
        Effect.fail(
          new LineFileError({ message: `${lock}: ${message}. Is its folder there, and may this process write to it?` })
        )
      )
    ),
    () => Effect.ignore(fileSystem.remove(lock, { force: true }))
  )
})

/** Signal 0 only asks whether there is anyone to signal; another user's process may not be, but is there. */
const isRunning = (pid: number): boolean =>
  pid > 0 &&
  Result.match(
    Result.try(() => process.kill(pid, 0)),
    { onSuccess: () => true, onFailure: (error) => transportCode(error) === "EPERM" }
  )
