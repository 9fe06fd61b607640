import { Clock, Effect } from "effect"

import { type Applying, stop } from "./Applying.ts"
import type { Entry } from "./PlanStore.ts"
import type { Progress } from "./Progress.ts"

type Noted = Extract<Entry["type"], "confirmed" | "unconfirmed">

type OfPlan<E> = E extends { readonly plan_id: string } ? Omit<E, "at" | "plan_id"> : never

/** Writes an entry about the plan down in the journal, with the moment. */
export const writeDown = ({ progress, store }: Applying, entry: OfPlan<Entry>) =>
  Effect.flatMap(Clock.currentTimeMillis, (at) => store.append({ ...entry, at, plan_id: progress.plan.id }))

/** Writes steps down; writes nothing for no steps. */
export const note = (applying: Applying, type: Noted, steps: ReadonlyArray<string>) =>
  steps.length === 0 ? Effect.void : writeDown(applying, { type, steps })

/** Steps that are about to be sent: until their outcome is known, they are in doubt. */
export const beginSteps = Effect.fnUntraced(function* ({ progress, store }: Applying, steps: ReadonlyArray<string>) {
  const at = yield* Clock.currentTimeMillis
  for (const step of steps) progress.inDoubt.set(step, at)
  yield* store.append({ type: "begun", at, plan_id: progress.plan.id, steps })
})

/** Steps that cannot have changed anything. */
export const noteUnsent = (applying: Applying, steps: ReadonlyArray<string>) => {
  dropDoubt(applying.progress, steps)
  return writeDown(applying, { type: "unsent", steps })
}

/** As the history reads it: where another bid of a step may stand, its step stays in doubt. */
const dropDoubt = ({ inDoubt, misread, probes }: Progress, steps: ReadonlyArray<string>) => {
  for (const step of steps) if (!misread.has(step) && !probes.has(step)) inDoubt.delete(step)
}

interface Settled {
  /** Whether the steps were as wanted without being sent. */
  readonly found: boolean
  /** The campaign that they created. */
  readonly campaign?: number | undefined
}

/** Steps that are done: counted, and written down. */
export const settle = Effect.fnUntraced(function* (
  { progress, store }: Applying,
  steps: ReadonlyArray<string>,
  { campaign, found }: Settled
) {
  if (steps.length === 0) return
  const at = yield* Clock.currentTimeMillis
  for (const step of steps) {
    progress.done.set(step, at)
    progress.inDoubt.delete(step)
    progress.probes.delete(step)
    progress.misread.delete(step)
    if (campaign !== undefined) progress.created.set(step, campaign)
  }
  if (found) progress.found += steps.length
  progress.refusedInARow = 0
  const created = campaign === undefined ? {} : { created: campaign }
  // The moment that the journal tells is the one that counts here, too.
  yield* store.append({ type: "done", at, plan_id: progress.plan.id, steps, found, ...created })
})

/**
 * Steps that are not done, while the others go on. A step of a way back that shows as wanted, and that the marketplace
 * will not do again, is as wanted.
 */
export const passOver = Effect.fnUntraced(function* (applying: Applying, all: ReadonlyArray<string>, problem: string) {
  const { progress } = applying
  const isShown = (step: string) => progress.shown.has(step)
  yield* settle(applying, all.filter(isShown), { found: true })
  const steps = all.filter((step) => !isShown(step))
  if (steps.length === 0) return
  for (const step of steps) progress.refused.set(step, problem)
  dropDoubt(progress, steps)
  yield* writeDown(applying, { type: "refused", steps, problem })
})

/** So many calls refused without one that is taken are no accident of single places. */
const mostInARow = 50

/** Steps of a call that the marketplace did not take; stops where it takes nothing at all. */
export const refuse = Effect.fnUntraced(function* (applying: Applying, steps: ReadonlyArray<string>, problem: string) {
  const { progress } = applying
  yield* passOver(applying, steps, problem)
  progress.refusedInARow += 1
  const words = `${mostInARow} calls in a row were refused, the last one so: ${problem}`
  const isHopeless = progress.refusedInARow >= mostInARow
  yield* isHopeless ? stop(progress, { reason: "RefusedThroughout", problem: words }) : Effect.void
})
