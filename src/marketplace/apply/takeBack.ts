import { Effect } from "effect"

import { Kopecks, kopecksToRubles } from "../money.ts"
import { workOf } from "../plan/Change.ts"
import { storyOf } from "../story.ts"
import { type Applying, stop } from "./Applying.ts"
import type { Misread } from "./history.ts"
import type { LocatedOf } from "./Located.ts"
import { type Ads, type Look, look } from "./look.ts"
import { left, type Progress } from "./Progress.ts"
import { type Row, rowsOf } from "./rows.ts"
import { hundredfold, inBoth, inRubles, misreadStory } from "./trialStory.ts"
import { writeDown } from "./writeDown.ts"

const reason = "ClusterBidUnit"

/** Stops a plan whose first bid has been taken back already, before it sends another. */
export const stopMisread = ({ progress, wire }: Applying) => {
  const { misread } = progress
  const isLeft = left(progress).some(({ change }) => workOf(change) === "cluster")
  if (misread === undefined || wire === "published" || !isLeft) return Effect.void
  const { step } = misread
  const mayStand = progress.done.has(step) || progress.inDoubt.has(step)
  return mayStand ? Effect.void : stopAsMisread(progress, misread)
}

export const stopAsMisread = (progress: Progress, misread: Misread) =>
  stop(progress, { reason, problem: misreadStory(misread) })

/** Takes back the one bid that came out a hundred times too high, and stops. */
export const takeBack = Effect.fnUntraced(function* (applying: Applying, { change, step }: Row) {
  const { ads, progress } = applying
  if (change.kind !== "cluster") return yield* Effect.die(`${step} is no cluster bid`)
  // What a way back found as wanted was there before, and not what the step leads from.
  const before = progress.shown.has(step) ? change.after : change.before
  const inRead = before === null ? null : Kopecks.make(Math.round(before / 100))
  const problem = `The cluster bid ${step} came out a hundred times as high as it was sent: ${inRubles}`
  const unknown = "It was to be taken back, and it is not known whether it was: look at it in the cabinet"
  yield* writeDown(applying, { type: "misread", steps: [step], problem: unknown })
  const trouble = yield* Effect.match(setBack(ads, change, inRead), {
    onFailure: storyOf,
    onSuccess: ({ failed: [first] }) => first?.reason
  })
  const readBack = Effect.map(look(ads, [change]), ({ clusterBid }) => clusterBid(change) === before)
  const isAsItWas = yield* Effect.orElseSucceed(readBack, () => false)
  if (trouble !== undefined && !isAsItWas) {
    const words = `It stands like that, for taking it back failed: ${trouble} Set it right in the cabinet at once`
    return yield* stop(progress, { reason, problem: `${problem}. ${words}; or let the next apply try again.` })
  }
  progress.done.delete(step)
  progress.sent.delete(step)
  progress.trial = undefined
  const done = before === null ? "dropped again" : `set back to ${kopecksToRubles(before)} rub`
  const again = `It was ${done} at once${isAsItWas ? ", as reading it shows" : "; make sure of that in the cabinet"}`
  yield* writeDown(applying, { type: "undone", steps: [step], problem: again })
  return yield* stopAsMisread(progress, { step, problem: again })
})

/** A first bid that a break kept from being looked at: one that came out too high is not taken for someone else's. */
export const takeBackInDoubt = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>, seen: Look) {
  if (applying.wire === "published") return
  const { inDoubt, trial } = applying.progress
  const isOfLow = ({ change, step }: Row) =>
    trial?.step === step &&
    !trial.isOver &&
    change.kind === "cluster" &&
    seen.clusterBid(change) === hundredfold(trial.bid)
  const tooHigh = rows.find((row) => isOfLow(row) || (inDoubt.has(row.step) && seen.unit(row.change) === "hundredfold"))
  yield* tooHigh === undefined ? Effect.void : takeBack(applying, tooHigh)
})

/** Where the wanted bid was refused after its trial, the low one must not stay in its place. */
export const dropLow = Effect.fnUntraced(function* (applying: Applying) {
  const { ads, progress, wire } = applying
  const { trial } = progress
  if (wire === "published" || trial === undefined || !trial.isOver || !progress.refused.has(trial.step)) return
  const row = rowsOf(progress.plan.steps, progress).find(({ step }) => step === trial.step)
  if (row?.change.kind !== "cluster") return
  const { change } = row
  if ((yield* look(ads, [change])).clusterBid(change) !== trial.bid) return
  const low = `The trial's bid of ${inBoth(trial.bid)} at ${trial.step}`
  const {
    failed: [refused]
  } = yield* setBack(ads, change, change.before)
  const stays = `${low} still stands, for taking it back was refused: ${refused?.reason}`
  yield* refused === undefined ? Effect.void : stop(progress, { reason, problem: stays })
  const problem = `${low} was taken back, because the wanted one was refused`
  yield* writeDown(applying, { type: "undone", steps: [trial.step], problem, low: true })
})

const setBack = (ads: Ads, { nm_id, norm_query, target }: LocatedOf<"cluster">, bid: Kopecks | null) => {
  const at = { advert_id: target, nm_id, norm_query }
  return bid === null
    ? Effect.as(ads.deleteNormqueryBids({ bids: [at] }), { failed: [] })
    : ads.setNormqueryBids({ bids: [{ ...at, bid }] })
}
