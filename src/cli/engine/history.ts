import { createHash, randomBytes } from "node:crypto"
import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, FileSystem, Scope, Layer, Struct } from "effect"

import * as GitHistory from "../../engine/history/git/GitHistory.ts"
import { HistorySpool, type Left, SpoolError } from "../../engine/history/git/Spool.ts"
import type { Launch } from "../configuration/Launch.ts"
import { refuseLink } from "../files/fileProblems.ts"
import { stateFolder } from "../files/homeFolders.ts"
import * as LineFile from "../files/LineFile.ts"

/** Most characters that may wait for a repository; anything beyond is lost with the process. */
const most = 64 * 1024 * 1024

interface Held {
  readonly scope: Scope.Closeable
  readonly file: LineFile.LineFile
  readonly name: string
  readonly length: number
}

/**
 * A file for each process, in a folder for each repository; `folders` are tried in order. It exists only while something waits,
 * and only the user can read it; its lock shows whether its process is alive.
 */
export const spoolIn = (folders: ReadonlyArray<string>) =>
  ({
    of: Effect.fnUntraced(function* (directory: string) {
      const fileSystem = yield* FileSystem.FileSystem
      const onDisk = Effect.provideService(FileSystem.FileSystem, fileSystem)
      const name = `history-${createHash("sha256").update(path.resolve(directory)).digest("hex").slice(0, 16)}`
      const places = folders.map((folder) => path.join(folder, name))
      let held: Held | undefined

      const openIn = Effect.fnUntraced(function* (folder: string) {
        yield* onDisk(refuseLink(folder))
        yield* fileSystem.makeDirectory(folder, { recursive: true, mode: 0o700 })
        const scope = yield* Scope.make()
        const file = path.join(folder, `${randomBytes(8).toString("hex")}.jsonl`)
        const opened = yield* Effect.onError(Scope.provide(LineFile.make(file), scope), () =>
          Scope.close(scope, Exit.void)
        )
        return { scope, file: opened, name: file, length: 0 }
      })

      /** If a disk becomes full halfway, what is written stays for the next process, and another folder is tried. */
      const keepIn = Effect.fnUntraced(function* (folder: string, text: string) {
        const now = held ?? (yield* openIn(folder))
        held = now
        const length = now.length + text.length
        if (length > most) {
          return yield* new SpoolError({ message: `${now.name} holds ${most} characters, the most it may` })
        }
        yield* Effect.tapError(now.file.append(text), () => end(now.length === 0))
        held = { ...now, length }
        return now.name
      })

      const close = ({ name, scope }: Held, isForgotten: boolean) =>
        Effect.andThen(
          isForgotten ? Effect.ignore(fileSystem.remove(name, { force: true })) : Effect.void,
          Scope.close(scope, Exit.void)
        )
      const end = (isForgotten: boolean) =>
        Effect.suspend(() => {
          const now = held
          held = undefined
          return now === undefined ? Effect.void : close(now, isForgotten)
        })
      yield* Effect.addFinalizer(() => end(false))

      /** The lines that a process has left in a file, unless it is alive. */
      const leftIn = Effect.fnUntraced(function* (file: string) {
        const opened = yield* LineFile.make(file)
        const lines = yield* opened.lines
        return { lines, remove: Effect.ignore(fileSystem.remove(file, { force: true })) } satisfies Left
      }, Effect.option)

      const left = Effect.gen(function* () {
        const names = yield* Effect.forEach(places, (folder) =>
          Effect.map(
            Effect.orElseSucceed(
              Effect.andThen(onDisk(refuseLink(folder)), fileSystem.readDirectory(folder)),
              () => []
            ),
            (names) => names.filter((one) => one.endsWith(".jsonl")).map((one) => path.join(folder, one))
          )
        )
        const files = names.flat().filter((file) => file !== held?.name)
        const all = yield* Effect.forEach(files, leftIn)
        return all.flatMap((one) => (one._tag === "Some" ? [one.value] : []))
      })

      return {
        keep: (lines: ReadonlyArray<string>) =>
          Effect.firstSuccessOf(places.map((folder) => keepIn(folder, lines.join("\n")))).pipe(
            Effect.mapError(({ message }) => new SpoolError({ message }))
          ),
        forget: end(true),
        release: end(false),
        left
      }
    }, Effect.provide(NodeFileSystem.layer))
  }) satisfies typeof HistorySpool.Service

/** The history of workflows in the folder that the configuration names. */
export const history = (
  { config = "", embedded }: Pick<Launch, "config" | "embedded">,
  settings: NonNullable<Launch["history"]>
) => {
  const { besideConfiguration, directory } = settings
  const state = embedded?.folder ?? stateFolder()
  const beside = path.resolve(path.dirname(config))
  return GitHistory.layer({
    directory: path.resolve(besideConfiguration ? path.dirname(config) : "", directory),
    environment: Struct.pick(process.env, ["PATH", "HOME", "XDG_CONFIG_HOME", "SystemRoot"])
  }).pipe(
    Layer.provide(Layer.succeed(HistorySpool, spoolIn(state === undefined ? [beside] : [state, beside]))),
    Layer.provide(NodeServices.layer)
  )
}
