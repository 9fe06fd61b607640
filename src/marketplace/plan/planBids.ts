import {
  articlesOf,
  bidOf,
  type Campaign,
  mayChange,
  paymentOf,
  type Placement,
  placementsOf,
  type Unreadable,
  whyAbsent
} from "../client/Campaign.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { Kopecks, percentOf } from "../client/money.ts"
import { draft, type Finding, forEachPlace } from "./draft.ts"
import { aboveFloor, anyStep, type BidSteps, type Floor, floorsOf, onStep, type OnBelowFloor } from "./floors.ts"
import { currencyProblem } from "./guards.ts"
import type { Draft } from "./Plan.ts"

/** A bid to set, as an amount or as a percentage of the current bid: 120 means a fifth more. */
export interface BidWish {
  readonly advert_id: number
  readonly nm_id: number
  readonly placement?: Placement
  readonly to: { readonly kopecks: Kopecks } | { readonly percent: number }
}

/** The input for planning bids: the changes, and campaigns and minimum bids as they were read. */
export interface BidsInput {
  readonly campaigns: ReadonlyArray<Campaign>
  /** Requested campaigns that cannot be read. */
  readonly unreadable?: ReadonlyArray<Unreadable>
  readonly wishes: ReadonlyArray<BidWish>
  readonly floors: ReadonlyArray<Floor>
  /** By default any amount of kopecks is taken. */
  readonly steps?: BidSteps
  readonly onBelowFloor: OnBelowFloor
  readonly guards: Guards
}

/** Changes of single bids; a bid that is already as requested needs no step. */
export const planBids = (input: BidsInput): Draft => {
  const campaigns = new Map(input.campaigns.map((campaign) => [campaign.id, campaign]))
  const floor = floorsOf(input.floors, input.steps)

  /** If the request does not say, the only placement of its campaign. */
  const placementOf = ({ advert_id, placement }: BidWish): Placement | undefined => {
    const campaign = campaigns.get(advert_id)
    const [first, second] = campaign === undefined ? [] : placementsOf(campaign)
    return placement ?? (second === undefined ? first : undefined)
  }
  const placeOf = (wish: BidWish) => `bid ${wish.advert_id}/${wish.nm_id}/${placementOf(wish) ?? "?"}`

  const find = (wish: BidWish): ReadonlyArray<Finding> => {
    const { advert_id, nm_id, to } = wish
    const what = `bid ${advert_id}/${nm_id}`
    const campaign = campaigns.get(advert_id)
    if (campaign === undefined) return [{ what, reason: whyAbsent(input.unreadable ?? [], advert_id) }]
    const problem = currencyProblem(campaign)
    if (problem !== undefined) return [{ what, reason: problem }]
    if (!mayChange(campaign)) return [{ what, reason: `bids cannot change in status ${campaign.status}` }]
    const article = articlesOf(campaign).find((one) => one.nm_id === nm_id)
    if (article === undefined) return [{ what, reason: "the article is not in the campaign" }]
    const placement = placementOf(wish)
    if (placement === undefined) return [{ what, reason: "say which placement: search or recommendations" }]
    if (!placementsOf(campaign).includes(placement)) {
      return [{ what, reason: `the campaign has no placement ${placement}, only ${placementsOf(campaign).join(", ")}` }]
    }
    const before = bidOf(article, placement)
    if ("percent" in to && before === null) return [{ what, reason: "there is no bid to take a percentage of" }]
    const requestedBid = "kopecks" in to ? to.kopecks : percentOf(before ?? Kopecks.make(0), to.percent)
    const { bid: stepped, note } = onStep(requestedBid, (input.steps ?? anyStep)[paymentOf(campaign)])
    if (requestedBid === 0) return [{ what, reason: "a bid must be at least 1 kopeck" }]
    const lowest = floor({ nm_id, placement, payment_type: paymentOf(campaign) })
    const isCut = "percent" in to && to.percent < 100
    const allowed = aboveFloor(stepped, lowest, input.onBelowFloor, { before, isCut })
    if (allowed === undefined) return [{ warning: `${what}: below the lowest bid, left as it is` }]
    if ("problem" in allowed) return [{ what, reason: allowed.problem }]
    if (allowed.bid === before) return []
    const reason = `asked for${note}${allowed.note}`
    return [{ change: { kind: "bid", target: advert_id, nm_id, placement, before, after: allowed.bid }, reason }]
  }
  return draft("bids", input.guards, forEachPlace(input.wishes, placeOf, find))
}
