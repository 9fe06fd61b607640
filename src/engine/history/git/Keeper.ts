import { Clock, Effect, Struct } from "effect"

import { BoundedCache } from "../../../internal/caching.ts"
import { inSlices } from "../../../internal/effects.ts"
import type { Authors } from "../../client/History.ts"
import { commitsOf, type Ledger } from "../commits.ts"
import { externalVersionsIn, versionKey } from "../externalVersions.ts"
import { gathered, type HistoryEvent, idsIn, sinceOf, tipOf } from "../HistoryEvent.ts"
import { notRecorded, overtaken, recordedAgain } from "../lateEvents.ts"
import { linesIn } from "../message.ts"
import { folderOf, idAt, keyAt, keyOf } from "../paths.ts"
import { type NewCommit, somebody } from "./fastImport.ts"
import { retryRaces } from "./Git.ts"
import { lastRecorded, recordedBeforePeople, recordIn } from "./listing.ts"
import type { Repository } from "./Repository.ts"
import * as TipCache from "./TipCache.ts"

/**
 * Records events as commits on top of what is there. If another process on the same repository was faster, it starts over on
 * top of that. The work tree follows; if it cannot, that is reported and the history goes on.
 */
export const make = (repository: Repository, authorsOf: AuthorsOf) => {
  const tipCache = TipCache.make(repository)
  const authors = makeAuthorLookup(authorsOf)
  const workTree = makeWorkTree(repository)
  const people = makePeople(repository)
  const others = makeOthers(repository)
  let untidied = 0

  const recorded = Effect.fnUntraced(function* ({ items, left }: Given) {
    const { hash = "", isCheckedOut } = yield* repository.tip
    yield* others.observe(hash)
    const contents = yield* tipCache.recordedAt(hash, [...left, ...items])
    const late = left.length === 0 ? [] : notRecorded(left, yield* repository.log("At: ", { limit: mostLookedUp }))
    const all = gathered([...late, ...items])
    const names = yield* authors.find(all, contents.workflows)
    const keys = all.flatMap((event) => idsIn(event).map((id) => keyOf(event.instance, id)))
    const beforePeople = yield* people.before(hash, keys)
    const copied = others.unrecorded(keys)
    const isRecordedSince = yield* others.since(all, contents.workflows)
    const now = yield* Clock.currentTimeMillis
    const again = recordedAgain(all, { workflows: contents.workflows, isRecordedSince }, now)
    const workflows = new Map(contents.workflows)
    const ledger: Ledger = { ...contents, workflows, authors: names, isRecordedSince, beforePeople, copied }
    const events = yield* Effect.forEach(all, (event) => withStateBefore(repository, event, ledger))
    const commits = yield* inSlices(() => commitsOf([...events, ...again], ledger))
    if (commits.length === 0) return { from: hash, isCheckedOut }
    const tip = yield* repository.commit(hash, commits)
    people.advance(tip)
    others.advance(tip, commits)
    untidied += commits.length
    tipCache.advance(tip, commits, { before: contents.workflows, after: ledger.workflows })
    return { from: hash, isCheckedOut }
  })

  /** Records all of it, or nothing; `lag` is why the work tree does not show it. */
  const record = Effect.fnUntraced(function* (given: Given) {
    const { from, isCheckedOut } = yield* retryRaces(recorded(given))
    authors.forget()
    if (untidied >= tidiedEvery) {
      untidied = 0
      yield* repository.tidy
    }
    if (!isCheckedOut) {
      workTree.left()
      return { lag: undefined }
    }
    const lag = yield* Effect.match(retryRaces(workTree.follow(from)), {
      onSuccess: () => undefined,
      onFailure: (error) => error
    })
    return { lag }
  })

  return { knows: tipCache.knows, record, tip: others.tip }
}

/** The events to be recorded, and before them those that processes that have ended left behind. */
interface Given {
  readonly left: ReadonlyArray<HistoryEvent>
  readonly items: ReadonlyArray<HistoryEvent>
}

/**
 * A change that another process may have recorded first, with the values before it, from the newest commit that was known when it was
 * made: those that it touches, or the whole workflow if it deleted that and did not show it.
 */
const withStateBefore = Effect.fnUntraced(function* (
  repository: Repository,
  event: HistoryEvent,
  { isRecordedSince, workflows }: Ledger
) {
  const version = tipOf(event)
  if (event._tag !== "Wrote" || version === undefined) return event
  const { after, before, id, instance, touched } = event
  const key = keyOf(instance, id)
  const isDeletion = touched === undefined && before === undefined && after._tag === "Deleted" && !workflows.has(key)
  if ((touched === undefined && !isDeletion) || !isRecordedSince(event, key)) return event
  const record = yield* Effect.orElseSucceed(
    recordIn(repository, { folder: folderOf(instance), id, version }),
    () => undefined
  )
  if (record === undefined) return event
  return touched === undefined
    ? { ...event, before: record }
    : { ...event, touchedBefore: Struct.pick({ ...record }, touched) }
})

/** Commits after which git is asked to check whether to pack them. */
const tidiedEvery = 500

/** Commits searched for events left by a process that may have recorded them just before it ended. */
const mostLookedUp = 20_000

/** The work tree of the history, which follows the newest commit while its branch is checked out. */
const makeWorkTree = (repository: Repository) => {
  /** The commit that it shows, as far as it is known: processes may be killed before they update it. */
  let shownCommit: string | undefined

  return {
    /** Updates it to the newest commit. Another process may be doing the same. */
    follow: Effect.fnUntraced(function* (from: string) {
      const at = shownCommit === from ? from : ((yield* repository.shownCommit) ?? shownCommit ?? from)
      shownCommit = at
      const { hash = at } = yield* repository.tip
      if (at !== hash) yield* repository.show(at, hash)
      shownCommit = hash
    }),
    /** Another branch was checked out. */
    left: () => {
      shownCommit = undefined
    }
  }
}

/** Workflows that people have changed in the history, past us: by committing files, or by merging. */
const makePeople = (repository: Repository) => {
  let seen: string | undefined
  /** Their newest commit, by `keyOf`. */
  const commits = new Map<string, string>()

  return {
    /** The records of these workflows before people changed them, where we have not recorded them since. */
    before: Effect.fnUntraced(function* (tip: string, keys: ReadonlyArray<string>) {
      if (tip !== seen) {
        const more = yield* repository.byPeople({ from: tip, since: seen, limit: mostByPeople })
        for (const { hash, paths } of more.toReversed()) {
          for (const path of paths) {
            const id = idAt(path)
            if (id !== undefined) commits.set(keyAt(path.split("/", 1)[0] ?? "", id), hash)
          }
        }
        seen = tip
      }
      const wanted = new Map(keys.flatMap((key) => [commits.get(key) ?? []].flat().map((hash) => [key, hash] as const)))
      const records = wanted.size === 0 ? new Map() : yield* recordedBeforePeople(repository, wanted)
      for (const key of wanted.keys()) if (!records.has(key)) commits.delete(key)
      return records
    }),
    /** The newest commit is one of ours. */
    advance: (tip: string) => {
      seen = tip
    }
  }
}

/** Commits of people that are looked through. */
const mostByPeople = 1000

/** The commits of other processes on this repository, and those from before it was copied. */
const makeOthers = (repository: Repository) => {
  let tip = repository.copiedAt === "" ? undefined : repository.copiedAt
  /** The number of times that others had committed something at a commit, of the latest ones. */
  const counts = new BoundedCache<number>(mostTips)
  let count = 0
  /** The count after which others have recorded a workflow last, and what was recorded since this copy was made; by `keyOf`. */
  const last = new Map<string, number>()
  const recorded = new Set<string>()

  const keysSince = (since: string, from?: string) =>
    Effect.map(repository.log(".json: ", { limit: mostLookedUp, since, from }), (commits) => commits.flatMap(keysIn))

  /** Looks at what others have committed since the last commit that was seen. */
  const observe = Effect.fnUntraced(function* (hash: string) {
    if (hash === tip && counts.get(hash) !== undefined) return
    const keys = tip === undefined || tip === hash ? [] : yield* keysSince(tip, hash)
    count++
    for (const key of keys) {
      last.set(key, count)
      recorded.add(key)
    }
    tip = hash
    counts.put(hash, count)
  })

  /** The commit is one of ours. */
  const advance = (hash: string, commits: ReadonlyArray<NewCommit>) => {
    for (const key of commits.flatMap(keysIn)) recorded.add(key)
    tip = hash
    counts.put(hash, count)
  }

  /** Tells whether others have recorded a workflow since the engine was asked. Only where the newest commit was not known, clocks tell. */
  const since = Effect.fnUntraced(function* (events: ReadonlyArray<HistoryEvent>, workflows: Ledger["workflows"]) {
    const tips = new Set(events.flatMap((event) => tipOf(event) ?? []).filter((hash) => counts.get(hash) === undefined))
    // Of processes that have ended.
    const keys = yield* Effect.forEach(tips, (hash) =>
      Effect.match(keysSince(hash), {
        onFailure: () => [hash, undefined] as const,
        onSuccess: (some) => [hash, new Set(some)] as const
      })
    )
    const keysByTip = new Map(keys)
    const isWithout = (event: HistoryEvent) => {
      const hash = tipOf(event)
      return hash === undefined || (counts.get(hash) === undefined && keysByTip.get(hash) === undefined)
    }
    const recordedAt = yield* lastRecorded(repository, overtaken(events.filter(isWithout), workflows))
    return (event: HistoryEvent, key: string): boolean => {
      const hash = tipOf(event)
      if (hash === undefined || isWithout(event)) return sinceOf(event) <= (recordedAt.get(key) ?? -Infinity)
      const before = counts.get(hash)
      return before === undefined ? (keysByTip.get(hash)?.has(key) ?? false) : (last.get(key) ?? -1) > before
    }
  })

  /** Those of these workflows that were not recorded since this repository was copied, if it is a copy. */
  const unrecorded = (keys: ReadonlyArray<string>) =>
    new Set(repository.copiedAt === "" ? [] : keys.filter((key) => !recorded.has(key)))

  return { advance, observe, since, tip: () => tip, unrecorded }
}

const keysIn = ({ message }: Pick<NewCommit, "message">): ReadonlyArray<string> =>
  linesIn(message).map(({ folder, id }) => keyAt(folder, id))

/** Commits that are remembered: what was asked before an older one comes late indeed. */
const mostTips = 1000

/** The makers of the versions of a workflow since a recorded one. */
export type AuthorsOf = (instance: string, ...version: Parameters<Authors>) => ReturnType<Authors>

/** Asks engines who made versions that are not ours; caches the answers until they are recorded. */
const makeAuthorLookup = (authorsOf: AuthorsOf) => {
  const names = new Map<string, string>()

  /** The authors by `versionKey`, as far as engines answer in time. */
  const find = (events: ReadonlyArray<HistoryEvent>, recorded: Ledger["workflows"]) =>
    Effect.forEach(
      externalVersionsIn(events, recorded)
        .filter(({ id, instance, version }) => !names.has(versionKey(instance, id, version)))
        .slice(0, mostAsked),
      Effect.fnUntraced(function* ({ id, instance, since, version }) {
        const author = yield* authorsOf(instance, id, since, version)
        names.set(versionKey(instance, id, version), author ?? somebody)
      }),
      { concurrency: askedAtOnce, discard: true }
    ).pipe(Effect.timeoutOption(authorTimeout), Effect.as<Ledger["authors"]>(names))

  return { find, forget: () => names.clear() }
}

/** Most versions to ask about at once, and how many of them concurrently: engines have other things to do. */
const mostAsked = 500
const askedAtOnce = 8

/** Longest wait of a commit for the authors. */
const authorTimeout = "8 seconds"
