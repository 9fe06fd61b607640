import { Array as Arrays, Order } from "effect"

import { status } from "../client/Campaign.ts"
import { type Kopecks, kopecksToRubles } from "../client/money.ts"
import { type Change, workOf } from "./Change.ts"
import { bidBefore } from "./guards.ts"
import type { Step } from "./Plan.ts"

/** A bid that changes; `before` is null where nothing is known to measure it against. */
interface BidMove {
  readonly id: string
  readonly before: Kopecks | null
  readonly after: Kopecks
}

const bidMoveOf = ({ change, id }: Step): BidMove | undefined => {
  if ((change.kind !== "bid" && change.kind !== "cluster") || change.after === null) return undefined
  return { id, before: bidBefore(change) || null, after: change.after }
}

/** The new bid as a multiple of the one before; infinite for a first bid. */
const ratioOf = ({ after, before }: BidMove): number => (before === null ? Infinity : after / before)

const rubles = (kopecks: Kopecks): string => kopecksToRubles(kopecks)

/** Such as `+45%`, with as many decimals as tell it from 0. */
const percentText = (move: BidMove): string => {
  const percent = (ratioOf(move) - 1) * 100
  return `${percent > 0 ? "+" : ""}${Number(percent.toPrecision(Math.abs(percent) < 100 ? 2 : 4))}%`
}

const moveText = (move: BidMove): string =>
  move.before === null
    ? `${move.id} to ${rubles(move.after)} rub`
    : `${move.id} from ${rubles(move.before)} to ${rubles(move.after)} rub (${percentText(move)})`

/** The number of bids of a group, and the one that changes most. */
const group = (
  moves: ReadonlyArray<BidMove>,
  [one, many]: readonly [one: string, many: string],
  mostFirst: Order.Order<BidMove>
): ReadonlyArray<string> => {
  const [most] = moves.toSorted(mostFirst)
  if (most === undefined) return []
  return [moves.length === 1 ? `1 ${one}, ${moveText(most)}` : `${moves.length} ${many}, the most ${moveText(most)}`]
}

const byRatio = Order.mapInput(Order.Number, ratioOf)
const byHeight = Order.mapInput(Order.Number, ({ after }: BidMove) => after)

const counted = (count: number, one: string, many: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]

/** The money that goes into budgets for good. */
const moneyText = (changes: ReadonlyArray<Change>): ReadonlyArray<string> => {
  const deposits = changes.flatMap((change) => (change.kind === "deposit" ? [change.rubles] : []))
  const sum = deposits.reduce((a, b) => a + b, 0)
  const budgets = deposits.length === 1 ? "the budget of 1 campaign" : `the budgets of ${deposits.length} campaigns`
  return deposits.length === 0 ? [] : [`${sum} rub go into ${budgets}, for good`]
}

/** The effect of a plan on bids, phrases, articles and campaigns, in one line, with the largest rise and the largest cut. */
export const digestOf = (steps: ReadonlyArray<Step>): string | undefined => {
  const moves = steps.flatMap((step) => bidMoveOf(step) ?? [])
  const changes = steps.map(({ change }) => change)
  const phrases = changes.flatMap((change) => (change.kind === "phrases" ? [change] : []))
  const difference = (side: "after" | "before", other: "after" | "before") =>
    Arrays.reduce(phrases, 0, (count, change) => {
      const others = new Set(change[other])
      return count + change[side].filter((phrase) => !others.has(phrase)).length
    })
  const products = changes.flatMap((change) => (change.kind === "product" ? [change.after] : []))
  const parts = [
    ...group(
      moves.filter(({ before }) => before === null),
      ["bid is a first one", "bids are first ones"],
      Order.flip(byHeight)
    ),
    ...group(
      moves.filter((move) => move.before !== null && ratioOf(move) > 1),
      ["bid rises", "bids rise"],
      Order.flip(byRatio)
    ),
    ...group(
      moves.filter((move) => ratioOf(move) < 1),
      ["bid falls", "bids fall"],
      byRatio
    ),
    ...counted(
      changes.filter((change) => change.kind === "cluster" && change.after === null).length,
      "cluster bid is removed",
      "cluster bids are removed"
    ),
    ...counted(difference("before", "after"), "minus-phrase is removed", "minus-phrases are removed"),
    ...counted(difference("after", "before"), "minus-phrase is added", "minus-phrases are added"),
    ...counted(products.filter((isIn) => isIn).length, "article joins a campaign", "articles join campaigns"),
    ...counted(products.filter((isIn) => !isIn).length, "article leaves a campaign", "articles leave campaigns"),
    ...moneyText(changes),
    ...counted(
      changes.filter((change) => workOf(change) === "start").length,
      "campaign starts and spends its money",
      "campaigns start and spend their money"
    ),
    ...counted(changes.filter((change) => workOf(change) === "pause").length, "campaign pauses", "campaigns pause"),
    ...counted(
      changes.filter((change) => workOf(change) === "end").length,
      "campaign ends, for good",
      "campaigns end, for good"
    ),
    ...counted(changes.filter(({ kind }) => kind === "name").length, "campaign is renamed", "campaigns are renamed"),
    ...counted(
      changes.filter(({ kind }) => kind === "placements").length,
      "campaign changes its placements",
      "campaigns change their placements"
    ),
    ...counted(changes.filter(({ kind }) => kind === "limit").length, "daily limit changes", "daily limits change"),
    ...counted(changes.filter(({ kind }) => kind === "create").length, "campaign is created", "campaigns are created"),
    ...counted(changes.filter(({ kind }) => kind === "delete").length, "campaign is deleted", "campaigns are deleted")
  ]
  return parts.length === 0 ? undefined : `${parts.join("; ")}.`
}

/** The end of a campaign, which nothing undoes, stands above a start, which spends. */
const stateRisks = { [status.active]: 4, [status.paused]: 0, [status.finished]: 5 } as const

/** The danger of a step to the money of a seller: what can raise spending stands above what lowers it. */
const riskOf = (step: Step): number => {
  const { change } = step
  const move = bidMoveOf(step)
  if (move !== undefined) return ratioOf(move) >= 1 ? 4 : 1
  if (change.kind === "phrases") return change.before.some((phrase) => !change.after.includes(phrase)) ? 3 : 0
  if (change.kind === "deposit") return 5
  if (change.kind === "state") return stateRisks[change.after]
  if (change.kind === "name") return 0
  if (change.kind === "placements") return change.after.some((place) => !change.before.includes(place)) ? 3 : 1
  if (change.kind === "limit") return (change.after ?? Infinity) > (change.before ?? Infinity) ? 3 : 1
  if (change.kind === "cluster" || change.kind === "delete") return 3
  return change.kind === "product" && !change.after ? 0 : 2
}

/** The degree by which a bid departs from the one before; the height of a first bid. */
const departureOf = (step: Step): readonly [ratio: number, height: number] => {
  const move = bidMoveOf(step)
  if (move === undefined) return [1, 0]
  const ratio = ratioOf(move)
  return [ratio < 1 ? 1 / ratio : ratio, move.after]
}

/** Steps with the greatest risk first: first bids, rises by their size, what widens reach, cuts by their size, the rest. */
export const byRisk: Order.Order<Step> = Order.combineAll([
  Order.flip(Order.mapInput(Order.Number, riskOf)),
  Order.flip(Order.mapInput(Order.Tuple([Order.Number, Order.Number]), departureOf))
])
