import { Effect, Predicate } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { mapSliced } from "../../../internal/Sliced.ts"
import type { Drift, RecordedChanges, ChangesSinceBackup, UnknownVersion } from "../../client/History.ts"
import { backupLine, type Commit, deleted, driftIn, linesIn, momentIn, versionIn } from "../message.ts"
import { folderOf, idAt, slug } from "../paths.ts"
import type { GitError } from "./Git.ts"
import { isMain, pathsOf, readVersion, recordOf, unlessUnknown } from "./reading.ts"
import { type Repository, weightOfPath } from "./Repository.ts"

/** Commits searched. */
const mostCommits = 10_000

/** The changes of an instance that were recorded since its last backup. */
export const sinceBackup = Effect.fnUntraced(function* (
  repository: Repository,
  instance: string
): Effect.fn.Return<ChangesSinceBackup, GitError> {
  const folder = folderOf(instance)
  const { hash } = yield* repository.tip
  if (hash === undefined) return { when: undefined, version: undefined, changes: [] }
  const last = yield* lastBackup(repository, folder)
  const commits = yield* repository.log(`${folder}/`, { limit: mostCommits, since: last?.hash })
  return { when: last?.when, version: hash.slice(0, 12), changes: yield* driftsIn(commits, folder) }
})

/** The last commit that ends a backup of this folder, up to a version. */
const lastBackup = Effect.fnUntraced(function* (repository: Repository, folder: string, version?: string) {
  const line = backupLine(folder)
  const commits = yield* repository.log(line, { limit: 100, from: version })
  return commits.find(({ message }) => message.split("\n").includes(line))
})

/** Whether the workflows of an instance, or that it had none, had been recorded by a version. */
export const isRecordedAt = Effect.fnUntraced(function* (repository: Repository, instance: string, version: string) {
  const folder = folderOf(instance)
  const changes = yield* unlessUnknown(repository, version, repository.changes(version, [`${folder}/`]))
  const isOfWorkflow = changes.some(({ paths }) => paths.some((path) => idAt(path) !== undefined))
  return isOfWorkflow || (yield* lastBackup(repository, folder, version)) !== undefined
})

const driftsIn = (commits: ReadonlyArray<Commit>, folder: string) =>
  Effect.map(
    inSlices(() => mapSliced(commits, (commit) => driftIn(commit, folder), weightOfCommit)),
    (drifts) => drifts.flat()
  )

/** Milliseconds by which a change may seem to be recorded before the engine has saved it: clocks differ. */
const clocksDiffer = 24 * 3_600_000

/** The changes of an instance that were made since a moment, newest first, as they are recorded in a commit. */
export const changesOf = Effect.fnUntraced(function* (
  repository: Repository,
  instance: string,
  { since = 0, version }: { readonly since?: number | undefined; readonly version?: string | undefined }
): Effect.fn.Return<RecordedChanges, GitError | UnknownVersion> {
  const folder = folderOf(instance)
  const hash = version ?? (yield* repository.tip).hash
  if (hash === undefined) return { version: undefined, changes: [] }
  const committedSince = since - clocksDiffer
  const reading = repository.log(`${folder}/`, { limit: mostCommits, from: hash, committedSince })
  const commits = yield* version === undefined ? reading : unlessUnknown(repository, version, reading)
  const millis = ({ when }: Drift) => Date.parse(when)
  const changes = (yield* driftsIn(commits, folder)).filter((drift) => millis(drift) >= since)
  return { version: hash.slice(0, 12), changes: changes.toSorted((a, b) => millis(b) - millis(a)) }
})

/** The ids of the recorded workflows of an instance. */
export const recordedIds = Effect.fnUntraced(function* (repository: Repository, instance: string) {
  const { hash } = yield* repository.tip
  if (hash === undefined) return []
  const paths = [...(yield* repository.files(hash, folderOf(instance))).keys()].filter(isMain)
  const ids = yield* inSlices(() => mapSliced(paths, idAt, () => weightOfPath))
  return ids.filter(Predicate.isNotUndefined)
})

/** Characters of a message that are as much work as a node. */
const weightOfCommit = ({ message }: Commit) => 1 + message.length / 1000

/** Commits searched for one workflow; several instances may have one with its id. */
const mostOfOne = 10

/** The times at which workflows were as they were recorded last, by `keyOf`, in milliseconds: what is asked for later shows nothing older. */
export const lastRecorded = Effect.fnUntraced(function* (repository: Repository, keys: ReadonlyArray<string>) {
  const moments = yield* Effect.forEach(
    keys,
    Effect.fnUntraced(function* (key) {
      const [folder = "", id = ""] = key.split("/")
      const commits = yield* repository.log(`.${id}.json: `, { limit: mostOfOne })
      const last = commits.find((commit) => versionIn(commit, folder, id) !== undefined)
      return last === undefined ? [] : [[key, Date.parse(momentIn(last.message) ?? last.when)] as const]
    })
  )
  return new Map(moments.flat())
})

/**
 * Workflows that a person's commit has changed in the history since we recorded them, as we recorded them before: by `keyOf`,
 * undefined if never. What the engine shows is to be compared with that.
 */
export const recordedBeforePeople = Effect.fnUntraced(function* (
  repository: Repository,
  commits: ReadonlyMap<string, string>
) {
  const records = yield* Effect.forEach(
    commits,
    Effect.fnUntraced(function* ([key, hash]) {
      const [folder = "", id = ""] = key.split("/")
      const isOfIt = (commit: Commit) =>
        linesIn(commit.message).some((line) => line.folder === folder && line.id === id)
      const since = yield* repository.log(`.${id}.json: `, { limit: mostOfOne, since: hash })
      if (since.some(isOfIt)) return []
      const before = yield* repository.log(`.${id}.json: `, { limit: mostOfOne, from: hash })
      const last = before.find(isOfIt)
      return [
        [key, last === undefined ? undefined : yield* recordIn(repository, { folder, id, version: last.hash })] as const
      ]
    })
  )
  return new Map(records.flat())
})

/** A workflow as it is recorded in a version; undefined if it is not. */
export const recordIn = Effect.fnUntraced(function* (
  repository: Repository,
  { folder, id, version }: { readonly folder: string; readonly id: string; readonly version: string }
) {
  const names = yield* repository.files(version, folder)
  const paths = pathsOf(names, id)
  return paths.length === 0 ? undefined : yield* recordOf(repository, version, paths, names)
})

/** The ids of workflows that have a name in the newest commit, or had it when they were deleted; the latest first. */
export const idsNamed = Effect.fnUntraced(function* (repository: Repository, instance: string, name: string) {
  const folder = folderOf(instance)
  const { hash } = yield* repository.tip
  if (hash === undefined) return []
  const beginning = `${folder}/${slug(name)}.`
  const present = [...(yield* repository.files(hash, folder)).keys()].filter((path) => path.startsWith(beginning))
  const commits = yield* repository.log(beginning, { limit: mostOfName })
  const deletions = commits.flatMap(({ hash: commit, message }) =>
    linesIn(message)
      .filter((line) => line.folder === folder && line.name === slug(name) && line.change === deleted)
      .map(({ id }) => [id, `${commit}^`] as const)
  )
  const candidates = [
    ...present.flatMap((path) => (isMain(path) ? [[idAt(path) ?? "", hash] as const] : [])),
    ...deletions
  ]
  // Several names have one slug.
  const named = yield* Effect.filter(candidates, ([id, version]) =>
    Effect.map(readVersion(repository, instance, id, version), (record) => record?.name === name)
  )
  return [...new Set(named.map(([id]) => id))]
})

/** Commits that are searched for a name. */
const mostOfName = 100
