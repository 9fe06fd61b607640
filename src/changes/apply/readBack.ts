import { Effect } from "effect"

import { bisectReads } from "../bisectReads.ts"
import type { Failure, RemoteState, Row, Shown } from "../Driver.ts"
import { unconfirmedOf } from "../PlanState.ts"
import * as PlanState from "../PlanState.ts"
import { read, rowsOf, type Run, stepsOf, stopped } from "./Run.ts"

/** Reads back what was sent; what does not show yet is unconfirmed. */
export const readBack = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  sent: ReadonlyArray<Row<C>>
) {
  const done = sent.filter(({ step }) => PlanState.recordOf(run.state, step).doneAt !== undefined)
  const shown = yield* shownAmong(run, done)
  const unseen = stepsOf(done).filter((step) => !shown.has(step))
  if (unseen.length > 0) yield* run.record({ type: "unconfirmed", steps: unseen })
})

/** Reads once more what did not show when it was read back, and records what shows by now. */
export const confirm = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(run: Run<C, S, E>) {
  const unconfirmed = new Set(unconfirmedOf(run.state))
  for (const steps of run.driver.batches(run.state.plan.steps.filter(({ id }) => unconfirmed.has(id)))) {
    const shown = yield* shownAmong(run, rowsOf(run, steps))
    if (shown.size > 0) yield* run.record({ type: "confirmed", steps: [...shown] })
  }
})

interface Seen {
  readonly step: string
  readonly as: Shown
}

/** The steps that show as wanted, or rounded; what the upstream does not show at all is none of them. */
const shownAmong = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>
) {
  const { found } = yield* bisectReads(rows, (some) => read(run, some), refusalOf)
  const all = found.flatMap(({ answer, items }) =>
    items.map(({ change, step }): Seen => ({ step, as: answer.shown(change) }))
  )
  yield* stopAtMisread(run, all)
  yield* recordAllRounded(run, all)
  return new Set(all.filter(({ as }) => as._tag !== "Other").map(({ step }) => step))
})

/** Why the upstream does not show something, where that is what a failure says. */
export const refusalOf = (failure: Failure): string | undefined =>
  failure._tag === "Refused" ? failure.problem : undefined

/** Records amounts that the upstream has rounded: they still count as the plan's own, also for its rollback. */
export const recordRounded = <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>,
  state: S
) =>
  recordAllRounded(
    run,
    rows.map(({ change, step }) => ({ step, as: state.shown(change) }))
  )

const recordAllRounded = <C, S extends RemoteState<C>, E>(run: Run<C, S, E>, all: ReadonlyArray<Seen>) => {
  const rounded = all.flatMap(({ as, step }) => (as._tag === "Rounded" ? [{ step, amount: as.amount }] : []))
  return rounded.length === 0
    ? Effect.void
    : run.record({ type: "rounded", steps: stepsOf(rounded), bids: rounded.map(({ amount }) => amount) })
}

/** Stops the apply if an amount was read in another unit: such a step is not done. */
const stopAtMisread = <C, S extends RemoteState<C>, E>(run: Run<C, S, E>, all: ReadonlyArray<Seen>) => {
  const misread = all.flatMap(({ as, step }) => (as._tag === "Misread" ? [{ step, amount: as.amount }] : []))
  const [first, ...others] = misread
  if (first === undefined) return Effect.void
  const { problem, reason, remedy } = run.driver.describeMisread(first, others.length)
  return Effect.andThen(
    run.record({ type: "misread", steps: stepsOf(misread), problem }),
    Effect.suspend(() => Effect.fail(stopped(run.state, { reason, problem: `${problem} ${remedy}` })))
  )
}
