import path from "node:path"

import { Context, Duration, Effect, type Scope } from "effect"

import { WatchError, type WatchStore } from "../../engine/operator/watch/watch.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { Coordination } from "../../internal/http/Coordination.ts"
import type { Launch } from "../configuration/Launch.ts"
import { persistentFolder } from "../files/homeFolders.ts"
import * as LineFile from "../files/LineFile.ts"

/** The store that copies of the server share; in a file of this process if they share none. */
export const SharedWatch = Context.Reference<Pick<WatchStore, "load" | "save"> | undefined>(
  "workflow-tool-server/cli/SharedWatch",
  { defaultValue: () => undefined }
)

const failed = Effect.mapError(({ message }: { readonly message: string }) => new WatchError({ message }))

/** In memory, as for the embedded engine. */
const inMemory = (): Pick<WatchStore, "load" | "save"> => {
  let kept: ReadonlyArray<string> = []
  return {
    load: Effect.sync(() => kept),
    save: (lines) =>
      Effect.sync(() => {
        kept = lines
      })
  }
}

const inFile = Effect.fnUntraced(function* (
  launch: Launch,
  name: string
): Effect.fn.Return<Pick<WatchStore, "load" | "save">, ConfigurationError, Scope.Scope> {
  const folder = persistentFolder(launch.config)
  if (folder === undefined) {
    return yield* new ConfigurationError({ message: "watch.state: there is no folder that this process may write to" })
  }
  const file = yield* Effect.mapError(
    LineFile.make(path.resolve(folder, name)),
    ({ message }) => new ConfigurationError({ message: `watch.state: ${message}` })
  )
  return { load: failed(file.lines), save: (lines) => failed(file.replace(lines)) }
})

/** The store of the watch for as long as the scope lasts: shared by copies, in a file, or in memory beside an embedded engine. */
export const storeOf = Effect.fnUntraced(function* (launch: Launch, name: string) {
  const { withLock } = yield* Coordination
  const shared = yield* SharedWatch
  const kept = shared ?? (launch.embedded === undefined ? yield* inFile(launch, name) : inMemory())
  return {
    ...kept,
    exclusively: (work) =>
      shared === undefined
        ? work
        : withLock("watch", work, {
            atMost: Duration.minutes(2),
            busy: (problem) =>
              Effect.fail(new WatchError({ message: problem ?? "another copy of the server is at its round" }))
          })
  } satisfies WatchStore
})
