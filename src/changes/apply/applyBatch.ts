import { Array as Arrays, Clock, Effect, Result } from "effect"

import type { Step } from "../Plan.ts"
import { isOpen, recordOf } from "../PlanState.ts"
import { driftIn, type Judgement, type RemoteState, type Row } from "../RemoteState.ts"
import { recordRefused, recordRefusedCall, recordDone } from "./outcomes.ts"
import { readBack, recordAdjusted } from "./readBack.ts"
import {
  changesOf,
  isRollback,
  recordsOf,
  read,
  rowsOf,
  type Run,
  sinceSent,
  stepsOf,
  stopped,
  stoppedBy,
  timeLeft
} from "./Run.ts"

/** One batch of a plan: read, sent where still to do, recorded, read back. */
export const applyBatch = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  steps: ReadonlyArray<Step<C>>
) {
  const { creations, sending } = run.driver
  const rows = rowsOf(run, steps)
  const resolved = new Set(stepsOf(rows))
  yield* recordRefused(
    run,
    steps.map(({ id }) => id).filter((id) => !resolved.has(id)),
    creations.missing
  )
  if (rows.length === 0) return

  const state = yield* readOnceVisible(run, rows)
  const pending = yield* stillToDo(run, rows, state)
  if (pending.length === 0) return
  yield* pending.some(({ change }) => sending(change).isAlone ?? true)
    ? sendEachAlone(run, pending, state)
    : sendTogether(run, pending, state)
  yield* readBack(run)
})

const pauseMs = 1000

/** Whether the change that a row follows was done so recently that it need not show yet. */
const isTooEarly = <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  state: S,
  now: number,
  { change }: Row<C>
): boolean => {
  const leader = run.driver.relations(change).follows
  const doneAt = leader === undefined ? undefined : recordOf(run.state, leader).doneAt
  return doneAt !== undefined && now < doneAt + run.driver.visibleMs && state.isTooEarly?.(change) === true
}

/**
 * Reads the state of rows. Waits for what they follow, as long as there is time, and for what an interrupted apply may have
 * created, if there is time until it must show.
 */
const readOnceVisible = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>
) {
  const { creations, visibleMs } = run.driver
  while (true) {
    const state = yield* read(run, rows)
    const now = yield* Clock.currentTimeMillis
    const left = yield* timeLeft(run)
    const isEarly = left > 0 && rows.some((row) => isOpenRow(run)(row) && isTooEarly(run, state, now, row))
    if (!isEarly && creations.isAwaited !== true) return state
    const missing = rows.filter(({ change, step }) => {
      const record = recordOf(run.state, step)
      return (
        creations.isCreation(change) &&
        record.outcomeUnknownSince !== undefined &&
        state.findLostCreation?.(change, record).created === undefined
      )
    })
    const ages = yield* Effect.forEach(missing, ({ step }) => sinceSent(run, step))
    const wait = Math.max(0, visibleMs - Math.min(...ages))
    if (!isEarly && (wait === 0 || wait >= left)) return state
    yield* Effect.sleep(Math.min(pauseMs, isEarly ? left : wait))
  }
})

const isOpenRow =
  <C, S extends RemoteState<C>, E>(run: Run<C, S, E>) =>
  ({ step }: Row<C>) =>
    isOpen(run.state)({ id: step })

/** The rows that still have to be sent; those that are as wanted, or cannot be done, are recorded. */
const stillToDo = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>,
  state: S
) {
  yield* adopt(run, rows, state)
  const now = yield* Clock.currentTimeMillis
  const judged = rows
    .filter((row) => isOpenRow(run)(row) && !isTooEarly(run, state, now, row))
    .map((row) => ({ ...row, judgement: state.judge(row.change, recordsOf(run, row.step)) }))
  const { holdBack } = run.driver
  const heldBack = holdBack === undefined ? new Map<string, string>() : yield* holdBack(judged)
  const already = judged.filter(({ judgement }) => judgement === "already")
  yield* Effect.forEach(already, ({ change, step }) => {
    const sentNow = { latest: undefined, outcomeUnknownSince: now }
    const created = run.driver.creations.isCreation(change)
      ? state.findLostCreation?.(change, sentNow).created
      : undefined
    return created === undefined ? Effect.void : recordDone(run, [step], { isUnsent: true, created })
  })
  const settled = already.filter(isOpenRow(run))
  // The read model may lag: a rollback does not trust it to show what has just been changed or made.
  if (isRollback(run)) {
    for (const { step } of settled) if (!heldBack.has(step)) run.shownSteps.add(step)
  } else {
    yield* recordDone(run, stepsOf(settled), { isUnsent: true })
    yield* recordAdjusted(run, settled, state)
  }
  const isLeft = ({ judgement }: { readonly judgement: Judgement }) => judgement === "drift"
  const explain = judged.some(isLeft) ? yield* driftIn(state) : () => ""
  const obstacles = judged.filter(isOpenRow(run)).flatMap((row) => {
    const { change, step } = row
    const reason = isLeft(row)
      ? (run.overtaken.get(step) ?? explain(change))
      : (heldBack.get(step) ?? leftBehind(run, change) ?? state.obstacle?.(change))
    return reason === undefined ? [] : [{ ...row, reason }]
  })
  for (const [reason, some] of Object.entries(Arrays.groupBy(obstacles, (row) => row.reason))) {
    // What was sent without an answer may have been done before somebody else changed it: a rollback has to tell of it.
    const isSent = (row: (typeof some)[number]) =>
      isLeft(row) && recordOf(run.state, row.step).outcomeUnknownSince !== undefined
    const sent = stepsOf(some.filter(isSent))
    yield* recordRefused(run, sent, reason, true)
    yield* recordRefused(
      run,
      stepsOf(some).filter((step) => !sent.includes(step)),
      reason
    )
  }
  return judged.filter(isOpenRow(run))
})

/** The reason for which a change is not sent if the one that it depends on was refused. A rollback leaves nothing out. */
const leftBehind = <C, S extends RemoteState<C>, E>(run: Run<C, S, E>, change: C): string | undefined => {
  const { follows, needs = [] } = run.driver.relations(change)
  const leaders = isRollback(run) ? [] : follows === undefined ? needs : [follows, ...needs]
  const leader = leaders.find((step) => recordOf(run.state, step).refused !== undefined)
  return leader === undefined ? undefined : `the change that it depends on was not made (${leader})`
}

/**
 * Adopts the things that a broken apply has created without learning their ids. What does not show may still come to light,
 * so for a while nothing is created in its place.
 */
const adopt = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>,
  state: S
) {
  const { creations, visibleMs } = run.driver
  for (const { change, step } of rows) {
    const record = recordOf(run.state, step)
    if (!creations.isCreation(change) || record.outcomeUnknownSince === undefined) continue
    const { created, others } = state.findLostCreation?.(change, record) ?? {}
    const waitMs = visibleMs - (yield* sinceSent(run, step))
    const beside = others === undefined ? "" : ` (${others})`
    const what = creations.describe(change)
    const unknownYet = stopped(run.state, {
      reason: creations.unknownReason,
      isOutcomeUnknown: true,
      problem: `It is not known yet whether ${what} was created before the interruption${beside}. ${creations.search}`,
      retryAfterSeconds: waitMs / 1000
    })
    const leaveOut = others === undefined ? Effect.void : recordRefused(run, [step], `${others}: ${creations.advice}`)
    if (created !== undefined) yield* recordDone(run, [step], { isUnsent: true, created })
    else yield* waitMs > 0 ? Effect.fail(unknownYet) : leaveOut
  }
})

/** Sends rows in one call, and records what was taken and what was not. */
const sendTogether = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>,
  state: S
) {
  const { driver } = run
  const changes = changesOf(rows)
  const [latest] = changes.flatMap((change) => state.latest?.(change) ?? [])
  yield* run.record({ type: "begun", steps: stepsOf(rows), ...(latest === undefined ? {} : { latest }) })
  const { caveat, created, refused } = yield* driver.send(changes, state).pipe(
    Effect.mapError((error) => driver.explain(error, changes)),
    Effect.tapError((failure) =>
      failure._tag === "Stopped" && failure.isUnsent
        ? run.record({ type: "unsent", steps: stepsOf(rows) })
        : Effect.void
    ),
    Effect.mapError((failure) =>
      failure._tag === "Stopped" || failure._tag === "OutcomeUnknown" ? stoppedBy(run, failure, stepsOf(rows)) : failure
    )
  )
  if (caveat !== undefined) run.caveats.add(caveat)
  const isRefused = ({ change }: Row<C>) => refused.some((one) => one.change === change)
  yield* recordDone(run, stepsOf(rows.filter((row) => !isRefused(row))), { isUnsent: false, created })
  for (const { change, reason } of refused) {
    yield* recordRefusedCall(run, stepsOf(rows.filter((row) => row.change === change)), reason)
  }
})

/** Calls of single rows that are made at once, so that a slow network does not delay them. */
const atOnce = 5

/** Sends each row in a call of its own, a few at a time; none is begun after the time is up or a call has failed as a whole. */
const sendEachAlone = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>,
  state: S
) {
  let isStopped = false
  const one = Effect.fnUntraced(function* (row: Row<C>) {
    if (isStopped || (yield* timeLeft(run)) <= 0) return Result.void
    const outcome = yield* sendTogether(run, [row], state).pipe(
      Effect.catchTag("Refused", ({ problem }) => recordRefusedCall(run, [row.step], problem)),
      Effect.result
    )
    isStopped ||= Result.isFailure(outcome)
    return outcome
  })
  const outcomes = yield* Effect.forEach(rows, one, { concurrency: atOnce })
  yield* Effect.fromResult(Result.all(outcomes))
})
