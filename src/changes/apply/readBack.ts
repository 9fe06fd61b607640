import { Array as Arrays, Effect, HashMap } from "effect"

import { bisectReads } from "../bisectReads.ts"
import { type Failure } from "../Driver.ts"
import type { Step } from "../Plan.ts"
import { unconfirmedOf } from "../PlanState.ts"
import * as PlanState from "../PlanState.ts"
import { type RemoteState, type Row, type Observation, observationIn } from "../RemoteState.ts"
import { read, rowsOf, type Run, stepsOf, stopped } from "./Run.ts"

/**
 * Reads back what is done and was not read back yet, by this call or by one that was broken off before it could; what does not
 * show yet is unconfirmed.
 */
export const readBack = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(run: Run<C, S, E>) {
  const { creations, batches } = run.driver
  const unread = new Set(HashMap.keys(run.state.unread))
  if (unread.size === 0) return
  const isDue = ({ change, id }: Step<C>) =>
    unread.has(id) && PlanState.recordOf(run.state, id).doneAt !== undefined && !creations.isCreation(change)
  for (const steps of batches(run.state.plan.steps.filter(isDue))) {
    const rows = rowsOf(run, steps)
    const shownSteps = yield* shownAmong(run, rows)
    const unseen = stepsOf(rows).filter((step) => !shownSteps.has(step))
    if (unseen.length > 0) yield* run.record({ type: "unconfirmed", steps: unseen })
  }
  run.state = PlanState.allRead(run.state)
})

/** Reads once more what did not show when it was read back, and records what shows by now. */
export const confirm = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(run: Run<C, S, E>) {
  const unconfirmed = new Set(unconfirmedOf(run.state))
  for (const steps of run.driver.batches(run.state.plan.steps.filter(({ id }) => unconfirmed.has(id)))) {
    const shownSteps = yield* shownAmong(run, rowsOf(run, steps))
    if (shownSteps.size > 0) yield* run.record({ type: "confirmed", steps: [...shownSteps] })
  }
})

interface ObservedRow {
  readonly step: string
  readonly observation: Observation
}

/** The steps that show as wanted, or adjusted; what the upstream does not show at all is none of them. */
const shownAmong = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>
) {
  const { answers } = yield* bisectReads(rows, (some) => read(run, some), refusalOf)
  const all = answers.flatMap(({ answer, items }) =>
    items.map(({ change, step }): ObservedRow => ({ step, observation: observationIn(answer, change) }))
  )
  yield* stopAtMistaken(run, all)
  yield* recordAllAdjusted(run, all)
  return new Set(all.filter(({ observation }) => observation._tag !== "Other").map(({ step }) => step))
})

/** The reason for which the upstream does not show something, where that is what a failure says. */
const refusalOf = (failure: Failure): string | undefined => (failure._tag === "Refused" ? failure.problem : undefined)

/** Records what the upstream has made of changes: that still counts as the plan's own, also for its rollback. */
export const recordAdjusted = <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  rows: ReadonlyArray<Row<C>>,
  state: S
) =>
  recordAllAdjusted(
    run,
    rows.map(({ change, step }) => ({ step, observation: observationIn(state, change) }))
  )

const recordAllAdjusted = <C, S extends RemoteState<C>, E>(run: Run<C, S, E>, all: ReadonlyArray<ObservedRow>) => {
  const adjusted = all.flatMap(({ observation, step }) =>
    observation._tag === "Adjusted" ? [{ ...observation, step }] : []
  )
  return Effect.forEach(
    Object.entries(Arrays.groupBy(adjusted, (one) => one.word)),
    ([word, some]) => run.record({ type: "observed", word, standing: "done", ...entryOf(some) }),
    { discard: true }
  )
}

/** Stops the apply if something shows that must not stand: such a step is not done. */
const stopAtMistaken = <C, S extends RemoteState<C>, E>(run: Run<C, S, E>, all: ReadonlyArray<ObservedRow>) => {
  const mistaken = all.flatMap(({ observation, step }) =>
    observation._tag === "Mistaken" ? [{ ...observation, step }] : []
  )
  const [first, ...others] = mistaken
  if (first === undefined) return Effect.void
  const { problem, reason, remedy } = first.explain(others.length)
  return Effect.andThen(
    run.record({ type: "observed", word: first.word, standing: "open", ...entryOf(mistaken), problem }),
    Effect.suspend(() => Effect.fail(stopped(run.state, { reason, problem: `${problem} ${remedy}` })))
  )
}

const entryOf = (rows: ReadonlyArray<{ readonly step: string; readonly detail: unknown }>) => ({
  steps: stepsOf(rows),
  details: rows.map(({ detail }) => detail)
})
