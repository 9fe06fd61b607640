import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Clock, Effect, FileSystem, Option, Result, Schema, Context } from "effect"

import type { Instances } from "../../engine/client/Instances.ts"
import { eraseLeft } from "../../engine/operator/run/eraseTemporaryCopies.ts"
import { TemporaryCopyJournal } from "../../engine/operator/run/TemporaryCopyJournal.ts"
import { TestFolder } from "../../engine/operator/tests/TestFolder.ts"
import type { Launch } from "../configuration/Launch.ts"
import { FileError, refuseLink } from "../files/fileProblems.ts"
import { persistentFolder } from "../files/homeFolders.ts"
import { claimFor, type ProcessClaim } from "../files/processClaim.ts"
import { testFiles, testFolder } from "./testFiles.ts"

/** A temporary copy that a run has created, or was about to. */
const Entry = Schema.fromJsonString(
  Schema.Struct({
    instance: Schema.String,
    name: Schema.String,
    since: Schema.Finite,
    /** The claim that the run's process answers while the run lasts; earlier versions, and folders without sockets, have none. */
    claim: Schema.optionalKey(Schema.String)
  })
)
type Entry = typeof Entry.Type
const readEntry = Schema.decodeUnknownOption(Entry)
const writeEntry = Schema.encodeEffect(Entry)

/** Longer than the life of any temporary copy, with all its pauses. */
const longestLife = 5 * 60 * 1000

/**
 * The folder of records of temporary copies, beside the journal of plans; undefined if none can outlive this process, or nothing
 * can be stored. The folder and the fields of its files must not be renamed: files of earlier versions are found by them.
 */
const temporaryCopyFolder = ({ config, embedded, plans, readOnly }: Launch) => {
  if (embedded !== undefined || readOnly) return undefined
  const folder = persistentFolder(config)
  return folder && path.resolve(folder, path.dirname(plans?.journal ?? ""), ".workflow-runs")
}

/** Keeps a file in a folder for each temporary copy, for as long as the copy may exist. */
const temporaryCopyFiles = (folder: string): (typeof TemporaryCopyJournal)["Service"] => ({
  during: ({ instance, name }, life) =>
    Effect.gen(function* () {
      const since = yield* Clock.currentTimeMillis
      const file = path.join(folder, `${since}-${crypto.randomUUID()}.json`)
      const claim = yield* Effect.option(onDisk(claimFor(folder)))
      const made = Option.match(claim, { onNone: () => ({}), onSome: ({ entry }) => ({ claim: entry }) })
      yield* written(file, { instance, name, since, ...made })
      const { isGone, outcome } = yield* life
      if (isGone) yield* removed(file)
      return yield* outcome
    }).pipe(Effect.scoped)
})

const onDisk = Effect.provide(NodeFileSystem.layer)

const written = (file: string, entry: Entry) =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    yield* refuseLink(path.dirname(file))
    yield* fileSystem.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
    yield* fileSystem.writeFileString(file, yield* writeEntry(entry), { flag: "wx", mode: 0o600 })
  }).pipe(
    Effect.catch(({ message }) =>
      Effect.logWarning(`${file}: ${message}. A run that is killed leaves its copy for an hour`)
    ),
    onDisk
  )

const removed = (file: string) =>
  onDisk(Effect.ignore(FileSystem.FileSystem.use((fileSystem) => fileSystem.remove(file, { force: true }))))

/** Deletes the copies that former processes have left on their instances; those that cannot be deleted stay recorded. */
export const eraseNoted = (folder: string) =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    yield* refuseLink(folder)
    if (!(yield* fileSystem.exists(folder))) return
    const { stateOf } = yield* claimFor(folder)
    const files = (yield* fileSystem.readDirectory(folder)).filter((name) => sinceIn(name) !== undefined)
    yield* Effect.forEach(files, (name) => problemLogged(eraseEntry(path.join(folder, name), stateOf)), {
      concurrency: "unbounded"
    })
  }).pipe(problemLogged, Effect.scoped, onDisk)

const problemLogged = Effect.catch(({ message }: { readonly message: string }) =>
  Effect.logWarning(`Copies of killed runs may be left: ${message}`)
)

const eraseEntry = Effect.fnUntraced(function* (file: string, stateOf: ProcessClaim["stateOf"]) {
  const text = yield* textOf(file)
  const entry = Option.getOrUndefined(readEntry(text))
  if (entry === undefined && !isTorn(text)) return
  const since = entry?.since ?? sinceIn(path.basename(file)) ?? 0
  const state = entry?.claim === undefined ? "unknown" : yield* stateOf(entry.claim)
  if (state === "alive") return
  // Whoever cannot be asked may still be at work, on this machine or on another one that shares the folder.
  if (state === "unknown") yield* Effect.sleep(Math.max(0, since + longestLife - (yield* Clock.currentTimeMillis)))
  // A process killed while writing its entry had created nothing yet.
  const erased = yield* Effect.result(entry === undefined ? Effect.void : eraseLeft(entry))
  if (Result.isSuccess(erased)) yield* removed(file)
  else yield* Effect.logWarning(`${entry?.name} may be left on ${entry?.instance}: ${erased.failure.message}`)
})

/** When a file of ours was made; undefined if its name is not one of ours. */
const sinceIn = (name: string): number | undefined => {
  const [, since] = /^(\d{1,16})-[\w-]+\.json$/.exec(name) ?? []
  return since === undefined ? undefined : Number(since)
}

/** Characters of an entry, and more. */
const longest = 10_000

const textOf = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  yield* refuseLink(file)
  const { size, type } = yield* fileSystem.stat(file)
  if (type === "File" && size <= longest) return yield* fileSystem.readFileString(file)
  return yield* new FileError({ message: `${file} is no record of a run: remove it` })
})

const begin = `{"instance":`

/** Whether a text that is no entry is the beginning of one. */
const isTorn = (text: string): boolean => begin.startsWith(text.slice(0, begin.length))

/**
 * The services of the tools, with the folders kept for them. Meanwhile, temporary copies left by killed processes are deleted.
 */
export const withFolders = Effect.fnUntraced(function* <R>(launch: Launch, context: Context.Context<R | Instances>) {
  const folder = temporaryCopyFolder(launch)
  if (folder !== undefined) yield* Effect.forkScoped(Effect.provideContext(eraseNoted(folder), context))
  const noting = folder === undefined ? context : Context.add(context, TemporaryCopyJournal, temporaryCopyFiles(folder))
  const tests = testFolder(launch)
  return tests === undefined ? noting : Context.add(noting, TestFolder, testFiles(tests, launch))
})
