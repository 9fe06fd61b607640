import { Clock, Effect } from "effect"

import { batchesOf } from "../plan/batches.ts"
import { applyApart } from "./applyApart.ts"
import { confirm } from "./applyBatch.ts"
import { type Applying, stopped } from "./Applying.ts"
import { left, report, type Report } from "./Progress.ts"
import { dropLow, stopMisread } from "./takeBack.ts"
import { tryUnit } from "./tryUnit.ts"
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
  yield* stopMisread(applying)
  for (const batch of batchesOf(left(progress))) {
    if ((yield* Clock.currentTimeMillis) >= until) return report(progress, "in progress")
    const places = batch.steps.map((step) => step.id)
    yield* Effect.mapError(applyApart(applying, batch), (error) => stopped(progress, error, places))
    yield* onProgress(progress.done.size, steps.length)
    if (progress.halt !== undefined) break
  }
  yield* Effect.mapError(conclude(applying), (error) => stopped(progress, error))
  const { halt } = progress
  const isLeft = left(progress).length > 0
  if (halt !== undefined && (isLeft || halt.state === "in progress")) return report(progress, halt.state)
  if (isLeft) return report(progress, "in progress")
  const refused = progress.refused.size
  yield* writeDown(applying, { type: "finished", ...(refused > 0 ? { refused } : {}) })
  return report(progress, endOf(refused, progress.done.size))
})

/** What is still to be looked at when every step has had its turn: the first cluster bid, and what did not show. */
const conclude = Effect.fnUntraced(function* (applying: Applying) {
  const { halt } = applying.progress
  if (halt !== undefined || left(applying.progress).length > 0) return
  yield* tryUnit(applying, [])
  yield* dropLow(applying)
  yield* confirm(applying)
})

const endOf = (refused: number, done: number): Report["state"] => {
  if (refused === 0) return "applied"
  return done > 0 ? "partly applied" : "refused"
}
