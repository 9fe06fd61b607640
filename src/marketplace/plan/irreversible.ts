import type { BidUnit } from "../client/Bids.ts"
import { kopecksToRubles } from "../client/money.ts"
import { type Change, changeKey } from "./Change.ts"
import type { Blocked, Step } from "./Plan.ts"

/** What no rollback can bring back, and why. */
export const irreversible = (steps: ReadonlyArray<Step>, unit: BidUnit | undefined): ReadonlyArray<Blocked> => {
  const added = new Set(
    steps.flatMap(({ change }) => (change.kind === "product" && change.after ? [placeOf(change)] : []))
  )
  const hadNoBid = ({ change }: Step) =>
    change.kind === "bid" && change.before === null && typeof change.target === "number" && !added.has(placeOf(change))
  return steps.flatMap((step): ReadonlyArray<Blocked> => [
    ...(hadNoBid(step) ? [{ what: step.id, reason: "there is no bid before it to go back to" }] : []),
    ...step.undo.flatMap((change) => unsendable(change, unit))
  ])
}

const placeOf = ({ nm_id, target }: { readonly nm_id: number; readonly target: unknown }) =>
  `${JSON.stringify(target)}/${nm_id}`

const unsendable = (change: Change, unit: BidUnit | undefined): ReadonlyArray<Blocked> =>
  unit === "rubles" && change.kind === "cluster" && change.after !== null && change.after % 100 !== 0
    ? [{ what: changeKey(change), reason: `${kopecksToRubles(change.after)} rub cannot be sent in whole rubles` }]
    : []
