import { articlesOf, type Campaign, hasClusterBids, mayChange } from "../Campaign.ts"
import { type Cluster, type ClusterBidFound, clusterKey, countsInRubles } from "../Clusters.ts"
import type { Guards } from "../MarketplaceConfig.ts"
import type { Kopecks } from "../money.ts"
import { type Unreadable, whyAbsent } from "../Unreadable.ts"
import type { Wire } from "../wire.ts"
import { currencyProblem } from "./currencyProblem.ts"
import { draft, type Finding, forEachPlace } from "./draft.ts"
import type { Draft } from "./Plan.ts"

/** The bid a search cluster shall have; null drops it. */
export interface ClusterWish extends Cluster {
  readonly to: Kopecks | null
}

export interface ClusterBidsInput {
  readonly campaigns: ReadonlyArray<Campaign>
  /** Campaigns that were asked for and cannot be read. */
  readonly unreadable?: ReadonlyArray<Unreadable>
  readonly current: ReadonlyArray<ClusterBidFound>
  readonly wishes: ReadonlyArray<ClusterWish>
  /** Which unit goes out (D2). */
  readonly wire: Wire
  readonly guards: Guards
}

/** Bids for single search clusters; only campaigns with manual bids that pay for views have them. */
export const planClusterBids = (input: ClusterBidsInput): Draft => {
  const campaigns = new Map(input.campaigns.map((campaign) => [campaign.id, campaign]))
  const present = new Map(input.current.map((bid) => [clusterKey(bid), bid.bid]))

  const placeOf = ({ advert_id, nm_id, norm_query }: ClusterWish) => `cluster ${advert_id}/${nm_id}/${norm_query}`
  const findings = forEachPlace(input.wishes, placeOf, (wish, what): ReadonlyArray<Finding> => {
    const { advert_id, nm_id, norm_query, to } = wish
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
    if (input.wire === "published" && to !== null && to % 100 !== 0) {
      return [{ what, reason: "with wire published a cluster bid must be whole rubles" }]
    }
    const before = present.get(clusterKey(wish)) ?? null
    if (before === to) return []
    return [
      { change: { kind: "cluster", target: advert_id, nm_id, norm_query, before, after: to }, reason: "asked for" }
    ]
  })
  const sent = findings.some(
    (finding) => "change" in finding && finding.change.kind === "cluster" && finding.change.after !== null
  )
  const reads = countsInRubles(input.current) ? "this marketplace shows its own" : "the marketplace publishes them"
  const then = "and the apply takes it back and stops without sending any other"
  const unit = {
    warning:
      `Cluster bids go out in kopecks, as the document says; ${reads} in rubles (D2), and then wire must be published. ` +
      "An apply first sends one of them alone, at a hundredth, and reads it back: where rubles are read, that is the wanted " +
      `bid to the ruble, ${then}; where kopecks are read, the wanted bids follow, that one included.`
  }
  const warned = input.wire === "spec" && sent ? [...findings, unit] : findings
  return draft("cluster-bids", input.guards, warned, input.wire)
}
