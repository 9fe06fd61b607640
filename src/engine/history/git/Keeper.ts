import { Clock, Effect, Schedule } from "effect"

import type { Authors } from "../../client/History.ts"
import { commitsOf, type Known, type Ledger } from "../commits.ts"
import { type Happening, idsIn } from "../Happening.ts"
import { notYetRecorded, standing } from "../late.ts"
import { recordAt } from "../layout.ts"
import { fileOf } from "../lists.ts"
import { idAt, keyAt, keyOf } from "../paths.ts"
import { strangersIn, versionKey } from "../strangers.ts"
import { type NewCommit, somebody } from "./fastImport.ts"
import type { GitError } from "./Git.ts"
import type { Files, Repository } from "./Repository.ts"

/** Where the workflows of a commit lie, by `keyOf`. */
type Places = ReadonlyMap<string, Omit<Known, "record">>

/** What a commit holds, and where; of files that were written since they were listed, no name of the content is known. */
interface At {
  readonly tip: string
  readonly known: Places
  readonly files: Files
}

/**
 * Records what happened, as commits on top of what is there. Where another process on the same repository is faster, it
 * begins again on top of that. The work tree follows; where it cannot, that is told and the history goes on.
 */
export const make = (repository: Repository, authorsOf: AuthorsOf) => {
  let held: At | undefined
  /** The commit that the work tree shows, as far as it is known to be another one than the newest. */
  let behind: string | undefined
  let isFirst = true

  const placesAt = Effect.fnUntraced(function* (tip: string) {
    if (held?.tip === tip) return held
    const files = yield* repository.files(tip)
    held = { tip, known: placesOf([...files.keys()]), files }
    return held
  })

  const listedAnew = Effect.fnUntraced(function* (tip: string) {
    const files = yield* repository.files(tip)
    if (held?.tip === tip) held = { ...held, files }
    return files
  })

  /** What the repository holds of all that something happened to. */
  const ledgerAt = Effect.fnUntraced(function* (
    happenings: ReadonlyArray<Happening>,
    { files: names, known, tip }: At
  ) {
    const keys = happenings.flatMap((happening) => idsIn(happening).map((id) => keyOf(happening.instance, id)))
    const wanted = [...new Set(keys)].flatMap((key) => {
      const place = known.get(key)
      return place === undefined ? [] : [[key, place] as const]
    })
    const lists = happenings.flatMap((happening) => (happening._tag === "Listed" ? [fileOf(happening)] : []))
    const paths = [...wanted.flatMap(([, place]) => place.paths), ...new Set(lists)]
    const isUnknown = paths.filter((path) => !names.has(path)).length > mostUnknown
    const files = yield* repository.read(tip, paths, isUnknown ? yield* listedAnew(tip) : names)
    return {
      // What a person has broken by hand is written anew.
      workflows: new Map(
        wanted.map(([key, place]) => [key, { ...place, record: recordAt(place.base, files) ?? {} }] as const)
      ),
      lists: new Map([...files].filter(([file]) => lists.includes(file)))
    }
  })

  /** The names that engines have told, until what they made is recorded. */
  const authors = new Map<string, string>()

  const askAuthors = (happenings: ReadonlyArray<Happening>, { workflows }: Pick<Ledger, "workflows">) =>
    Effect.forEach(
      strangersIn(happenings, workflows)
        .filter(({ id, instance, version }) => !authors.has(versionKey(instance, id, version)))
        .slice(0, mostAsked),
      Effect.fnUntraced(function* ({ id, instance, since, version }) {
        const names = yield* authorsOf(instance, id, since, version)
        authors.set(versionKey(instance, id, version), names ?? somebody)
      }),
      { concurrency: askedAtOnce, discard: true }
    ).pipe(Effect.timeoutOption(patience))

  const recorded = Effect.fnUntraced(function* ({ items, left }: Given) {
    const { hash = "", isCheckedOut } = yield* repository.tip
    const at = yield* placesAt(hash)
    const ledger: Ledger = { ...(yield* ledgerAt([...left, ...items], at)), authors }
    const known = new Map(ledger.workflows)
    const commits: Array<NewCommit> = []
    if (left.length > 0) {
      const late = notYetRecorded(left, yield* repository.log("At: ", { limit: mostLookedUp }), known)
      const now = yield* Clock.currentTimeMillis
      commits.push(...[...late, ...standing(late, known, now)].flatMap((happening) => commitsOf(happening, ledger)))
    }
    yield* askAuthors(items, ledger)
    commits.push(...items.flatMap((happening) => commitsOf(happening, ledger)))
    const before = [...known.keys()]
    if (commits.length === 0) return { from: hash, to: hash, isCheckedOut }
    const to = yield* repository.commit(hash, commits)
    const places = new Map(at.known)
    for (const key of before) places.delete(key)
    for (const [key, { base, paths }] of ledger.workflows) places.set(key, { base, paths })
    const files = new Map(at.files)
    for (const path of commits.flatMap(({ remove, write }) => [...remove, ...write.keys()])) files.delete(path)
    held = { tip: to, known: places, files }
    return { from: hash, to, isCheckedOut }
  })

  /** Brings the work tree from one commit to another. */
  const follow = Effect.fnUntraced(function* (from: string, to: string) {
    if (from === to) return
    behind = from
    yield* Effect.catch(repository.show(from, to), (error) =>
      Effect.flatMap(repository.shown, (at) =>
        at === undefined || at === from ? Effect.fail(error) : repository.show(at, to)
      )
    )
    behind = undefined
  })

  /** Records it all, or nothing; `lag` is why the work tree does not show it. */
  const record = Effect.fnUntraced(function* (given: Given) {
    const { from, isCheckedOut, to } = yield* Effect.retry(recorded(given), {
      while: isRace,
      schedule: Schedule.spaced("50 millis"),
      times: 10
    })
    authors.clear()
    if (!isCheckedOut) return { lag: undefined }
    // A process may have been killed between its commit and this.
    if (isFirst) behind = yield* Effect.orElseSucceed(repository.shown, () => undefined)
    isFirst = false
    const lag = yield* Effect.match(follow(behind ?? from, to), {
      onSuccess: () => undefined,
      onFailure: (error) => error
    })
    return { lag }
  })

  const knows = (instance: string, id: string) => held?.known.has(keyOf(instance, id)) ?? false
  return { knows, record }
}

/** What is to be recorded, and before it what processes that have ended have left. */
export interface Given {
  readonly left: ReadonlyArray<Happening>
  readonly items: ReadonlyArray<Happening>
}

/** Who made the versions of a workflow of an instance since one that is recorded. */
export type AuthorsOf = (instance: string, ...version: Parameters<Authors>) => ReturnType<Authors>

/** Versions whose makers are asked for at once, and how many of them side by side: engines have other things to do. */
const mostAsked = 500
const askedAtOnce = 8

/** How long a commit waits for that. */
const patience = "8 seconds"

/** Commits that are looked through for what was left by a process that may have recorded it in its last moment. */
const mostLookedUp = 20_000

/** Files that git may look for by their path: in large folders that takes it long. */
const mostUnknown = 50

/** Another process was faster, or is at it right now. */
const isRace = ({ message }: GitError) => /Not updating|cannot lock ref|refs\/.*\.lock/.test(message)

const placesOf = (paths: ReadonlyArray<string>): Places => {
  const known = new Map<string, Omit<Known, "record">>()
  for (const path of paths) {
    const id = idAt(path)
    const [folder = "", , ...deeper] = path.split("/")
    if (id === undefined) continue
    const { base = "", paths = [] } = known.get(keyAt(folder, id)) ?? {}
    const isMain = deeper.length === 0 && path.endsWith(".json")
    known.set(keyAt(folder, id), { base: isMain ? path.slice(0, -".json".length) : base, paths: [...paths, path] })
  }
  return known
}
