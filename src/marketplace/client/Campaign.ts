import { Option, Result, Schema, SchemaGetter } from "effect"

import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
import { open } from "../../internal/schema/JsonObject.ts"
import { AdvertId, NmId, type Pair } from "./ids.ts"
import { Kopecks } from "./money.ts"

/** `auto`: one bid for all articles (type 8, and type 9 after the marketplace's own conversion). `manual`: a bid per article. */
export const BidType = Schema.Literals(["auto", "manual"])
export type BidType = typeof BidType.Type

/** Also reads the marketplace's other name for `auto`. */
const BidTypeRead = Schema.Literals(["auto", "manual", "unified"]).pipe(
  Schema.decodeTo(BidType, {
    decode: SchemaGetter.transform((word): BidType => (word === "unified" ? "auto" : word)),
    encode: SchemaGetter.transform((word): "auto" | "manual" | "unified" => word)
  })
)

/** Pay per thousand views (`cpm`) or per click (`cpc`). */
export const PaymentType = Schema.Literals(["cpm", "cpc"])
export type PaymentType = typeof PaymentType.Type

/** The place where an article is shown: both placements under one bid, or one of them. */
export const Placement = Schema.Literals(["combined", "search", "recommendations"])
export type Placement = typeof Placement.Type

/** A placement of a campaign with manual bids, with a bid of its own. */
export const ManualPlacement = Schema.Literals(["search", "recommendations"])
export type ManualPlacement = typeof ManualPlacement.Type

/* Values that the marketplace does not know may be missing or null. */
const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
const Bid = Schema.optionalKey(Schema.NullOr(Kopecks))

/** One article of a campaign and its bids. */
export const Article = open({
  nm_id: Schema.Int,
  subject: Schema.optionalKey(Schema.NullOr(open({ name: Text }))),
  bids_kopecks: Schema.optionalKey(Schema.NullOr(open({ search: Bid, recommendations: Bid })))
})
export type Article = typeof Article.Type

/** A campaign in the V2 read model; unknown fields are kept. */
export const Campaign = open({
  id: Schema.Int,
  bid_type: BidTypeRead,
  status: Schema.Union([Schema.Int, Schema.NumberFromString.check(Schema.isInt())]),
  settings: open({
    name: Text,
    payment_type: Text,
    placements: Schema.optionalKey(
      Schema.NullOr(
        open({ search: Schema.optionalKey(Schema.Unknown), recommendations: Schema.optionalKey(Schema.Unknown) })
      )
    )
  }),
  currency: Text,
  timestamps: Schema.optionalKey(Schema.NullOr(open({ created: Text }))),
  nm_settings: Schema.optionalKey(Schema.NullOr(Schema.Array(Article))),
  restrictions: Schema.optionalKey(
    Schema.NullOr(open({ can_change_nms: Schema.optionalKey(Schema.NullOr(Schema.Boolean)) }))
  )
})
export type Campaign = typeof Campaign.Type

/** The answer of getAdvertsV2, whose campaigns are read one by one; no list means none. */
export const CampaignList = open({ adverts: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown))) })

/** The statuses of a campaign, as the marketplace numbers them. */
export const status = { deleting: -1, ready: 4, finished: 7, declined: 8, active: 9, paused: 11 } as const

const statusWords = new Map<number, string>([
  [status.deleting, "being deleted"],
  [status.ready, "ready to start"],
  [status.finished, "finished"],
  [status.declined, "declined"],
  [status.active, "active"],
  [status.paused, "paused"]
])

export const statusText = (value: number): string => statusWords.get(value) ?? "unknown"

/** Bids, articles and phrases can be changed only before the start, while the campaign runs, and while it is paused. */
export const mayChange = (campaign: Campaign): boolean =>
  campaign.status === status.ready || campaign.status === status.active || campaign.status === status.paused

/** Whether a campaign may have statistics from a day on: it runs, is paused, or ended no sooner. */
export const mayHaveRunSince = (campaign: Campaign, day: string): boolean => {
  if (campaign.status === status.active || campaign.status === status.paused) return true
  const { updated } = campaign.timestamps ?? {}
  return campaign.status === status.finished && !(typeof updated === "string" && updated.slice(0, 10) < day)
}

const gone: ReadonlyArray<number> = [status.deleting, status.finished, status.declined]

/** Whether a campaign can still run, now or later. */
export const isThere = (campaign: Campaign): boolean => !gone.includes(campaign.status)

export const nameOf = (campaign: Campaign): string => campaign.settings.name ?? `Campaign ${campaign.id}`

/** The campaigns of that name that still exist, oldest first. */
export const allOfName = (campaigns: ReadonlyArray<Campaign>, name: string): ReadonlyArray<Campaign> =>
  campaigns.filter((campaign) => nameOf(campaign) === name && isThere(campaign)).toSorted((a, b) => a.id - b.id)

/** The oldest existing campaign of that name. */
export const findByName = (campaigns: ReadonlyArray<Campaign>, name: string): Campaign | undefined =>
  allOfName(campaigns, name)[0]

export const paymentOf = (campaign: Campaign): PaymentType => (campaign.settings.payment_type === "cpc" ? "cpc" : "cpm")

/** Only campaigns with manual bids that pay per view have bids for search clusters. */
export const hasClusterBids = (campaign: Campaign): boolean =>
  campaign.bid_type === "manual" && paymentOf(campaign) === "cpm"

export const articlesOf = (campaign: Campaign): ReadonlyArray<Article> =>
  (campaign.nm_settings ?? []).toSorted((a, b) => a.nm_id - b.nm_id)

/** One of its articles; undefined if it has none with that id. */
export const articleOf = (campaign: Campaign, nm_id: number): Article | undefined =>
  campaign.nm_settings?.find((article) => article.nm_id === nm_id)

/** Every article of the campaigns, as pairs to request. */
export const pairsOf = (campaigns: ReadonlyArray<Campaign>): ReadonlyArray<Pair> =>
  campaigns.flatMap((campaign) => articlesOf(campaign).map(({ nm_id }) => ({ advert_id: campaign.id, nm_id })))

/** The placements that have a bid of their own in this campaign. */
export const placementsOf = ({ bid_type, settings: { placements } }: Campaign): ReadonlyArray<Placement> => {
  if (bid_type === "auto") return ["combined"]
  const enabledPlaces = shownAt(placements)
  return enabledPlaces.length === 0 ? ["search"] : enabledPlaces
}

/** The placements enabled in the settings of a campaign; none if the settings do not say. */
export const shownAt = (placements: Campaign["settings"]["placements"]): ReadonlyArray<ManualPlacement> =>
  ManualPlacement.literals.filter((place) => placements?.[place] === true)

/** The current bid of an article at a placement; undefined if the read model shows none. */
export const bidOf = ({ bids_kopecks: bids }: Article, placement: Placement): Kopecks | null => {
  const search = bids?.search || null
  const recommendations = bids?.recommendations || null
  if (placement === "combined") return search ?? recommendations
  return placement === "search" ? search : recommendations
}

/** A campaign in the list that does not have the known shape: which one, and what is wrong with it. */
export interface Unreadable {
  /** Null if not even the id can be read. */
  readonly advert_id: number | null
  readonly problem: string
  /** Its name, if it can be read: names must be unique. */
  readonly name?: string
}

const decodeCampaign = Schema.decodeUnknownResult(Campaign)
const idIn = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.Int }))
const nameIn = Schema.decodeUnknownOption(Schema.Struct({ settings: Schema.Struct({ name: Schema.String }) }))

/** Reads each campaign of a list by itself: one that cannot be read does not hide the others, and is reported. */
export const readEach = (list: ReadonlyArray<unknown>) => {
  const adverts: Array<Campaign> = []
  const unreadable: Array<Unreadable> = []
  for (const one of list) {
    const read = decodeCampaign(one)
    if (Result.isSuccess(read)) adverts.push(read.success)
    else {
      const advert_id = Option.match(idIn(one), { onNone: () => null, onSome: ({ id }) => id })
      const name = Option.match(nameIn(one), { onNone: () => ({}), onSome: ({ settings }) => settings })
      unreadable.push({ advert_id, problem: firstIssueOf(read.failure), ...name })
    }
  }
  return { adverts, unreadable }
}

/** In words, for lists and refusals. */
export const whyUnreadable = ({ problem }: Unreadable): string => `the campaign cannot be read: ${problem}`

/** The reason why a campaign is not among those read. */
export const whyAbsent = (unreadable: ReadonlyArray<Unreadable>, id: number): string => {
  const odd = unreadable.find(({ advert_id }) => advert_id === id)
  return odd === undefined ? "there is no such campaign" : whyUnreadable(odd)
}

/** A name or a search cluster with visible characters, not only spaces and control characters. */
export const Visible = Schema.String.check(Schema.isPattern(/[^\s\p{C}\p{Z}]/u, { message: "must not be blank" }))

/** A campaign of type 9 to be created; it starts without money in the status "ready". */
export const NewCampaign = Schema.Struct({
  name: Visible,
  nms: Schema.optionalKey(Schema.Array(NmId)),
  bid_type: Schema.optionalKey(Schema.Literals(["manual", "unified"])),
  payment_type: Schema.optionalKey(PaymentType),
  placement_types: Schema.optionalKey(Schema.Array(ManualPlacement))
})
export type NewCampaign = typeof NewCampaign.Type

/** The answer is a bare number, the id of the new campaign; the specification does not show it, so text is read as well. */
export const NewCampaignId = Schema.Union([Schema.Int, Schema.NumberFromString.check(Schema.isInt())])

/** Articles to add to a campaign, and articles to delete from it. */
export const ProductChange = Schema.Struct({
  advert_id: AdvertId,
  add_nms: Schema.optionalKey(Schema.Array(NmId)),
  delete_nms: Schema.optionalKey(Schema.Array(NmId))
})
export type ProductChange = typeof ProductChange.Type

export const UpdateProducts = Schema.Struct({ campaigns: Schema.Array(ProductChange) })

/** The placements at which a campaign with manual bids that pays per view shows its articles. */
export const PlacementChange = Schema.Struct({
  advert_id: AdvertId,
  placements: Schema.Struct({ search: Schema.Boolean, recommendations: Schema.Boolean })
})
export type PlacementChange = typeof PlacementChange.Type
