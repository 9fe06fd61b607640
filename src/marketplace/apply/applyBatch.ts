import { Array as Arrays, Clock, Effect, Result } from "effect"

import type { Batch } from "../plan/batches.ts"
import { clusterUnit } from "../plan/clusterUnit.ts"
import { type Applying, searchForLost, stop } from "./Applying.ts"
import { look, type Look, type Standing, visibleMs } from "./look.ts"
import { isMisread, isProbe, isRounded } from "./ownBid.ts"
import type { Progress } from "./Progress.ts"
import { noteRounded, readBack } from "./readBack.ts"
import { changesOf, type Row, rowsOf, stepsOf } from "./rows.ts"
import { sendEachAlone, sendTogether } from "./sendRows.ts"
import { whyKept } from "./whyKept.ts"
import { campaignsOfStale, whyStale } from "./whyStale.ts"
import { passOver, settle } from "./writeDown.ts"

/** One batch of a plan: looked at, sent where still to do, written down, read back. */
export const applyBatch = Effect.fnUntraced(function* (applying: Applying, { steps, work }: Batch) {
  const { ads, progress } = applying
  const rows = rowsOf(steps, progress)
  const placed = new Set(stepsOf(rows))
  const homeless = steps.map(({ id }) => id).filter((id) => !placed.has(id))
  yield* passOver(applying, homeless, "its campaign was not created")
  if (rows.length === 0) return

  const seen = yield* look(ads, changesOf(rows))
  const pending = yield* stillToDo(applying, rows, seen)
  const sendable = work === "cluster" ? yield* inKnownUnit(applying, pending, seen) : pending
  if (sendable.length === 0) return
  yield* work === "phrases" ? sendEachAlone(applying, sendable) : sendTogether(applying, sendable)
  if (work !== "create") yield* readBack(applying, sendable)
})

/** The rows that still have to be sent; what is as wanted, or cannot be, is written down. */
const stillToDo = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>, seen: Look) {
  const { ads, progress } = applying
  yield* adopt(applying, rows, seen)
  const isOpen = ({ step }: Row) => !progress.done.has(step) && !progress.refused.has(step)
  const looked = rows.filter(isOpen).map((row) => ({ ...row, standing: standingOf(row, seen, progress) }))
  const kept = yield* whyKept(ads, looked)
  const already = looked.filter(({ standing }) => standing === "already")
  // The read model lags behind by minutes: a way back does not trust it to show what has just been changed or made.
  if (progress.isWayBack) {
    for (const { step } of already) if (!kept.has(step)) progress.shown.add(step)
  } else {
    yield* settle(applying, stepsOf(already), { found: true })
    yield* noteRounded(applying, already, seen)
  }
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

/** How a row stands; a bid that the plan itself has set there, or the plan that a way back leads from, is not somebody else's. */
export const standingOf = ({ change, step }: Row, seen: Look, { inDoubt, original, probes }: Progress): Standing => {
  const standing = seen.standing(change)
  const shown = seen.bidShown(change)
  if (standing !== "stale" || shown === null || (change.kind !== "bid" && change.kind !== "cluster")) return standing
  const { after, before } = change
  const isLate = original?.unconfirmed.has(step) === true && !original.rounded.has(step)
  if (inDoubt.has(step) && after !== null && isRounded(shown, after)) return "already"
  if (isLate && before !== null && isRounded(shown, before)) return "pending"
  if (change.kind === "bid") return standing
  const isOther = inDoubt.has(step) && after !== null && isMisread(shown, after)
  const isBack = original !== undefined && before !== null && isMisread(shown, before)
  return isOther || isBack || isProbe(shown, probes.get(step) ?? original?.probes.get(step)) ? "pending" : standing
}

/** The rows, once it is clear in which unit their bids go out (D2); where it is not, none of them goes out. */
const inKnownUnit = Effect.fnUntraced(function* (applying: Applying, pending: ReadonlyArray<Row>, seen: Look) {
  const { progress, wire } = applying
  const { provenUnit } = progress.plan
  const found = clusterUnit(wire, [...seen.provenUnits, ...(provenUnit === undefined ? [] : [provenUnit])])
  if (Result.isFailure(found)) {
    yield* passOver(applying, stepsOf(pending), found.failure)
    return []
  }
  progress.clusterUnit = found.success.unit
  return pending
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
