import { Result } from "effect"

import type { ClusterWire } from "../client/Bids.ts"
import { articlesOf, type Campaign, hasClusterBids, mayChange, type Unreadable, whyAbsent } from "../client/Campaign.ts"
import { type Cluster, type ClusterBidFound, clusterKey, provenUnits } from "../client/Clusters.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import type { Kopecks } from "../client/money.ts"
import { clusterUnit, type ClusterUnit } from "./clusterUnit.ts"
import { draft, type Finding, forEachPlace } from "./draft.ts"
import { onStep } from "./floors.ts"
import { currencyProblem } from "./guards.ts"
import * as Phrases from "./phrases.ts"
import type { Draft } from "./Plan.ts"

/** The requested bid of a search cluster; null deletes it. */
export interface ClusterWish extends Cluster {
  readonly to: Kopecks | null
  /** By default that it is asked for. */
  readonly reason?: string
}

/** The input for planning bids of search clusters; campaigns and current bids as they were read. */
export interface ClusterBidsInput {
  readonly campaigns: ReadonlyArray<Campaign>
  /** Requested campaigns that cannot be read. */
  readonly unreadable?: ReadonlyArray<Unreadable>
  readonly current: ReadonlyArray<ClusterBidFound>
  readonly wishes: ReadonlyArray<ClusterWish>
  /** The setting, if there is one: it decides the unit unless a bid in `current` proves one. */
  readonly wire?: ClusterWire | undefined
  /** The step of bids in kopecks. By default any amount is taken. */
  readonly step?: number
  readonly guards: Guards
}

/** Bids for single search clusters; only campaigns with manual bids that pay per view have them. */
export const planClusterBids = (input: ClusterBidsInput): Draft => {
  const { findings, unit } = clusterFindings(input)
  return draft("cluster-bids", input.guards, findings, unit)
}

/** The same as findings, for plans that change other things, too; with the unit in which such bids go out. */
export const clusterFindings = (input: ClusterBidsInput) => {
  const campaigns = new Map(input.campaigns.map((campaign) => [campaign.id, campaign]))
  const present = new Map(input.current.map((bid) => [clusterKey(bid), bid]))
  // In another spelling, a bid is the same one, which the guards measure changes against.
  const alike = new Map(input.current.map((bid) => [clusterKey(asCompared(bid)), bid]))
  const certainUnit = clusterUnit(input.wire, provenUnits(input.current))
  const unit = Result.getOrUndefined(certainUnit)
  const doubt = Result.isFailure(certainUnit) ? certainUnit.failure : undefined

  const placeOf = ({ advert_id, nm_id, norm_query }: ClusterWish) =>
    `cluster ${advert_id}/${nm_id}/${Phrases.key(norm_query)}`
  const findings = forEachPlace(input.wishes, placeOf, (wish, what): ReadonlyArray<Finding> => {
    const { advert_id, nm_id, reason: why = "asked for", to: requestedBid } = wish
    const { bid: to, note } = requestedBid === null ? { bid: null, note: "" } : onStep(requestedBid, input.step ?? 1)
    const campaign = campaigns.get(advert_id)
    if (campaign === undefined) return [{ what, reason: whyAbsent(input.unreadable ?? [], advert_id) }]
    const problem = currencyProblem(campaign)
    if (problem !== undefined) return [{ what, reason: problem }]
    if (!mayChange(campaign)) return [{ what, reason: `bids cannot change in status ${campaign.status}` }]
    if (!hasClusterBids(campaign)) {
      return [{ what, reason: "only campaigns with manual bids that pay for views (cpm) have cluster bids" }]
    }
    if (!articlesOf(campaign).some((article) => article.nm_id === nm_id)) {
      return [{ what, reason: "the article is not in the campaign" }]
    }
    const currentBid = present.get(clusterKey(wish)) ?? alike.get(clusterKey(asCompared(wish)))
    const { norm_query } = currentBid ?? wish
    if (doubt !== undefined && (to !== null || currentBid?.unit === "unsaid")) return [{ what, reason: doubt }]
    if (unit?.unit === "rubles" && to !== null && to % 100 !== 0) {
      return [{ what, reason: "this marketplace takes cluster bids in whole rubles" }]
    }
    const before = currentBid?.bid ?? null
    if (before === to) return []
    return [
      {
        change: { kind: "cluster", target: advert_id, nm_id, norm_query, before, after: to },
        reason: `${why}${note}`
      }
    ]
  })
  const isSetting = findings.some(
    (one) => "change" in one && one.change.kind === "cluster" && one.change.after !== null
  )
  const warnings = isSetting && unit !== undefined ? [{ warning: unitWarning(unit) }] : []
  return { findings: [...findings, ...warnings], unit }
}

const asCompared = <A extends Cluster>(cluster: A): A => ({ ...cluster, norm_query: Phrases.key(cluster.norm_query) })

const unitWarning = ({ isProven, unit }: ClusterUnit): string => {
  if (unit === "minor") return "Cluster bids go out in kopecks, by the operation of the marketplace that says so"
  const how = unit === "rubles" ? "whole rubles" : "kopecks"
  return isProven
    ? `Cluster bids go out in ${how}, because the marketplace shows its own bids so (D2)`
    : `Cluster bids go out in ${how}, because marketplace.wire says so; no bid that the marketplace shows proves it (D2)`
}
