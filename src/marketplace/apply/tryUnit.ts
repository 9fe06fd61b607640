import { Clock, Effect } from "effect"

import { kopecksToRubles } from "../money.ts"
import type { Applying } from "./Applying.ts"
import { look, type UnitShown, visibleMs } from "./look.ts"
import type { Halt, Progress } from "./Progress.ts"
import { type Row, rowsOf } from "./rows.ts"
import { sendTogether } from "./sendRows.ts"
import { takeBack } from "./takeBack.ts"
import { writeDown } from "./writeDown.ts"

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
const ask = Effect.fnUntraced(function* (applying: Applying, why: string, { change, step }: Row) {
  const amount = change.kind === "cluster" && change.after !== null ? `${kopecksToRubles(change.after)} rub` : "it"
  const notice =
    `The first cluster bid was set, ${step}. ${why} A person must look in the cabinet before any others follow: if it ` +
    `shows ${amount}, all is well; if it shows a hundred times as much, set it right there and set wire to published.`
  yield* writeDown(applying, { type: "asked", problem: notice })
  return halt(applying.progress, { state: "to be checked", notice })
})
