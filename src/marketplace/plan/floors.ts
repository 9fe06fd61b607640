import { Kopecks, kopecksToRubles } from "../client/money.ts"
import type { Floor } from "../report/LowestBids.ts"

export type { Floor }

/** The treatment of a bid below the minimum: it is listed as blocked, raised, or skipped silently. */
export type OnBelowFloor = "block" | "raise" | "skip"

const floorKey = ({ nm_id, payment_type, placement }: Omit<Floor, "kopecks">): string =>
  `${nm_id}/${payment_type}/${placement}`

/** Looks up minimum bids; of several for one place the highest. One between two steps is not taken, and the step above counts. */
export const floorsOf = (floors: ReadonlyArray<Floor>, steps: BidSteps = anyStep) => {
  const highest = new Map<string, Kopecks>()
  for (const floor of floors) {
    const before = highest.get(floorKey(floor))
    if (before === undefined || before < floor.kopecks) highest.set(floorKey(floor), floor.kopecks)
  }
  return (place: Omit<Floor, "kopecks">): Kopecks | undefined => {
    const lowest = highest.get(floorKey(place))
    const step = place.payment_type === "cpc" ? steps.cpc : steps.cpm
    return lowest === undefined ? undefined : Kopecks.make(Math.ceil(lowest / step) * step)
  }
}

/**
 * Compares a requested bid with the minimum: what to bid, with a remark, or why not to. A cut never raises: where the minimum
 * leaves no room below the present bid, it stays. A cut by so little that the amount is the same is one as well.
 */
export const aboveFloor = (
  wish: Kopecks,
  floor: Kopecks | undefined,
  onBelow: OnBelowFloor,
  { before, isCut }: { readonly before: Kopecks | null; readonly isCut: boolean }
): { readonly bid: Kopecks; readonly note: string } | { readonly problem: string } | undefined => {
  if (floor === undefined || wish >= floor) return { bid: wish, note: "" }
  const text = `${kopecksToRubles(wish)} rub is below the lowest bid of ${kopecksToRubles(floor)} rub`
  if (onBelow === "skip") return undefined
  if (onBelow === "block") return { problem: text }
  return before !== null && (isCut || wish < before) && before <= floor
    ? { problem: `${text}; a cut never raises a bid, so it stays at ${kopecksToRubles(before)} rub` }
    : { bid: floor, note: `, raised: ${text}` }
}

/** The steps of bids by payment type, in kopecks; 1 where the marketplace does not tell them. */
export interface BidSteps {
  readonly cpm: number
  readonly cpc: number
}

export const anyStep: BidSteps = { cpm: 1, cpc: 1 }

/** A bid on a step of the marketplace, with a remark where it was between two: a bid is rounded down, but never to nothing. */
export const onStep = (wish: Kopecks, step: number): { readonly bid: Kopecks; readonly note: string } => {
  if (step <= 1 || wish % step === 0) return { bid: wish, note: "" }
  const bid = Kopecks.make(Math.max(step, Math.floor(wish / step) * step))
  return { bid, note: `, on a step of ${kopecksToRubles(Kopecks.make(step))} rub` }
}
