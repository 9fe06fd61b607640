import { Effect } from "effect"

import { Kopecks, kopecksToRubles } from "../money.ts"
import { storyOf } from "../story.ts"
import { type Applying, stop } from "./Applying.ts"
import { type Look, look } from "./look.ts"
import type { Row } from "./rows.ts"
import { writeDown } from "./writeDown.ts"

const inRubles = "this marketplace counts cluster bids in rubles (D2), and they would be a hundred times too high"
const reason = "ClusterBidUnit"
const remedy = "Set wire to published in the configuration and restart"

/** Takes back the one bid that came out a hundred times too high, and stops. */
export const takeBack = Effect.fnUntraced(function* (applying: Applying, { change, step }: Row) {
  const { ads, progress } = applying
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
  yield* writeDown(applying, { type: "undone", steps: [step], problem: again })
  return yield* stop(progress, { reason, problem: `${problem}. ${again}; no other was sent. ${remedy}.` })
})

/** A first bid that a break kept from being looked at: one that came out too high is not taken for someone else's. */
export const takeBackInDoubt = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>, seen: Look) {
  if (applying.wire === "published") return
  const { inDoubt } = applying.progress
  const tooHigh = rows.find(({ change, step }) => inDoubt.has(step) && seen.unit(change) === "hundredfold")
  yield* tooHigh === undefined ? Effect.void : takeBack(applying, tooHigh)
})
