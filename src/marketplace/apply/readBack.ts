import { Effect } from "effect"

import { type Kopecks, kopecksToRubles } from "../client/money.ts"
import { bisectRead } from "../client/partialReads.ts"
import { batchesOf } from "../plan/batches.ts"
import { type Applying, stop } from "./Applying.ts"
import { look, type Look } from "./look.ts"
import { isMisread, isRounded } from "./ownBid.ts"
import { changesOf, type Row, rowsOf, stepsOf } from "./rows.ts"
import { note, writeDown } from "./writeDown.ts"

/** Looks at what was sent; what does not show yet is unconfirmed. */
export const readBack = Effect.fnUntraced(function* (applying: Applying, pending: ReadonlyArray<Row>) {
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

interface Seen {
  readonly row: Row
  readonly as: "other" | "wanted" | { readonly rounded: Kopecks } | { readonly misread: Kopecks }
}

/** The steps that show as wanted, or rounded; what the marketplace does not show at all is none of them. */
const shownAmong = Effect.fnUntraced(function* (applying: Applying, rows: ReadonlyArray<Row>) {
  const { found } = yield* bisectRead(rows, (some) => look(applying.ads, changesOf(some)))
  const all = found.flatMap(({ answer, items }) => items.map((row) => seenAs(row, answer)))
  yield* stopAtMisread(applying, all)
  yield* writeRounded(applying, all)
  return new Set(all.filter(({ as }) => as !== "other").map(({ row }) => row.step))
})

const seenAs = (row: Row, seen: Look): Seen => {
  const { change } = row
  if (seen.standing(change) === "already") return { row, as: "wanted" }
  const bid = seen.bidShown(change)
  const isOfBid = change.kind === "bid" || change.kind === "cluster"
  if (bid === null || !isOfBid || change.after === null || bid === change.before) return { row, as: "other" }
  if (change.kind === "cluster" && isMisread(bid, change.after)) return { row, as: { misread: bid } }
  return { row, as: isRounded(bid, change.after) ? { rounded: bid } : "other" }
}

/** A bid that the marketplace rounds to its step is still the plan's own, for the way back, too. */
export const noteRounded = (applying: Applying, rows: ReadonlyArray<Row>, seen: Look) =>
  writeRounded(
    applying,
    rows.map((row) => seenAs(row, seen))
  )

const writeRounded = Effect.fnUntraced(function* (applying: Applying, all: ReadonlyArray<Seen>) {
  const rounded = all.flatMap(({ as, row }) =>
    typeof as === "object" && "rounded" in as ? [[row.step, as.rounded] as const] : []
  )
  if (rounded.length === 0) return
  for (const [step, bid] of rounded) applying.progress.rounded.set(step, bid)
  const entry = { steps: rounded.map(([step]) => step), bids: rounded.map(([, bid]) => bid) }
  yield* writeDown(applying, { type: "rounded", ...entry })
})

/** A setting that nothing proves can be wrong: what was read in the other unit is not done, and nothing follows it (D2). */
const stopAtMisread = (applying: Applying, all: ReadonlyArray<Seen>) => {
  const misread = all.flatMap(({ as, row }) =>
    typeof as === "object" && "misread" in as ? [{ step: row.step, bid: as.misread }] : []
  )
  const [first, ...others] = misread
  if (first === undefined) return Effect.void
  const more = others.length === 0 ? "" : `, and ${others.length} more likewise`
  const problem =
    `The marketplace has read the cluster bid ${first.step} in another unit than it was sent in (D2): it stands at ` +
    `${kopecksToRubles(first.bid)} rub${more}.`
  return stopAs(
    applying,
    misread.map(({ step }) => step),
    problem
  )
}

const stopAs = Effect.fnUntraced(function* (applying: Applying, steps: ReadonlyArray<string>, problem: string) {
  const { progress } = applying
  yield* writeDown(applying, { type: "misread", steps, problem })
  for (const step of steps) {
    progress.done.delete(step)
    progress.unconfirmed.delete(step)
    progress.misread.set(step, problem)
  }
  const remedy =
    "No other bid is sent. Set marketplace.wire to the other form and restart; ads_rollback plans the way back"
  return yield* stop(progress, { reason: "ClusterBidUnit", problem: `${problem} ${remedy}.` })
})
