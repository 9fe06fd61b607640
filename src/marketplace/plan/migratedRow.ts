import { bidOf, type Article, type Campaign, paymentOf, type Placement } from "../client/Campaign.ts"
import { type Kopecks, kopecksToRubles, percentOf } from "../client/money.ts"
import type { Target } from "./Change.ts"
import type { Finding } from "./draft.ts"
import { aboveFloor } from "./floors.ts"
import { guardProblem } from "./guards.ts"
import type { Migration } from "./Migration.ts"
import * as Phrases from "./phrases.ts"
import { phraseFinding } from "./planMinusPhrases.ts"

/** An article on its way from an old campaign to where it shall be set. */
export interface Row {
  readonly from: Campaign
  readonly target: Target
  readonly nm_id: number
  /** The article as it is there now; nothing if it is not there yet. */
  readonly there: Article | undefined
  readonly placements: ReadonlyArray<Placement>
  /** What the article's bid is today, wherever it is; the largest change is measured against it. */
  readonly today: Kopecks | undefined
  /** The old bid; nothing if the present one stays. */
  readonly bid: Kopecks | undefined
  /** The phrases it has there now, and those it shall have. */
  readonly before: ReadonlyArray<string>
  readonly phrases: ReadonlyArray<string>
}

/** What is to be done for one article: its bid at every placement, and its phrases once. */
export const migratedRow = (row: Row, migration: Migration): ReadonlyArray<Finding> => {
  const { before, bid, from, nm_id, phrases, placements, target } = row
  const bids = bid === undefined ? [] : placements.flatMap((placement) => migratedBid(row, placement, bid, migration))
  if (migration.phrasesClosed !== undefined) return [...bids, withoutPhrases(row, migration.phrasesClosed)]
  if (phrases.length === 0) return bids
  const after = migration.options.phrases === "merge" ? Phrases.merge(before, phrases) : Phrases.distinct(phrases)
  const reason = `the phrases of campaign ${from.id} are kept per article in type 9`
  return [...bids, ...phraseFinding({ target, nm_id, before, after }, reason)]
}

/** Said once per campaign: a list that cannot be read cannot be added to, and setting it would replace it. */
const withoutPhrases = ({ from, target }: Row, why: string): Finding => ({
  what: `phrases ${from.id}`,
  reason:
    target === from.id
      ? `the campaign's phrases cannot be read and stay as they are: ${why}`
      : `the campaign's phrases cannot be read, and its twin gets none: give it phrases before it is started. ${why}`,
  later: true
})

const migratedBid = (
  { from, nm_id, target, there, today }: Row,
  placement: Placement,
  old: Kopecks,
  { floor, guards, options }: Migration
): ReadonlyArray<Finding> => {
  const what = `bid of article ${nm_id} at ${placement}, campaign ${from.id}`
  const before = there === undefined ? null : bidOf(there, placement)
  const percent = options.percent[placement]
  const lowest = floor({ nm_id, placement, payment_type: paymentOf(from) })
  const found = aboveFloor(percentOf(old, percent), lowest, options.onBelowFloor)
  if (found === undefined) return [{ warning: `${what}: below the lowest bid, left as it is` }]
  if ("problem" in found) return [{ what, reason: found.problem }]
  if (found.bid === 0) return [{ what, reason: "the old bid is 0" }]
  if (found.bid === before) return []
  const part = percent === 100 ? "" : ` at ${percent}%`
  const reason = `old bid ${kopecksToRubles(old)} rub${part}${found.note}`
  const compared = before === null && today !== undefined ? { today } : {}
  const change = { kind: "bid", target, nm_id, placement, before, after: found.bid, ...compared } as const
  const problem = guardProblem(guards, change)
  return [problem === undefined ? { change, reason } : { what, reason: problem }]
}
