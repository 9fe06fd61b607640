import { Effect } from "effect"

import { monotonicMillis } from "../../internal/time.ts"
import { halves } from "../bisectReads.ts"
import type { Failure } from "../Driver.ts"
import type { Step } from "../Plan.ts"
import { ApplyStopped, type JournalFailed } from "../PlanError.ts"
import { isOpen, recordOf } from "../PlanState.ts"
import type { RemoteState, Row } from "../RemoteState.ts"
import { applyBatch } from "./applyBatch.ts"
import { recordDone, recordRefusedCall } from "./outcomes.ts"
import { recordAdjusted } from "./readBack.ts"
import { type Run, isRollback, read, recordsOf, rowsOf, sinceSent, stepsOf, timeLeft } from "./Run.ts"

const pauseMs = 5000

/** Applies a batch. If an answer is lost, what was sent is read back, and the plan goes on from what shows. */
const applyAndRecover = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  steps: ReadonlyArray<Step<C>>
) {
  const startedAt = yield* monotonicMillis
  yield* Effect.catchIf(applyBatch(run, steps), isOutcomeUnknown, (error) => recover(run, steps, { error, startedAt }))
})

/** Whether an apply stopped because nobody knows whether a change has happened. */
const isOutcomeUnknown = (error: { readonly _tag: string }): error is ApplyStopped =>
  error instanceof ApplyStopped && error.isOutcomeUnknown

interface LostAnswer {
  readonly error: ApplyStopped
  /** The moment at which the batch began, on the clock that nobody sets. */
  readonly startedAt: number
}

/** Reads until everything shows as wanted or the time is up; harmless changes are sent again. */
const recover = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  steps: ReadonlyArray<Step<C>>,
  { error, startedAt }: LostAnswer
) {
  const { sending, visibleMs } = run.driver
  const ages = yield* Effect.forEach(steps, ({ id }) => sinceSent(run, id))
  const sentAt = (yield* monotonicMillis) - Math.min(...ages)
  // What an earlier call has lost was read before anything was sent.
  yield* sentAt < startedAt ? Effect.fail(error) : Effect.void
  const openNow = () => steps.filter(isOpen(run.state))
  // A read that fails as well tells nothing more than is known.
  const readAgain = Effect.mapError(recordShown(run, rowsOf(run, steps)), (failure) =>
    failure._tag === "JournalFailed" ? failure : error
  )
  // What was never sent, or has no outcome to wait for any more, does no harm either.
  const isHarmless = ({ change, id }: Step<C>) =>
    sending(change).isRepeatable === true || recordOf(run.state, id).outcomeUnknownSince === undefined
  yield* readAgain
  while (openNow().length > 0) {
    const now = yield* monotonicMillis
    const left = yield* timeLeft(run)
    const isOver = left <= 0 || now >= sentAt + visibleMs
    if (!isOver && openNow().every(isHarmless)) {
      yield* applyBatch(run, openNow())
      break
    }
    yield* isOver || isRollback(run)
      ? Effect.fail(stillUnknown(error, run.state.done, sentAt + visibleMs - now))
      : Effect.sleep(Math.min(pauseMs, left))
    yield* readAgain
  }
})

/** A creation is waited for no longer than it may take to show. */
const stillUnknown = (error: ApplyStopped, done: number, leftMs: number) => {
  const { id, isOutcomeUnknown, problem, reason, retryAfterSeconds, total } = error
  const wait = retryAfterSeconds === undefined || leftMs <= 0 ? {} : { retryAfterSeconds: leftMs / 1000 }
  return new ApplyStopped({ id, done, total, problem, reason, isOutcomeUnknown, ...wait })
}

/** Records changes of unknown outcome that show as wanted by now. Not in a rollback, where a lagging read model shows them so from the start. */
const recordShown = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>
) {
  const isUnknown = ({ step }: Row<C>) => recordOf(run.state, step).outcomeUnknownSince !== undefined
  const unanswered = rows.filter(isUnknown)
  if (unanswered.length === 0 || isRollback(run)) return
  const state = yield* read(run, unanswered)
  for (const { change, step } of unanswered) {
    const isCreation = run.driver.creations.isCreation(change)
    const created = isCreation ? state.findLostCreation?.(change, recordOf(run.state, step)).created : undefined
    if (created !== undefined) yield* recordDone(run, [step], { isUnsent: false, created })
  }
  const visible = unanswered.filter(
    (row) => isUnknown(row) && state.judge(row.change, recordsOf(run, row.step)) === "already"
  )
  yield* recordDone(run, stepsOf(visible), { isUnsent: false })
  yield* recordAdjusted(run, visible, state)
})

type Applied = Effect.Effect<void, ApplyStopped | Failure | JournalFailed>

/**
 * Applies a batch of a plan. Where the upstream refuses it, its halves, and so down to the changes that are to blame;
 * whatever was taken is seen when it is read again.
 */
export const bisect = <C, S extends RemoteState<C>, E>(run: Run<C, S, E>, steps: ReadonlyArray<Step<C>>): Applied =>
  Effect.catchTag(applyAndRecover(run, steps), "Refused", ({ isWhole, problem }): Applied => {
    const open = steps.filter(isOpen(run.state))
    return open.length <= 1 || isWhole
      ? recordRefusedCall(
          run,
          open.map(({ id }) => id),
          problem
        )
      : Effect.forEach(halves(open), (half) => bisect(run, half), { discard: true })
  })
