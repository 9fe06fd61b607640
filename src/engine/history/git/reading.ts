import { Array as Arrays, Effect, Predicate } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { mapSliced, type Sliced } from "../../../internal/Sliced.ts"
import {
  type Drift,
  ForeignVersion,
  type RecordedChanges,
  type Since,
  UnknownVersion,
  type Versions
} from "../../client/History.ts"
import { recordAt, weightAt } from "../layout.ts"
import { backupLine, type Commit, deleted, driftIn, linesIn, momentIn, versionIn } from "../message.ts"
import { folderOf, idAt, slug } from "../paths.ts"
import { ourAddress } from "./fastImport.ts"
import { GitError } from "./Git.ts"
import { type Files, type Repository, weightOfPath } from "./Repository.ts"

/** The versions of a workflow in the commits, newest first. */
export const versionsOf = Effect.fnUntraced(function* (
  repository: Repository,
  instance: string,
  id: string,
  { after, limit }: { readonly limit: number; readonly after?: string | undefined }
): Effect.fn.Return<Versions, GitError | UnknownVersion> {
  const folder = folderOf(instance)
  const { hash } = yield* repository.tip
  if (hash === undefined) return { data: [], next: undefined }
  const reading = repository.log(`.${id}.json: `, { limit: limit + 1, after })
  const commits = yield* after === undefined ? reading : unlessUnknown(repository, after, reading)
  const page = commits.slice(0, limit)
  return {
    data: page.flatMap((commit) => versionIn(commit, folder, id) ?? []),
    next: commits.length > limit ? page.at(-1)?.hash : undefined
  }
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

/** The workflow in a commit, or in the one before it; undefined if it did not exist. */
export const readVersion = Effect.fnUntraced(function* (
  repository: Repository,
  instance: string,
  id: string,
  version: string
): Effect.fn.Return<JsonObject | undefined, GitError | ForeignVersion | UnknownVersion> {
  const names = yield* unlessUnknown(
    repository,
    version.replace(/\^$/, ""),
    repository.files(version, folderOf(instance))
  )
  const paths = [...names.keys()].filter((path) => idAt(path) === id)
  const main = paths.find(isMain)
  if (main === undefined) return undefined
  yield* failIfForeign(yield* repository.changes(version, paths, 1), { version, instance, ids: [id] })
  const record = recordAt(main.slice(0, -".json".length), yield* repository.read(version, paths, names))
  if (record !== undefined) return record
  return yield* new GitError({ message: `${main} of commit ${version} is not what was recorded` })
})

/** The kept part of every recorded workflow of an instance, by id. */
export const readAll = Effect.fnUntraced(function* <A>(
  repository: Repository,
  instance: string,
  keep: (record: JsonObject) => A
) {
  const { hash } = yield* repository.tip
  if (hash === undefined) return new Map<string, A>()
  return yield* recordsIn(repository, hash, yield* repository.files(hash, folderOf(instance)), keep)
})

/** The same as of a commit; of some of them where ids are given. */
export const readAllAt = Effect.fnUntraced(function* <A>(
  repository: Repository,
  {
    ids,
    instance,
    version
  }: { readonly instance: string; readonly version: string; readonly ids: ReadonlySet<string> | undefined },
  keep: (record: JsonObject) => A
) {
  const names = yield* unlessUnknown(repository, version, repository.files(version, folderOf(instance)))
  const records = yield* recordsIn(repository, version, names, keep, ids)
  const changes = yield* repository.changes(version, [`${folderOf(instance)}/`])
  yield* failIfForeign(changes, { version, instance, ids: [...records.keys()] })
  return records
})

interface Wanted {
  readonly version: string
  readonly instance: string
  readonly ids: ReadonlyArray<string>
}

/**
 * A commit of ours names every workflow that it writes, so that one that another instance has brought into this one's folder
 * shows. The commits of people are their own matter.
 */
const failIfForeign = (changes: Changes, wanted: Wanted): Effect.Effect<void, ForeignVersion> =>
  Effect.flatMap(
    inSlices(() => foreignIn(changes, wanted)),
    (foreign) => (foreign === undefined ? Effect.void : Effect.fail(foreign))
  )

type Changes = Effect.Success<ReturnType<Repository["changes"]>>

function* foreignIn(changes: Changes, { ids, instance, version }: Wanted): Sliced<ForeignVersion | undefined> {
  const folder = folderOf(instance)
  const left = new Set(ids)
  for (const { committer, hash, message, paths } of changes) {
    yield paths.length * weightOfPath
    const written = paths.flatMap((path) => (path.startsWith(`${folder}/`) ? (idAt(path) ?? []) : []))
    const newest = [...new Set(written)].filter((id) => left.delete(id))
    const named = new Set(linesIn(message).flatMap((line) => (line.folder === folder ? [line.id] : [])))
    const foreign = newest.find((id) => committer === ourAddress && !named.has(id))
    if (foreign !== undefined) return new ForeignVersion({ version, instance, id: foreign, commit: hash.slice(0, 12) })
  }
  return undefined
}

/** Workflows that are read at a time. */
const pageSize = 100

const recordsIn = Effect.fnUntraced(function* <A>(
  repository: Repository,
  hash: string,
  names: Files,
  keep: (record: JsonObject) => A,
  ids?: ReadonlySet<string>
) {
  const all = yield* inSlices(() => pathsById([...names.keys()]))
  const paths = ids === undefined ? all : all.filter(([id]) => ids.has(id))
  const kept = new Map<string, A>()
  for (const page of Arrays.chunksOf(paths, pageSize)) {
    const files = yield* repository.read(
      hash,
      page.flatMap(([, workflowPaths]) => workflowPaths),
      names
    )
    const mainOf = (workflowPaths: ReadonlyArray<string>) => workflowPaths.find(isMain)?.slice(0, -".json".length) ?? ""
    yield* inSlices(() =>
      mapSliced(
        page,
        ([id, workflowPaths]) => {
          const record = recordAt(mainOf(workflowPaths), files)
          if (record !== undefined) kept.set(id, keep(record))
        },
        ([, workflowPaths]) => weightAt(mainOf(workflowPaths), files)
      )
    )
  }
  return kept
})

/** The file of a workflow itself, and not one of its texts. */
const isMain = (path: string) => path.endsWith(".json") && path.split("/").length === 2

function* pathsById(paths: ReadonlyArray<string>): Sliced<ReadonlyArray<readonly [string, ReadonlyArray<string>]>> {
  const byId = new Map<string, Array<string>>()
  for (const path of paths) {
    yield weightOfPath
    const id = idAt(path)
    if (id === undefined) continue
    const workflowPaths = byId.get(id) ?? []
    byId.set(id, workflowPaths)
    workflowPaths.push(path)
  }
  return [...byId]
}

/** When workflows were as they were recorded last, by `keyOf`, in milliseconds: what is asked for later shows nothing older. */
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

/** Commits searched for one workflow; several instances may have one with its id. */
const mostOfOne = 10

/** Commits searched. */
const mostCommits = 10_000

/** The changes of an instance that were recorded since its last backup. */
export const sinceBackup = Effect.fnUntraced(function* (
  repository: Repository,
  instance: string
): Effect.fn.Return<Since, GitError> {
  const folder = folderOf(instance)
  const { hash } = yield* repository.tip
  if (hash === undefined) return { when: undefined, version: undefined, changes: [] }
  const line = backupLine(folder)
  const last = (yield* repository.log(line, { limit: 100 })).find(({ message }) => message.split("\n").includes(line))
  const commits = yield* repository.log(`${folder}/`, { limit: mostCommits, since: last?.hash })
  return { when: last?.when, version: hash.slice(0, 12), changes: yield* driftsIn(commits, folder) }
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

/** Fails with `UnknownVersion` if a reading fails because there is no such commit. */
const unlessUnknown = <A>(repository: Repository, version: string, reading: Effect.Effect<A, GitError>) =>
  isHash(version)
    ? Effect.catch(reading, (error) =>
        Effect.flatMap(repository.has(version), (isThere) =>
          Effect.fail(isThere ? error : new UnknownVersion({ version }))
        )
      )
    : Effect.fail(new UnknownVersion({ version }))

const isHash = (text: string) => /^[0-9a-f]{7,64}$/.test(text)
