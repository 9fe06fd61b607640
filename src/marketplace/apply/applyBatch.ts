import { Array as Arrays, Clock, Effect } from "effect"

import { type Batch, batchesOf } from "../plan/batches.ts"
import { readApart } from "../readApart.ts"
import { type Applying, searchForLost, stop } from "./Applying.ts"
import { look, type Look, visibleMs } from "./look.ts"
import type { Progress } from "./Progress.ts"
import { changesOf, type Row, rowsOf, stepsOf } from "./rows.ts"
import { sendEachAlone, sendTogether } from "./sendRows.ts"
import { takeBackInDoubt } from "./takeBack.ts"
import { isOfTrial } from "./trialStory.ts"
import { tryUnit } from "./tryUnit.ts"
import { whyKept } from "./whyKept.ts"
import { campaignsOfStale, whyStale } from "./whyStale.ts"
import { note, passOver, settle } from "./writeDown.ts"

/** One batch of a plan: looked at, sent where still to do, written down, read back. */
export const applyBatch = Effect.fnUntraced(function* (applying: Applying, { steps, work }: Batch) {
  const { ads, progress } = applying
  const rows = rowsOf(steps, progress)
  const placed = new Set(stepsOf(rows))
  const homeless = steps.map(({ id }) => id).filter((id) => !placed.has(id))
  yield* passOver(applying, homeless, "its campaign was not created")
  if (rows.length === 0) return

  const seen = yield* look(ads, changesOf(rows))
  yield* takeBackInDoubt(applying, rows, seen)
  const pending = yield* stillToDo(applying, rows, seen)
  if (pending.length === 0) return
  const rest = work === "cluster" ? yield* tryUnit(applying, pending) : pending
  yield* work === "phrases" ? sendEachAlone(applying, rest) : sendTogether(applying, rest)
  if (work !== "create") yield* readBack(applying, pending)
})

/** The rows that still have to be sent; what is as wanted, or cannot be, is written down. */
const stillToDo = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>, seen: Look) {
  const { ads, progress } = applying
  yield* adopt(applying, rows, seen)
  const isOpen = ({ step }: Row) => !progress.done.has(step) && !progress.refused.has(step)
  const looked = rows
    .filter(isOpen)
    .map((row) => ({ ...row, standing: isOwn(row, seen, progress) ? ("pending" as const) : seen.standing(row.change) }))
  const kept = yield* whyKept(ads, looked)
  const already = looked.filter(({ standing }) => standing === "already")
  // The read model lags behind by minutes: a way back does not trust it to show what has just been changed or made.
  if (progress.isWayBack) {
    for (const { step } of already) if (!kept.has(step)) progress.shown.add(step)
  } else yield* settle(applying, stepsOf(already), { found: true })
  const campaigns = yield* campaignsOfStale(seen, looked)
  const inTheWay = looked.flatMap(({ change, standing, step }) => {
    const reason = standing === "stale" ? whyStale(change, campaigns) : (kept.get(step) ?? seen.obstacle(change))
    return reason === undefined || progress.done.has(step) ? [] : [{ step, reason }]
  })
  for (const [reason, some] of Object.entries(Arrays.groupBy(inTheWay, (row) => row.reason))) {
    yield* passOver(
      applying,
      some.map(({ step }) => step),
      reason
    )
  }
  return looked.filter(isOpen)
})

/** The low cluster bid of a trial, or a first one that came out too high before a break: the wanted one follows (D2). */
const isOwn = ({ change, step }: Row, seen: Look, { inDoubt, trial, trialBefore }: Progress): boolean => {
  if (inDoubt.has(step) && seen.unit(change) === "hundredfold") return true
  if (change.kind !== "cluster" || seen.standing(change) === "already") return false
  return [trial, trialBefore].some((one) => one?.step === step && isOfTrial(one, seen.clusterBid(change)))
}

/** Looks at what was sent; what does not show yet is unconfirmed. */
const readBack = Effect.fnUntraced(function* (applying: Applying, pending: ReadonlyArray<Row>) {
  const { progress } = applying
  const sent = pending.filter(({ step }) => progress.done.has(step))
  const shown = yield* shownAmong(applying, sent)
  const unseen = stepsOf(sent).filter((step) => !shown.has(step))
  yield* note(applying, "unconfirmed", unseen)
  for (const step of unseen) progress.unconfirmed.add(step)
})

/** Looks once more at what did not show when it was read back, and writes down what does by now. */
export const confirm = Effect.fnUntraced(function* (applying: Applying) {
  const { plan, unconfirmed } = applying.progress
  for (const batch of batchesOf(plan.steps.filter(({ id }) => unconfirmed.has(id)))) {
    const shown = yield* shownAmong(applying, rowsOf(batch.steps, applying.progress))
    for (const step of shown) unconfirmed.delete(step)
    yield* note(applying, "confirmed", [...shown])
  }
})

/** The steps that show as wanted; what the marketplace does not show at all is none of them. */
const shownAmong = Effect.fnUntraced(function* ({ ads }: Applying, rows: ReadonlyArray<Row>) {
  const { found } = yield* readApart(rows, (some) => look(ads, changesOf(some)))
  const shown = found.flatMap(({ answer, items }) =>
    items.filter(({ change }) => answer.standing(change) === "already")
  )
  return new Set(stepsOf(shown))
})

/**
 * The campaigns that a broken apply has created without learning their ids. One that does not show may still come to
 * light, so for a while nothing is created in its place.
 */
const adopt = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>, seen: Look) {
  const { progress } = applying
  for (const { change, step } of rows) {
    const sentAt = progress.inDoubt.get(step)
    if (change.kind !== "create" || sentAt === undefined) continue
    const { campaign, others } = seen.lost(change, sentAt)
    const waitMs = Math.min(visibleMs, sentAt + visibleMs - (yield* Clock.currentTimeMillis))
    const beside = others === undefined ? "" : ` (${others})`
    const problem = `It is not known yet whether campaign "${change.name}" was created before the break${beside}. ${searchForLost}`
    const leaveOut =
      others === undefined
        ? Effect.void
        : passOver(applying, [step], `${others}: rename it in the cabinet, or plan with another name`)
    if (campaign !== undefined) yield* settle(applying, [step], { found: true, campaign })
    else {
      yield* waitMs > 0
        ? stop(progress, { reason: "AdsOutcomeUnknown", problem, retryAfterSeconds: waitMs / 1000 })
        : leaveOut
    }
  }
})
