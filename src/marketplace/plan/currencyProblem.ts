import type { Campaign } from "../client/Campaign.ts"
import { foreign } from "../client/money.ts"

/** Wishes, guards and snapshots count rubles: money of another currency is not judged as if it were rubles. */
export const currencyProblem = ({ currency, id }: Campaign): string | undefined => {
  const other = foreign(currency)
  return other === undefined
    ? undefined
    : `the money of campaign ${id} is in ${other}, and plans and guards count rubles: set its bids in the seller's cabinet`
}
