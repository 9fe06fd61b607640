import { Clock, Effect } from "effect"

import { type Kopecks, kopecksToRubles } from "../money.ts"
import type { Applying } from "./Applying.ts"
import { look, type UnitShown, visibleMs } from "./look.ts"
import { type BidRow, isBidRow, sendLow, withBid } from "./lowBid.ts"
import type { Halt, Progress } from "./Progress.ts"
import { type Row, rowsOf } from "./rows.ts"
import { sendTogether } from "./sendRows.ts"
import { stopAsMisread, takeBack } from "./takeBack.ts"
import { hundredfold, trialStory } from "./trialStory.ts"
import { note, writeDown } from "./writeDown.ts"

const pauseMs = 5000

/**
 * The document counts cluster bids in kopecks, the marketplace publishes rubles (D2). So one bid goes first, at a
 * hundredth of what is wanted, and the others only when it is seen as it was sent, or when a person has looked. Returns
 * the rows that may be sent, that one among them.
 */
export const tryUnit = Effect.fnUntraced(function* (applying: Applying, pending: ReadonlyArray<Row>) {
  const { progress, wire } = applying
  if (wire === "published" || progress.isUnitClear) return goOn(progress, pending)
  const { first, rest } = yield* firstBid(applying, pending)
  if (first === undefined) return rest
  const shown = yield* watch(applying, first)
  if (shown === "hundredfold") return yield* takeBack(applying, first.row)
  if (progress.misread !== undefined) return yield* stopAsMisread(progress, progress.misread)
  // What a way back sends is a number that was read from the same marketplace, in whatever unit.
  if (shown === "as set" || (shown === "unsaid" && progress.isWayBack)) {
    progress.isUnitClear = true
    if (first.isLow) yield* note(applying, "confirmed", [first.row.step])
    return goOn(progress, rest)
  }
  if (shown === "unsaid") return yield* ask(applying, "The marketplace does not say in which unit it keeps it.", first)
  const isLate = (yield* Clock.currentTimeMillis) >= first.sentAt + visibleMs
  if (isLate && first.isTaken) return yield* ask(applying, "It does not show when it is read back.", first)
  const story = trialStory({ change: first.row.change, bid: first.bid })
  const notice =
    `${story} It does not show yet, which may take some minutes, and nothing else goes out before. Calling this ` +
    "again looks at it, and then goes on or takes it back."
  return halt(progress, { state: "in progress", notice })
})

/** From now on the wanted bids go out. */
const goOn = (progress: Progress, rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  if (progress.trial !== undefined) progress.trial = { ...progress.trial, isOver: true }
  return rows
}

/** The bid that shows how the marketplace reads it, and the number that was sent. */
interface First {
  readonly row: BidRow
  readonly bid: Kopecks
  readonly sentAt: number
  readonly isLow: boolean
  readonly isTaken: boolean
}

interface Begun {
  /** Nothing where the marketplace takes none. */
  readonly first?: First
  readonly rest: ReadonlyArray<Row>
}

/** The bid that an earlier apply has begun with; else the first that the marketplace takes now. */
const firstBid = Effect.fnUntraced(function* (applying: Applying, pending: ReadonlyArray<Row>) {
  const { progress } = applying
  const rows = pending.filter(isBidRow)
  const now = yield* Clock.currentTimeMillis
  const { trial } = progress
  const tried = rows.find(({ step }) => step === trial?.step)
  // A call without an answer that has not shown for so long has not arrived.
  const isOpen =
    trial !== undefined &&
    !trial.isOver &&
    (trial.isTaken || progress.misread !== undefined || now < trial.at + visibleMs)
  if (tried !== undefined && isOpen) return { first: lowFirst(tried, trial), rest: rows } satisfies Begun
  const earlier = rowsOf(progress.plan.steps, progress)
    .filter(isBidRow)
    .find(({ step }) => progress.sent.has(step))
  if (earlier !== undefined) return { first: wholeFirst(progress, earlier, now), rest: rows } satisfies Begun
  if (progress.misread !== undefined) return yield* stopAsMisread(progress, progress.misread)
  for (const [index, row] of rows.entries()) {
    const isTaken = yield* sendLow(applying, row)
    if (isTaken && progress.trial !== undefined) {
      return { first: lowFirst(row, progress.trial), rest: rows.slice(index) } satisfies Begun
    }
    yield* sendTogether(applying, [row])
    if (progress.done.has(row.step)) {
      return { first: wholeFirst(progress, row, now), rest: rows.slice(index + 1) } satisfies Begun
    }
  }
  return { rest: [] } satisfies Begun
})

const lowFirst = (row: BidRow, { at, bid, isTaken }: NonNullable<Progress["trial"]>): First => ({
  row,
  bid,
  sentAt: at,
  isLow: true,
  isTaken
})

const wholeFirst = ({ done }: Progress, row: BidRow, now: number): First => ({
  row,
  bid: row.change.after,
  sentAt: done.get(row.step) ?? now,
  isLow: false,
  isTaken: true
})

/** How a bid shows, as soon as it does; for as long as it may take since it was set, and as the caller waits. */
const watch = Effect.fnUntraced(function* ({ ads, until }: Applying, { bid, row, sentAt }: First) {
  const { change } = withBid(row, bid)
  const end = Math.min(until, sentAt + visibleMs)
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
const ask = Effect.fnUntraced(function* (applying: Applying, why: string, { bid, isLow, row }: First) {
  const { change, step } = row
  const wanted = `, and the wanted ${kopecksToRubles(change.after)} rub follow when the plan is applied again`
  const notice =
    `The first cluster bid was set${isLow ? " on trial" : ""}, ${step}. ${why} A person must look in the cabinet before ` +
    `any others follow: if it shows ${kopecksToRubles(bid)} rub, all is well${isLow ? wanted : ""}; if it shows a hundred ` +
    `times as much, ${kopecksToRubles(hundredfold(bid))} rub, set it right there and set wire to published.`
  yield* writeDown(applying, { type: "asked", problem: notice })
  return halt(applying.progress, { state: "to be checked", notice })
})
