import { Clock, Effect } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { commitsOf, type Ledger } from "../commits.ts"
import { gathered, type HistoryEvent } from "../HistoryEvent.ts"
import { notRecorded, overtaken, recordedAgain } from "../lateEvents.ts"
import * as AuthorLookup from "./AuthorLookup.ts"
import { lastRecorded } from "./reading.ts"
import type { Repository } from "./Repository.ts"
import { retryRaces } from "./retryRaces.ts"
import * as TipCache from "./TipCache.ts"
import * as WorkTree from "./WorkTree.ts"

/**
 * Records events as commits on top of what is there. If another process on the same repository was faster, it starts over on
 * top of that. The work tree follows; if it cannot, that is reported and the history goes on.
 */
export const make = (repository: Repository, authorsOf: AuthorLookup.AuthorsOf) => {
  const tipCache = TipCache.make(repository)
  const authors = AuthorLookup.make(authorsOf)
  const workTree = WorkTree.make(repository)
  let untidied = 0

  const recorded = Effect.fnUntraced(function* ({ items, left }: Given) {
    const { hash = "", isCheckedOut } = yield* repository.tip
    const known = yield* tipCache.recordedAt(hash, [...left, ...items])
    const late = left.length === 0 ? [] : notRecorded(left, yield* repository.log("At: ", { limit: mostLookedUp }))
    const all = gathered([...late, ...items])
    const names = yield* authors.find(all, known.workflows)
    const recordedAt = yield* lastRecorded(repository, overtaken(all, known.workflows))
    const again = recordedAgain(all, { workflows: known.workflows, recordedAt }, yield* Clock.currentTimeMillis)
    const ledger: Ledger = { ...known, workflows: new Map(known.workflows), authors: names, recordedAt }
    const commits = yield* inSlices(() => commitsOf([...all, ...again], ledger))
    if (commits.length === 0) return { from: hash, isCheckedOut }
    const tip = yield* repository.commit(hash, commits)
    untidied += commits.length
    tipCache.advance(tip, commits, { before: known.workflows, after: ledger.workflows })
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

  return { knows: tipCache.knows, record }
}

/** What is to be recorded, and before it what processes that have ended left behind. */
export interface Given {
  readonly left: ReadonlyArray<HistoryEvent>
  readonly items: ReadonlyArray<HistoryEvent>
}

/** Commits after which git is asked to check whether to pack them. */
const tidiedEvery = 500

/** Commits searched for events left by a process that may have recorded them just before it ended. */
const mostLookedUp = 20_000
