import { Effect } from "effect"

import type { RemoteState } from "../Driver.ts"
import type { CreatedId } from "../Journal.ts"
import { type Run, stopped } from "./Run.ts"

interface Done {
  /** Whether the steps were as wanted without being sent. */
  readonly found: boolean
  /** What they created. */
  readonly created?: CreatedId | undefined
}

/** Records steps as done. */
export const recordDone = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  steps: ReadonlyArray<string>,
  { created, found }: Done
) {
  if (steps.length === 0) return
  yield* run.record({ type: "done", steps, found, ...(created === undefined ? {} : { created }) })
  if (found) run.found += steps.length
  run.refusedInARow = 0
})

/**
 * Records steps as refused, while the others go on. A step of a rollback that shows as wanted, and that the upstream will
 * not do again, is as wanted.
 */
export const passOver = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  all: ReadonlyArray<string>,
  problem: string
) {
  const isShown = (step: string) => run.shown.has(step)
  yield* recordDone(run, all.filter(isShown), { found: true })
  const steps = all.filter((step) => !isShown(step))
  if (steps.length > 0) yield* run.record({ type: "refused", steps, problem })
})

/** So many calls refused without one that is taken are no accident of single places. */
const mostInARow = 50

/** Records the steps of a call that the upstream refused; stops where it takes nothing at all. */
export const refuse = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  steps: ReadonlyArray<string>,
  problem: string
) {
  yield* passOver(run, steps, problem)
  run.refusedInARow += 1
  const words = `${mostInARow} calls in a row were refused, the last one so: ${problem}`
  const isHopeless = run.refusedInARow >= mostInARow
  yield* isHopeless ? Effect.fail(stopped(run.state, { reason: "RefusedThroughout", problem: words })) : Effect.void
})
