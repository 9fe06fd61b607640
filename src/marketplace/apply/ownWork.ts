import { DateTime, Option } from "effect"

import type { LostCreation } from "../../changes/RemoteState.ts"
import { allOfName, articlesOf, type Campaign, paymentOf, status } from "../client/Campaign.ts"
import type { Create } from "../plan/Change.ts"

/** Looks for the campaign created by a call whose answer was lost. Somebody may have created one of the same name by hand. */
export const findLostCampaign = (campaigns: ReadonlyArray<Campaign>, change: Create, sentAt: number): LostCreation => {
  const named = allOfName(campaigns, change.name)
  const match = named.find((campaign) => otherwise(campaign, change, sentAt) === undefined)
  if (match !== undefined) return { created: match.id }
  const [other] = named
  if (other === undefined) return {}
  return { others: `campaign ${other.id} has this name, but is not the one: ${otherwise(other, change, sentAt)}` }
}

/** The largest difference between the two clocks. */
const leewayMs = 200_000

/** The proof that a campaign was not created by that call, if there is one. */
const otherwise = (campaign: Campaign, change: Create, sentAt: number): string | undefined => {
  if (campaign.status !== status.ready) return `it is in status ${campaign.status}, a new one in ${status.ready}`
  if (campaign.bid_type !== "manual" || paymentOf(campaign) !== change.payment_type) return "it is of another kind"
  const present = new Set(articlesOf(campaign).map(({ nm_id }) => nm_id))
  const isSame = present.size === change.nms.length && change.nms.every((nm_id) => present.has(nm_id))
  if (!isSame) return "it has other articles"
  return (createdAt(campaign) ?? sentAt) < sentAt - leewayMs ? "it was there before" : undefined
}

/** The moment of a campaign's creation, if that is unambiguous: a time without an offset is not. */
const createdAt = ({ timestamps }: Campaign): number | undefined => {
  const text = timestamps?.created ?? ""
  if (!/(Z|[+-]\d\d:?\d\d)$/.test(text)) return undefined
  return Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toEpochMillis))
}

/* Bids that show instead of the one that a plan has set, and are the plan's own all the same. Amounts in kopecks. */

/** The steps that the marketplace may round bids to, largest first. */
const roundings = [1000, 500, 100, 50, 10, 5]

/** Whether a bid is another one rounded to a step, by at most a fifth. */
export const isRounded = (bid: number, sent: number): boolean => {
  const distance = Math.abs(bid - sent)
  return distance > 0 && distance * 5 <= sent && roundings.some((step) => distance < step && bid % step === 0)
}

/** Whether a cluster bid was read in the other unit: it is a hundred times too high, or too low. */
export const isMisread = (bid: number, sent: number): boolean => bid === sent * 100 || bid * 100 === sent

/** Whether a cluster bid is the probe bid of an earlier version, in either unit. */
export const isProbe = (bid: number | null, probe: number | undefined): boolean =>
  probe !== undefined && (bid === probe || bid === probe * 100)
