import { Result } from "effect"

import type { ClusterWire } from "../client/Bids.ts"
import { type Article, articlesOf, bidOf, type Campaign, mayChange, placementsOf } from "../client/Campaign.ts"
import { type ClusterBidFound, type MinusPhrases, provenUnits } from "../client/Clusters.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { foreign } from "../client/money.ts"
import type { Change } from "./Change.ts"
import { clusterUnit, type ClusterUnit } from "./clusterUnit.ts"
import { draft, type Finding } from "./draft.ts"
import * as Phrases from "./phrases.ts"
import type { Draft } from "./Plan.ts"

/** The input for planning articles: the campaign with the phrases and cluster bids that an article loses when it is deleted. */
export interface ProductsInput {
  readonly campaign: Campaign
  readonly add: ReadonlyArray<number>
  readonly delete: ReadonlyArray<number>
  /** Phrases and cluster bids of the articles to delete: they are deleted, too, and restored by a rollback. */
  readonly phrases: ReadonlyArray<MinusPhrases>
  readonly clusterBids: ReadonlyArray<ClusterBidFound>
  /** The setting, if there is one: it decides the unit of cluster bids unless one of them proves it. */
  readonly wire?: ClusterWire | undefined
  readonly guards: Guards
}

/** Articles to add and to delete; rolling back a deletion also restores bids, phrases and cluster bids. */
export const planProducts = (input: ProductsInput): Draft => {
  const { campaign } = input
  const articles = articlesOf(campaign)
  const present = new Set(articles.map(({ nm_id }) => nm_id))
  const refuse = (reason: string) => draft("products", input.guards, [{ what: `products ${campaign.id}`, reason }])
  if (!mayChange(campaign)) return refuse(`articles cannot change in status ${campaign.status}`)
  if (campaign.restrictions?.can_change_nms === false) return refuse("the marketplace has fixed the list of articles")
  const both = input.add.filter((nm_id) => input.delete.includes(nm_id))
  if (both.length > 0) return refuse(`articles both added and deleted: ${both.join(", ")}`)
  const left = [...present].filter((nm_id) => !input.delete.includes(nm_id))
  if (left.length + input.add.length === 0) return refuse("a campaign cannot be left without articles")

  const change = (nm_id: number, after: boolean) =>
    ({ kind: "product", target: campaign.id, nm_id, before: !after, after }) as const
  const added = input.add
    .filter((nm_id) => !present.has(nm_id))
    .map((nm_id) => ({ change: change(nm_id, true), reason: "asked to add" }))
  const certainUnit = clusterUnit(input.wire, provenUnits(input.clusterBids))
  const unit = Result.getOrUndefined(certainUnit)
  const deleted = articles
    .filter(({ nm_id }) => input.delete.includes(nm_id))
    .map((article): Finding => ({
      change: change(article.nm_id, false),
      reason: "asked to delete",
      undo: [change(article.nm_id, true), ...lostWith(article, input, unit)]
    }))
  const isLost = deleted.length > 0 && input.clusterBids.length > 0 && unit === undefined
  const absent = input.delete.filter((nm_id) => !present.has(nm_id))
  return draft(
    "products",
    input.guards,
    [
      ...added,
      ...deleted,
      ...absent.map((nm_id) => ({ warning: `Article ${nm_id} is not in campaign ${campaign.id}: nothing to delete` })),
      ...(isLost && Result.isFailure(certainUnit)
        ? [{ warning: `A rollback cannot bring back cluster bids: ${certainUnit.failure}` }]
        : []),
      ...(deleted.length > 0 && foreign(campaign.currency) !== undefined ? [{ warning: inOtherMoney(campaign) }] : []),
      ...(added.length > 0 ? [{ warning: "An added article starts with the lowest bid the marketplace allows" }] : [])
    ],
    unit
  )
}

const inOtherMoney = ({ currency, id }: Campaign): string =>
  `The money of campaign ${id} is in ${currency}: a rollback sets the same bids again, but shows them as rubles`

/** The changes that restore what is deleted with an article, but for a cluster bid that might come back a hundredfold. */
const lostWith = (
  article: Article,
  { campaign, clusterBids, phrases }: ProductsInput,
  unit: ClusterUnit | undefined
): ReadonlyArray<Change> => {
  const at = { target: campaign.id, nm_id: article.nm_id }
  const words = Phrases.byPair(phrases)(campaign.id, article.nm_id)
  return [
    ...placementsOf(campaign).flatMap((placement): ReadonlyArray<Change> => {
      const bid = bidOf(article, placement)
      return bid === null ? [] : [{ kind: "bid", ...at, placement, before: null, after: bid }]
    }),
    ...(words.length === 0 ? [] : [{ kind: "phrases", ...at, before: [], after: words } as const]),
    ...(unit === undefined ? [] : clusterBids)
      .filter(({ advert_id, nm_id }) => advert_id === campaign.id && nm_id === article.nm_id)
      .map(({ bid, norm_query }) => ({ kind: "cluster", ...at, norm_query, before: null, after: bid }) as const)
  ]
}
