import { Effect } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { type Since, UnknownVersion, type Versions } from "../../client/History.ts"
import { recordAt } from "../layout.ts"
import { backupLine, driftIn, versionIn } from "../message.ts"
import { folderOf, idAt } from "../paths.ts"
import { GitError } from "./Git.ts"
import type { Files, Repository } from "./Repository.ts"

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
  const commits = yield* after === undefined ? reading : known(repository, after, reading)
  const shown = commits.slice(0, limit)
  return {
    data: shown.flatMap((commit) => versionIn(commit, folder, id) ?? []),
    next: commits.length > limit ? shown.at(-1)?.hash : undefined
  }
})

/** The workflow in a commit, or in the one before it; undefined if it did not exist. */
export const readVersion = Effect.fnUntraced(function* (
  repository: Repository,
  instance: string,
  id: string,
  version: string
): Effect.fn.Return<JsonObject | undefined, GitError | UnknownVersion> {
  const names = yield* known(repository, version.replace(/\^$/, ""), repository.files(version, folderOf(instance)))
  const paths = [...names.keys()].filter((path) => idAt(path) === id)
  const main = paths.find((path) => path.endsWith(".json") && path.split("/").length === 2)
  if (main === undefined) return undefined
  const record = recordAt(main.slice(0, -".json".length), yield* repository.read(version, paths, names))
  if (record !== undefined) return record
  return yield* new GitError({ message: `${main} of commit ${version} is not what was recorded` })
})

/** Every recorded workflow of an instance, by id. */
export const readAll = Effect.fnUntraced(function* (repository: Repository, instance: string) {
  const { hash } = yield* repository.tip
  if (hash === undefined) return new Map<string, JsonObject>()
  return yield* recordsIn(repository, hash, yield* repository.files(hash, folderOf(instance)))
})

/** The same as of a commit. */
export const readAllAt = Effect.fnUntraced(function* (repository: Repository, instance: string, version: string) {
  const names = yield* known(repository, version, repository.files(version, folderOf(instance)))
  return yield* recordsIn(repository, version, names)
})

const recordsIn = Effect.fnUntraced(function* (repository: Repository, hash: string, names: Files) {
  const all = new Map<string, JsonObject>()
  const paths = [...names.keys()].filter((path) => idAt(path) !== undefined)
  const files = yield* repository.read(hash, paths, names)
  for (const path of paths) {
    const id = idAt(path)
    const isMain = path.endsWith(".json") && path.split("/").length === 2
    const record = isMain ? recordAt(path.slice(0, -".json".length), files) : undefined
    if (id !== undefined && record !== undefined) all.set(id, record)
  }
  return all
})

/** When workflows were recorded last, by `keyOf`, in milliseconds. */
export const lastRecorded = Effect.fnUntraced(function* (repository: Repository, keys: ReadonlyArray<string>) {
  const found = yield* Effect.forEach(
    keys,
    Effect.fnUntraced(function* (key) {
      const [folder = "", id = ""] = key.split("/")
      const commits = yield* repository.log(`.${id}.json: `, { limit: mostOfOne })
      const last = commits.flatMap((commit) => versionIn(commit, folder, id) ?? [])[0]
      return last === undefined ? [] : [[key, Date.parse(last.when)] as const]
    })
  )
  return new Map(found.flat())
})

/** Commits searched for one workflow; several instances may have one with its id. */
const mostOfOne = 10

/** Commits searched. */
const mostCommits = 10_000

/** What was recorded of an instance since its last backup. */
export const sinceBackup = Effect.fnUntraced(function* (
  repository: Repository,
  instance: string
): Effect.fn.Return<Since, GitError> {
  const folder = folderOf(instance)
  const { hash } = yield* repository.tip
  if (hash === undefined) return { when: undefined, changes: [] }
  const line = backupLine(folder)
  const last = (yield* repository.log(line, { limit: 100 })).find(({ message }) => message.split("\n").includes(line))
  const commits = yield* repository.log(`${folder}/`, { limit: mostCommits, since: last?.hash })
  return { when: last?.when, changes: commits.flatMap((commit) => driftIn(commit, folder)) }
})

/** Fails with `UnknownVersion` if a reading fails because there is no such commit. */
const known = <A>(repository: Repository, version: string, reading: Effect.Effect<A, GitError>) =>
  isHash(version)
    ? Effect.catch(reading, (error) =>
        Effect.flatMap(repository.has(version), (isThere) =>
          Effect.fail(isThere ? error : new UnknownVersion({ version }))
        )
      )
    : Effect.fail(new UnknownVersion({ version }))

const isHash = (text: string) => /^[0-9a-f]{7,64}$/.test(text)
