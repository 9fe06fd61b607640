import { Clock, Effect } from "effect"

import type { Authors } from "../../client/History.ts"
import { commitsOf, type Known, type Ledger } from "../commits.ts"
import { externalVersionsIn, versionKey } from "../externalVersions.ts"
import { gathered, type HistoryEvent, idsIn } from "../HistoryEvent.ts"
import { notRecorded, overtaken, recordedAgain } from "../lateEvents.ts"
import { recordAt } from "../layout.ts"
import { fileOf } from "../lists.ts"
import { versionIn } from "../message.ts"
import { idAt, keyAt, keyOf } from "../paths.ts"
import { somebody } from "./fastImport.ts"
import type { Files, Repository } from "./Repository.ts"
import { retryRaces } from "./retryRaces.ts"

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
  /** The commit that the work tree shows, as far as that is known: processes may be killed before they bring it forward. */
  let shownLast: string | undefined
  let untidied = 0

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
  const ledgerAt = Effect.fnUntraced(function* (events: ReadonlyArray<HistoryEvent>, { files: names, known, tip }: At) {
    const keys = events.flatMap((event) => idsIn(event).map((id) => keyOf(event.instance, id)))
    const wanted = [...new Set(keys)].flatMap((key) => {
      const place = known.get(key)
      return place === undefined ? [] : [[key, place] as const]
    })
    const lists = events.flatMap((event) => (event._tag === "Listed" ? [fileOf(event)] : []))
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

  const askAuthors = (events: ReadonlyArray<HistoryEvent>, { workflows }: Pick<Ledger, "workflows">) =>
    Effect.forEach(
      externalVersionsIn(events, workflows)
        .filter(({ id, instance, version }) => !authors.has(versionKey(instance, id, version)))
        .slice(0, mostAsked),
      Effect.fnUntraced(function* ({ id, instance, since, version }) {
        const names = yield* authorsOf(instance, id, since, version)
        authors.set(versionKey(instance, id, version), names ?? somebody)
      }),
      { concurrency: askedAtOnce, discard: true }
    ).pipe(Effect.timeoutOption(authorsTimeout))

  /** When these workflows were recorded last. */
  const momentsOf = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
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

  const recorded = Effect.fnUntraced(function* ({ items, left }: Given) {
    const { hash = "", isCheckedOut } = yield* repository.tip
    const at = yield* placesAt(hash)
    const given = yield* ledgerAt([...left, ...items], at)
    const late = left.length === 0 ? [] : notRecorded(left, yield* repository.log("At: ", { limit: mostLookedUp }))
    const all = gathered([...late, ...items])
    yield* askAuthors(all, given)
    const recordedAt = yield* momentsOf(overtaken(all, given.workflows))
    const known = { workflows: new Map(given.workflows), recordedAt }
    const ledger: Ledger = { ...given, authors, recordedAt }
    const now = yield* Clock.currentTimeMillis
    const commits = [...all, ...recordedAgain(all, known, now)].flatMap((event) => commitsOf(event, ledger))
    const before = [...known.workflows.keys()]
    if (commits.length === 0) return { from: hash, isCheckedOut }
    const to = yield* repository.commit(hash, commits)
    untidied += commits.length
    const places = new Map(at.known)
    for (const key of before) places.delete(key)
    for (const [key, { base, paths }] of ledger.workflows) places.set(key, { base, paths })
    const files = new Map(at.files)
    for (const path of commits.flatMap(({ remove, write }) => [...remove, ...write.keys()])) files.delete(path)
    held = { tip: to, known: places, files }
    return { from: hash, isCheckedOut }
  })

  /** Brings the work tree from what it shows to the newest commit. Another process may be at the same. */
  const follow = Effect.fnUntraced(function* (from: string) {
    const at = shownLast === from ? from : ((yield* repository.shown) ?? shownLast ?? from)
    shownLast = at
    const { hash = at } = yield* repository.tip
    if (at !== hash) yield* repository.show(at, hash)
    shownLast = hash
  })

  /** Records it all, or nothing; `lag` is why the work tree does not show it. */
  const record = Effect.fnUntraced(function* (given: Given) {
    const { from, isCheckedOut } = yield* retryRaces(recorded(given))
    authors.clear()
    if (untidied >= tidiedEvery) {
      untidied = 0
      yield* repository.tidy
    }
    if (!isCheckedOut) {
      shownLast = undefined
      return { lag: undefined }
    }
    const lag = yield* Effect.match(retryRaces(follow(from)), {
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
  readonly left: ReadonlyArray<HistoryEvent>
  readonly items: ReadonlyArray<HistoryEvent>
}

/** Who made the versions of a workflow of an instance since one that is recorded. */
export type AuthorsOf = (instance: string, ...version: Parameters<Authors>) => ReturnType<Authors>

/** Commits after which git is asked to look whether they should be packed. */
const tidiedEvery = 500

/** Versions whose makers are asked for at once, and how many of them side by side: engines have other things to do. */
const mostAsked = 500
const askedAtOnce = 8

/** How long a commit waits for their names. */
const authorsTimeout = "8 seconds"

/** Commits that are looked through for what was left by a process that may have recorded it in its last moment. */
const mostLookedUp = 20_000

/** Commits that are looked through for one workflow; several instances may have one of its id. */
const mostOfOne = 10

/** Files that git may look for by their path: in large folders that takes it long. */
const mostUnknown = 50

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
