import { Clock, Effect } from "effect"

import { Kopecks, kopecksToRubles } from "../money.ts"
import { storyOf } from "../story.ts"
import { type Applying, stop } from "./Applying.ts"
import { type Look, look, type UnitShown, visibleMs } from "./look.ts"
import type { Halt, Progress } from "./Progress.ts"
import { type Row, rowsOf } from "./rows.ts"
import { sendTogether } from "./sendRows.ts"

const pauseMs = 5000

/**
 * The document counts cluster bids in kopecks, the marketplace publishes rubles (D2). So one bid goes first, and the
 * others only when it is seen as it was set, or when a person has looked. Returns the rows that may be sent.
 */
export const tryUnit = Effect.fnUntraced(function* (applying: Applying, pending: ReadonlyArray<Row>) {
  const { progress, wire } = applying
  if (wire === "published" || progress.isUnitClear) return pending
  const { rest, trial } = yield* firstBid(applying, pending)
  if (trial === undefined) return rest
  const shown = yield* watch(applying, trial)
  if (shown === "hundredfold") return yield* takeBack(applying, trial)
  // What a way back sends is a number that was read from the same marketplace, in whatever unit.
  if (shown === "as set" || (shown === "unsaid" && progress.isWayBack)) {
    progress.isUnitClear = true
    return rest
  }
  if (shown === "unsaid") return yield* ask(applying, "The marketplace does not say in which unit it keeps it.", trial)
  const isLate = (yield* Clock.currentTimeMillis) >= (progress.done.get(trial.step) ?? 0) + visibleMs
  if (isLate) return yield* ask(applying, "It does not show when it is read back.", trial)
  const notice = `The first cluster bid, ${trial.step}, does not show yet, which may take some minutes; nothing else goes out before.`
  return halt(progress, { state: "in progress", notice })
})

/** A first bid that a break kept from being looked at: one that came out too high is not taken for someone else's. */
export const takeBackInDoubt = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>, seen: Look) {
  if (applying.wire === "published") return
  const { inDoubt } = applying.progress
  const tooHigh = rows.find(({ change, step }) => inDoubt.has(step) && seen.unit(change) === "hundredfold")
  yield* tooHigh === undefined ? Effect.void : takeBack(applying, tooHigh)
})

const inRubles = "this marketplace counts cluster bids in rubles (D2), and they would be a hundred times too high"
const reason = "ClusterBidUnit"
const remedy = "Set wire to published in the configuration and restart"

/** The bid that an earlier apply has begun with; else the first that the marketplace takes now. */
const firstBid = Effect.fnUntraced(function* (applying: Applying, pending: ReadonlyArray<Row>) {
  const [earlier] = rowsOf(applying.progress.plan.steps, applying.progress).filter(
    ({ change, step }) => change.kind === "cluster" && change.after !== null && applying.progress.sent.has(step)
  )
  if (earlier !== undefined) return { trial: earlier, rest: pending }
  for (const [index, row] of pending.entries()) {
    yield* sendTogether(applying, [row])
    if (applying.progress.done.has(row.step)) return { trial: row, rest: pending.slice(index + 1) }
  }
  return { trial: undefined, rest: [] }
})

/** How a bid shows, as soon as it does; for as long as it may take since it was set, and as the caller waits. */
const watch = Effect.fnUntraced(function* ({ ads, progress, until }: Applying, { change, step }: Row) {
  const setAt = progress.done.get(step) ?? (yield* Clock.currentTimeMillis)
  const end = Math.min(until, setAt + visibleMs)
  while (true) {
    const shown: UnitShown = (yield* look(ads, [change])).unit(change)
    if (shown !== "not shown" || (yield* Clock.currentTimeMillis) >= end) return shown
    yield* Effect.sleep(pauseMs)
  }
})

const halt = (progress: Progress, reason: Halt): ReadonlyArray<Row> => {
  progress.halt = reason
  return []
}

/** Leaves the other bids unsent until a person has looked; applying the plan again says that one has. */
const ask = Effect.fnUntraced(function* ({ progress, store }: Applying, why: string, { change, step }: Row) {
  const amount = change.kind === "cluster" && change.after !== null ? `${kopecksToRubles(change.after)} rub` : "it"
  const notice =
    `The first cluster bid was set, ${step}. ${why} A person must look in the cabinet before any others follow: if it ` +
    `shows ${amount}, all is well; if it shows a hundred times as much, set it right there and set wire to published.`
  yield* store.append({ type: "asked", at: yield* Clock.currentTimeMillis, plan_id: progress.plan.id, problem: notice })
  return halt(progress, { state: "to be checked", notice })
})

/** Takes back the one bid that came out a hundred times too high, and stops. */
const takeBack = Effect.fnUntraced(function* ({ ads, progress, store }: Applying, { change, step }: Row) {
  const { plan } = progress
  if (change.kind !== "cluster") return yield* Effect.die(`${step} is no cluster bid`)
  const { nm_id, norm_query, target } = change
  // What a way back found as wanted was there before, and not what the step leads from.
  const before = progress.shown.has(step) ? change.after : change.before
  const at = { advert_id: target, nm_id, norm_query }
  const asItWas =
    before === null
      ? Effect.as(ads.deleteNormqueryBids({ bids: [at] }), { failed: [] })
      : ads.setNormqueryBids({ bids: [{ ...at, bid: Kopecks.make(Math.round(before / 100)) }] })
  const problem = `The cluster bid ${step} came out a hundred times as high as it was meant: ${inRubles}`
  const trouble = yield* Effect.match(asItWas, {
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
  const done = before === null ? "dropped again" : `set back to ${kopecksToRubles(before)} rub`
  const again = `It was ${done} at once${isAsItWas ? ", as reading it shows" : "; make sure of that in the cabinet"}`
  yield* store.append({
    type: "undone",
    at: yield* Clock.currentTimeMillis,
    plan_id: plan.id,
    steps: [step],
    problem: again
  })
  return yield* stop(progress, { reason, problem: `${problem}. ${again}; no other was sent. ${remedy}.` })
})
