import { Clock, Effect } from "effect"

import { isRefusalOfSome } from "../isRefusal.ts"
import { Kopecks } from "../money.ts"
import type { Applying } from "./Applying.ts"
import type { LocatedOf } from "./Located.ts"
import type { Row } from "./rows.ts"
import { sendBegun } from "./sendRows.ts"
import { hundredfold } from "./trialStory.ts"
import { note, writeDown } from "./writeDown.ts"

/** A row that sets a cluster bid. */
export interface BidRow extends Row {
  readonly change: LocatedOf<"cluster"> & { readonly after: Kopecks }
}

export const isBidRow = (row: Row): row is BidRow => row.change.kind === "cluster" && row.change.after !== null

/** What the row sends on trial instead of its own bid. */
export const withBid = ({ change, step }: BidRow, bid: Kopecks): BidRow => ({ step, change: { ...change, after: bid } })

/**
 * A hundredth of the wanted bid: right to the ruble where rubles are read, too low for a moment where kopecks are. What
 * may stand there already must not look like either.
 */
export const lowBid = ({ progress }: Applying, { change, step }: BidRow): Kopecks => {
  const standing = progress.shown.has(step) ? [change.before, change.after] : [change.before]
  const isTold = (bid: Kopecks) => !standing.includes(bid) && !standing.includes(hundredfold(bid))
  let bid = Kopecks.make(Math.max(1, Math.round(change.after / 100)))
  while (!isTold(bid)) bid = Kopecks.make(bid + 1)
  return bid
}

/** Sends the low bid. Returns whether the marketplace has taken it; one that it refuses may be below its lowest bid. */
export const sendLow = Effect.fnUntraced(function* (applying: Applying, row: BidRow) {
  const { progress } = applying
  const { step } = row
  const bid = lowBid(applying, row)
  yield* writeDown(applying, { type: "begun", steps: [step], trial: bid })
  const { refused } = yield* sendBegun(applying, [withBid(row, bid)]).pipe(
    Effect.catchIf(isRefusalOfSome, ({ message }) => Effect.succeed({ refused: [message] }))
  )
  if (refused.length > 0) {
    yield* note(applying, "unsent", [step])
    return false
  }
  yield* note(applying, "tried", [step])
  progress.trial = { step, bid, at: yield* Clock.currentTimeMillis, isTaken: true, isOver: false }
  return true
})
