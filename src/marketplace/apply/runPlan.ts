import { Clock, Effect } from "effect"

import { batchesOf } from "../plan/batches.ts"
import { applyApart } from "./applyApart.ts"
import { type Applying, stopped } from "./Applying.ts"
import { left, report, type Report } from "./Progress.ts"
import { confirm } from "./readBack.ts"
import { writeDown } from "./writeDown.ts"

/** Called after every batch. */
type OnProgress = (done: number, total: number) => Effect.Effect<void>

/** Works off what is left of a plan, as long as there is time, and tells how far it has come. */
export const runPlan = (applying: Applying, onProgress: OnProgress) =>
  run(applying, onProgress).pipe(
    Effect.tapError(({ message }) => writeDown(applying, { type: "stopped", problem: message }))
  )

const run = Effect.fnUntraced(function* (applying: Applying, onProgress: OnProgress) {
  const { progress, until } = applying
  const { steps } = progress.plan
  for (const batch of batchesOf(left(progress))) {
    if ((yield* Clock.currentTimeMillis) >= until) return report(progress, "in progress")
    const places = batch.steps.map((step) => step.id)
    yield* Effect.mapError(applyApart(applying, batch), (error) => stopped(progress, error, places))
    yield* onProgress(progress.done.size, steps.length)
  }
  if (left(progress).length > 0) return report(progress, "in progress")
  yield* Effect.mapError(confirm(applying), (error) => stopped(progress, error))
  const refused = progress.refused.size
  yield* writeDown(applying, { type: "finished", ...(refused > 0 ? { refused } : {}) })
  return report(progress, endOf(refused, progress.done.size))
})

const endOf = (refused: number, done: number): Report["state"] => {
  if (refused === 0) return "applied"
  return done > 0 ? "partly applied" : "refused"
}
