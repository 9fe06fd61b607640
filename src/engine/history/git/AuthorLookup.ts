import { Effect } from "effect"

import type { Authors } from "../../client/History.ts"
import type { Ledger } from "../commits.ts"
import { externalVersionsIn, versionKey } from "../externalVersions.ts"
import type { HistoryEvent } from "../HistoryEvent.ts"
import { somebody } from "./fastImport.ts"

/** The makers of the versions of a workflow since a recorded one. */
export type AuthorsOf = (instance: string, ...version: Parameters<Authors>) => ReturnType<Authors>

/** Asks engines who made versions that are not ours; caches the answers until they are recorded. */
export const make = (authorsOf: AuthorsOf) => {
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
    ).pipe(Effect.timeoutOption(timeout), Effect.as<Ledger["authors"]>(names))

  return { find, forget: () => names.clear() }
}

/** Most versions to ask about at once, and how many of them concurrently: engines have other things to do. */
const mostAsked = 500
const askedAtOnce = 8

/** Longest wait of a commit for the authors. */
const timeout = "8 seconds"
