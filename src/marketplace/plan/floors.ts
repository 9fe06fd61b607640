import type { Floor } from "../client/LowestBids.ts"
import { kopecksToRubles, type Kopecks } from "../client/money.ts"

export type { Floor }

/** What to do with a bid below the minimum: list it as blocked, raise it, or skip it silently. */
export type OnBelowFloor = "block" | "raise" | "skip"

const floorKey = ({ nm_id, payment_type, placement }: Omit<Floor, "kopecks">): string =>
  `${nm_id}/${payment_type}/${placement}`

/** Looks up minimum bids; of several for one place the highest. */
export const floorsOf = (floors: ReadonlyArray<Floor>) => {
  const known = new Map<string, Kopecks>()
  for (const floor of floors) {
    const before = known.get(floorKey(floor))
    if (before === undefined || before < floor.kopecks) known.set(floorKey(floor), floor.kopecks)
  }
  return (place: Omit<Floor, "kopecks">): Kopecks | undefined => known.get(floorKey(place))
}

/** Compares a requested bid with the minimum: what to bid, with a remark, or why not to. */
export const aboveFloor = (
  wish: Kopecks,
  floor: Kopecks | undefined,
  onBelow: OnBelowFloor
): { readonly bid: Kopecks; readonly note: string } | { readonly problem: string } | undefined => {
  if (floor === undefined || wish >= floor) return { bid: wish, note: "" }
  const text = `${kopecksToRubles(wish)} rub is below the lowest bid of ${kopecksToRubles(floor)} rub`
  if (onBelow === "raise") return { bid: floor, note: `, raised: ${text}` }
  return onBelow === "skip" ? undefined : { problem: text }
}
