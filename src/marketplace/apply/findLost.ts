import { DateTime, Option } from "effect"

import type { Lost } from "../../changes/Driver.ts"
import { allOfName, articlesOf, type Campaign, paymentOf, status } from "../client/Campaign.ts"
import type { Create } from "../plan/Change.ts"

/** Looks for the campaign created by a call whose answer was lost. Somebody may have created one of the same name by hand. */
export const findLost = (campaigns: ReadonlyArray<Campaign>, change: Create, sentAt: number): Lost => {
  const named = allOfName(campaigns, change.name)
  const own = named.find((campaign) => otherwise(campaign, change, sentAt) === undefined)
  if (own !== undefined) return { created: own.id }
  const [other] = named
  if (other === undefined) return {}
  return { others: `campaign ${other.id} has this name, but is not the one: ${otherwise(other, change, sentAt)}` }
}

/** How much the two clocks may differ. */
const leewayMs = 200_000

/** What proves that a campaign was not created by that call. */
const otherwise = (campaign: Campaign, change: Create, sentAt: number): string | undefined => {
  if (campaign.status !== status.ready) return `it is in status ${campaign.status}, a new one in ${status.ready}`
  if (campaign.bid_type !== "manual" || paymentOf(campaign) !== change.payment_type) return "it is of another kind"
  const present = new Set(articlesOf(campaign).map(({ nm_id }) => nm_id))
  const isSame = present.size === change.nms.length && change.nms.every((nm_id) => present.has(nm_id))
  if (!isSame) return "it has other articles"
  return (createdAt(campaign) ?? sentAt) < sentAt - leewayMs ? "it was there before" : undefined
}

/** When a campaign was created, if that is unambiguous: a time without an offset is not. */
const createdAt = ({ timestamps }: Campaign): number | undefined => {
  const text = timestamps?.created ?? ""
  if (!/(Z|[+-]\d\d:?\d\d)$/.test(text)) return undefined
  return Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toEpochMillis))
}
