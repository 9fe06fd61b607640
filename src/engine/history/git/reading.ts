import { Array as Arrays, Effect } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { clipped, oneLine } from "../../../internal/foreignText.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { mapSliced, type Sliced } from "../../../internal/Sliced.ts"
import { ForeignVersion, type KeptList, type Version, UnknownVersion, type Versions } from "../../client/History.ts"
import { idPattern } from "../../workflow/models.ts"
import { describe } from "../describe.ts"
import { recordAt, weightAt } from "../layout.ts"
import { itemsIn } from "../lists.ts"
import { type Commit, deleted, linesIn, versionIn } from "../message.ts"
import { folderOf, idAt, listFile } from "../paths.ts"
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
  if (hash === undefined) return { data: [], byPeople: [], next: undefined }
  const reading = repository.log(`.${id}.json: `, { limit: limit + 1, after })
  const commits = yield* after === undefined ? reading : unlessUnknown(repository, after, reading)
  const page = commits.slice(0, limit)
  const next = commits.length > limit ? page.at(-1)?.hash : undefined
  const people = yield* repository.byPeople({ limit: mostByPeople, from: after, since: next })
  const isOfIt = (path: string) => path.startsWith(`${folder}/`) && idAt(path) === id
  const theirs = people.filter(({ paths }) => paths.some(isOfIt)).slice(0, limit)
  return {
    data: page.flatMap((commit) => versionIn(commit, folder, id) ?? []),
    byPeople: yield* Effect.forEach(theirs, (commit) => versionByHand(repository, instance, id, commit)),
    next
  }
})

/** Commits of people that are looked through. */
const mostByPeople = 1000

/** The version that a commit of a person stands for, which changes the history alone, and not what the engine has. */
const versionByHand = Effect.fnUntraced(function* (
  repository: Repository,
  instance: string,
  id: string,
  { author, hash, message, when }: Commit
) {
  const at = (version: string) => Effect.orElseSucceed(readVersion(repository, instance, id, version), () => undefined)
  const [before, after] = [yield* at(`${hash}^`), yield* at(hash)]
  const words = after === undefined ? deleted : before === undefined ? "added" : describe(before, after)
  return {
    version: hash.slice(0, 12),
    when: new Date(when).toISOString(),
    by: author,
    tool: undefined,
    reason: undefined,
    call: undefined,
    change: `in the history alone, "${clipped(oneLine(message.split("\n", 1)[0] ?? ""), longestSubject)}": ${words}`,
    engineVersion: undefined,
    isDeletion: after === undefined
  } satisfies Version
})

/** Characters of the subject of a person's commit. */
const longestSubject = 80

/** The workflow in a commit, or in the one before it; undefined if it did not exist. */
export const readVersion = Effect.fnUntraced(function* (
  repository: Repository,
  instance: string,
  id: string,
  version: string
): Effect.fn.Return<JsonObject | undefined, GitError | ForeignVersion | UnknownVersion> {
  const folder = folderOf(instance)
  const names = yield* unlessUnknown(repository, version.replace(/\^$/, ""), repository.files(version, folder))
  const paths = pathsOf(names, id)
  if (paths.length === 0) return undefined
  yield* failIfForeign(yield* repository.changes(version, paths, 1), { version, instance, ids: [id] })
  return yield* recordOf(repository, version, paths, names)
})

export const pathsOf = (names: Files, id: string) => {
  const paths = [...names.keys()].filter((path) => idAt(path) === id)
  return paths.some(isMain) ? paths : []
}

export const recordOf = Effect.fnUntraced(function* (
  repository: Repository,
  version: string,
  paths: ReadonlyArray<string>,
  names: Files
) {
  const main = paths.find(isMain) ?? ""
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

/** A list of an instance as of a commit; empty where none was kept. */
export const readListAt = (
  repository: Repository,
  instance: string,
  version: string,
  { list, table }: KeptList
): Effect.Effect<ReadonlyArray<JsonObject>, GitError | UnknownVersion> => {
  const file = listFile(instance, list, table)
  // A person may have written something else into the list of tables.
  if (table !== undefined && !idPattern.test(table.id)) return Effect.succeed([])
  const reading = repository.read(version, [file])
  return Effect.map(unlessUnknown(repository, version, reading), (files) => itemsIn(file, files.get(file) ?? ""))
}

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
export const isMain = (path: string) => path.endsWith(".json") && path.split("/").length === 2

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

/** Fails with `UnknownVersion` if a reading fails because there is no such commit. */
export const unlessUnknown = <A>(repository: Repository, version: string, reading: Effect.Effect<A, GitError>) =>
  isHash(version)
    ? Effect.catch(reading, (error) =>
        Effect.flatMap(repository.has(version), (isThere) =>
          Effect.fail(isThere ? error : new UnknownVersion({ version }))
        )
      )
    : Effect.fail(new UnknownVersion({ version }))

const isHash = (text: string) => /^[0-9a-f]{7,64}$/.test(text)
