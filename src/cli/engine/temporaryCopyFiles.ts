import { hostname } from "node:os"
import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Clock, Effect, FileSystem, Option, Result, Schema } from "effect"

import { eraseLeft } from "../../engine/operator/run/eraseTemporaryCopies.ts"
import type { TemporaryCopyJournal } from "../../engine/operator/run/TemporaryCopyJournal.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import type { Launch } from "../configuration/Launch.ts"
import { persistentFolder } from "../files/persistentFolder.ts"

/** A temporary copy that a run has created, or was about to, and the process of the run. */
const Entry = Schema.fromJsonString(
  Schema.Struct({
    instance: Schema.String,
    name: Schema.String,
    machine: Schema.String,
    pid: Schema.Int,
    since: Schema.Finite
  })
)
type Entry = typeof Entry.Type
const readEntry = Schema.decodeUnknownOption(Entry)
const writeEntry = Schema.encodeEffect(Entry)

/** Longer than the life of any temporary copy, with all its pauses. */
const longestLife = 5 * 60 * 1000

/**
 * Where temporary copies are recorded, beside the journal of plans; nowhere if none can outlive this process, or nothing can be
 * stored. The folder and the fields of its files must not be renamed: files of earlier versions are found by them.
 */
export const temporaryCopyFolder = ({ config, embedded, plans, readOnly }: Launch) => {
  if (embedded !== undefined || readOnly) return undefined
  const folder = persistentFolder(config)
  return folder && path.resolve(folder, path.dirname(plans?.journal ?? ""), ".workflow-runs")
}

/** Keeps a file in a folder for each temporary copy, for as long as the copy may exist. */
export const temporaryCopyFiles = (folder: string): (typeof TemporaryCopyJournal)["Service"] => ({
  during: ({ instance, name }, life) =>
    Effect.gen(function* () {
      const since = yield* Clock.currentTimeMillis
      const file = path.join(folder, `${since}-${crypto.randomUUID()}.json`)
      yield* written(file, { instance, name, machine: hostname(), pid: process.pid, since })
      const { isGone, outcome } = yield* life
      if (isGone) yield* removed(file)
      return yield* outcome
    })
})

const written = (file: string, entry: Entry) =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    yield* fileSystem.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
    yield* fileSystem.writeFileString(file, yield* writeEntry(entry), { flag: "wx", mode: 0o600 })
  }).pipe(
    Effect.catch(({ message }) =>
      Effect.logWarning(`${file}: ${message}. A run that is killed leaves its copy for an hour`)
    ),
    Effect.provide(NodeFileSystem.layer)
  )

const removed = (file: string) =>
  FileSystem.FileSystem.use((fileSystem) => fileSystem.remove(file, { force: true })).pipe(
    Effect.ignore,
    Effect.provide(NodeFileSystem.layer)
  )

/** Deletes the copies that former processes have left on their instances; those that cannot be deleted stay recorded. */
export const eraseNoted = (folder: string) =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    if (!(yield* fileSystem.exists(folder))) return
    const now = yield* Clock.currentTimeMillis
    for (const name of yield* fileSystem.readDirectory(folder)) {
      const file = path.join(folder, name)
      const entry = Option.getOrUndefined(readEntry(yield* fileSystem.readFileString(file)))
      // A process killed while writing this had created nothing yet.
      if (entry === undefined && now - Number.parseInt(name, 10) > longestLife) yield* removed(file)
      if (entry === undefined || isInUse(entry, now)) continue
      const erased = yield* Effect.result(eraseLeft(entry))
      if (erased._tag === "Success") yield* fileSystem.remove(file, { force: true })
      else yield* Effect.logWarning(`${entry.name} may be left on ${entry.instance}: ${erased.failure.message}`)
    }
  }).pipe(
    Effect.catchTag("PlatformError", ({ message }) => Effect.logWarning(`${folder}: ${message}`)),
    Effect.provide(NodeFileSystem.layer)
  )

/** For other machines, such as containers that share the folder, only the age is known. */
const isInUse = ({ machine, pid, since }: Entry, now: number): boolean =>
  now - since < longestLife && (machine !== hostname() || isAlive(pid))

/** Signal 0 only checks whether the process exists; for another user's process the result is EPERM. */
const isAlive = (pid: number): boolean => {
  const asked = Result.try(() => process.kill(pid, 0))
  return Result.isSuccess(asked) || transportCode(asked.failure) === "EPERM"
}
