import { Effect } from "effect"

import type { CreatedId } from "../Journal.ts"
import type { RemoteState } from "../RemoteState.ts"
import { type Run, stopped } from "./Run.ts"

interface DoneOptions {
  /** Whether the steps were as wanted without being sent. */
  readonly isUnsent: boolean
  /** The id of the thing that they created. */
  readonly created?: CreatedId | undefined
}

/** Records steps as done. */
export const recordDone = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  steps: ReadonlyArray<string>,
  { created, isUnsent }: DoneOptions
) {
  if (steps.length === 0) return
  // oxlint-disable-next-line id-denylist -- a field of journals on disk
  yield* run.record({ type: "done", steps, found: isUnsent, ...(created === undefined ? {} : { created }) })
  if (isUnsent) run.unsent += steps.length
  run.refusedInARow = 0
})

/**
 * Records steps as refused; the others go on. A step of a rollback that the upstream refuses although it shows as wanted was
 * done before, and is recorded as done.
 */
export const recordRefused = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  all: ReadonlyArray<string>,
  problem: string,
  isOutcomeUnknown = false
) {
  const isShown = (step: string) => run.shownSteps.has(step)
  yield* recordDone(run, all.filter(isShown), { isUnsent: true })
  const steps = all.filter((step) => !isShown(step))
  const outcome = isOutcomeUnknown ? { outcome_unknown: true } : {}
  if (steps.length > 0) yield* run.record({ type: "refused", steps, problem, ...outcome })
})

/** After so many refused calls in a row, single steps are not what is wrong. */
const mostInARow = 50

/** Records the steps of a refused call; stops the apply if nothing is accepted any more. */
export const recordRefusedCall = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  steps: ReadonlyArray<string>,
  problem: string
) {
  yield* recordRefused(run, steps, problem)
  run.refusedInARow += 1
  const words = `${mostInARow} calls in a row were refused, the last one with: ${problem}`
  const isHopeless = run.refusedInARow >= mostInARow
  yield* isHopeless ? Effect.fail(stopped(run.state, { reason: "RefusedThroughout", problem: words })) : Effect.void
})
