import { Clock, Effect } from "effect"

import type { Batch } from "../plan/batches.ts"
import type { Work } from "../plan/Change.ts"
import { applyBatch, standingOf } from "./applyBatch.ts"
import { type Applying, isOutcomeUnknown } from "./Applying.ts"
import { look, visibleMs } from "./look.ts"
import { ApplyStopped } from "./PlanError.ts"
import { noteRounded } from "./readBack.ts"
import { changesOf, type Row, rowsOf, stepsOf } from "./rows.ts"
import { settle } from "./writeDown.ts"

const pauseMs = 5000

/** What may be sent again once it was looked at: the second time, it sets the same. */
const repeatable: ReadonlyArray<Work> = ["bid", "phrases", "drop", "cluster"]

/** A batch of which an answer may be lost: what was sent is read back, and the plan goes on from what shows. */
export const applyThroughLoss = Effect.fnUntraced(function* (applying: Applying, batch: Batch) {
  const startedAt = yield* Clock.currentTimeMillis
  yield* Effect.catchIf(applyBatch(applying, batch), isOutcomeUnknown, (error) =>
    goOn(applying, batch, { error, startedAt })
  )
})

interface Loss {
  readonly error: ApplyStopped
  readonly startedAt: number
}

/** Looks until all shows as wanted, or the time is up; what does no harm twice is sent once more. */
const goOn = Effect.fnUntraced(function* (applying: Applying, { steps, work }: Batch, { error, startedAt }: Loss) {
  const { progress, until } = applying
  const sentAt = Math.max(...steps.map(({ id }) => progress.inDoubt.get(id) ?? 0))
  // What an earlier call has lost was looked at before anything was sent.
  yield* sentAt < startedAt ? Effect.fail(error) : Effect.void
  const openNow = () => steps.filter(({ id }) => !progress.done.has(id) && !progress.refused.has(id))
  // A read that fails as well tells nothing more than is known.
  const lookAgain = Effect.mapError(settleShown(applying, rowsOf(steps, progress)), (failure) =>
    failure._tag === "PlanStoreFailed" ? failure : error
  )
  yield* lookAgain
  while (openNow().length > 0) {
    const now = yield* Clock.currentTimeMillis
    const isOver = now >= until || now >= sentAt + visibleMs
    if (!isOver && repeatable.includes(work)) {
      yield* applyBatch(applying, { steps: openNow(), work })
      break
    }
    const isEnd = isOver || progress.isWayBack
    yield* isEnd
      ? stillUnknown(error, progress.done.size, sentAt + visibleMs - now)
      : Effect.sleep(Math.min(pauseMs, until - now))
    yield* lookAgain
  }
})

/** A new campaign is waited for no longer than it takes to show. */
const stillUnknown = (error: ApplyStopped, done: number, leftMs: number) => {
  const { id, problem, reason, retryAfterSeconds, total } = error
  const wait = retryAfterSeconds === undefined || leftMs <= 0 ? {} : { retryAfterSeconds: leftMs / 1000 }
  return new ApplyStopped({ id, done, total, problem, reason, ...wait })
}

/** Those in doubt that show as wanted by now are done. A way back shows so from the beginning, where the read model lags. */
const settleShown = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>) {
  const { ads, progress } = applying
  const lost = rows.filter(({ step }) => progress.inDoubt.has(step))
  if (lost.length === 0 || progress.isWayBack) return
  const seen = yield* look(ads, changesOf(lost))
  for (const { change, step } of lost) {
    const campaign = change.kind === "create" ? seen.lost(change, progress.inDoubt.get(step) ?? 0).campaign : undefined
    if (campaign !== undefined) yield* settle(applying, [step], { found: false, campaign })
  }
  const shown = lost.filter((row) => standingOf(row, seen, progress) === "already")
  yield* settle(applying, stepsOf(shown), { found: false })
  yield* noteRounded(applying, shown, seen)
})
