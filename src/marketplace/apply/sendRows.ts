import { Clock, Effect, Result } from "effect"

import { isRefusal, isRefusalOfSome, isUnsent } from "../client/MarketplaceError.ts"
import { explain } from "./advice.ts"
import { type Applying, stopped } from "./Applying.ts"
import { changesOf, type Row, stepsOf } from "./rows.ts"
import { send } from "./send.ts"
import { beginSteps, noteUnsent, refuse, settle } from "./writeDown.ts"

/** So many articles at once get their phrases, which are set once per article: a slow network shall not hold them up. */
const atOnce = 5

/** One call for rows that are written down as begun; where it cannot have changed anything, that is written down, too. */
const sendBegun = (applying: Applying, rows: ReadonlyArray<Row>) =>
  send(applying.ads, changesOf(rows), applying.progress.clusterUnit).pipe(
    Effect.tapError((error) => (isUnsent(error) ? noteUnsent(applying, stepsOf(rows)) : Effect.void)),
    Effect.mapError((error) => (isRefusalOfSome(error) ? error : stopped(applying.progress, error, stepsOf(rows))))
  )

/** Sends rows in one call, and writes down what was taken and what was not. */
export const sendTogether = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>) {
  if (rows.length === 0) return
  yield* beginSteps(applying, stepsOf(rows))
  const { campaign, refused } = yield* sendBegun(applying, rows)
  const isRefused = ({ change }: Row) => refused.some((one) => one.change === change)
  yield* settle(applying, stepsOf(rows.filter((row) => !isRefused(row))), { found: false, campaign })
  for (const { change, reason } of refused) {
    yield* refuse(applying, stepsOf(rows.filter((row) => row.change === change)), reason)
  }
})

/** Sends rows in a call each, a few at a time; none is begun after the time is up, or after one that fails altogether. */
export const sendEachAlone = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>) {
  let isStopped = false
  const one = Effect.fnUntraced(function* (row: Row) {
    if (isStopped || (yield* Clock.currentTimeMillis) >= applying.until) return Result.void
    const outcome = yield* sendTogether(applying, [row]).pipe(
      Effect.catchIf(isRefusal, (error) => refuse(applying, [row.step], explain(error))),
      Effect.result
    )
    isStopped ||= Result.isFailure(outcome)
    return outcome
  })
  const outcomes = yield* Effect.forEach(rows, one, { concurrency: atOnce })
  yield* Effect.fromResult(Result.all(outcomes))
})
