import { Context, Effect, Layer, Schema } from "effect"
import { HttpClient } from "effect/http"

import { Budget, CampaignCount } from "./Account.ts"
import { chunks, spans, splitBids, splitProducts } from "./batches.ts"
import { type BidsMin, BidsMinReply, BidsMinRequest, type BidUpdate, UpdateBids } from "./Bids.ts"
import { type Campaign, CampaignList } from "./Campaign.ts"
import {
  type ArticleClusters,
  type Cluster,
  type ClusterBid,
  ClusterBidsReply,
  ClusterBidsSet,
  ClusterStatsReply,
  ClusterStatsRequest,
  DeleteClusterBids,
  SetClusterBids
} from "./Clusters.ts"
import { joinSpans } from "./fullstats.ts"
import { campaignWide, Pair } from "./ids.ts"
import * as Client from "./MarketplaceClient.ts"
import { MarketplaceConfig } from "./MarketplaceConfig.ts"
import { AdsInvalidRequest, AdsPartlyDone, type MarketplaceError } from "./MarketplaceError.ts"
import { MinusPhrases, MinusPhrasesReply } from "./MinusPhrases.ts"
import { NewCampaign, NewCampaignId } from "./NewCampaign.ts"
import { caps, operations } from "./operations.ts"
import { type ProductChange, UpdateProducts } from "./Products.ts"
import {
  type CampaignStats,
  FullstatsReply,
  FullstatsRequest,
  type KeywordsDay,
  KeywordsReply,
  KeywordsRequest
} from "./Statistics.ts"
import * as Wire from "./wire.ts"

/** Which campaigns to read; lists, or the text that goes into the query. Nothing given means all. */
export interface CampaignFilter {
  readonly ids?: string | ReadonlyArray<number>
  readonly statuses?: string | ReadonlyArray<number>
  readonly payment_type?: string
}

type Call<A> = Effect.Effect<A, MarketplaceError>

/**
 * The advertising part of the marketplace: one method per operation, under its name. Bids are kopecks, statistics and
 * budgets rubles. Lists over the interface's caps are split and joined; writes are never repeated blindly.
 */
export class MarketplaceAds extends Context.Service<
  MarketplaceAds,
  {
    readonly getAdvertsV2: (filter?: CampaignFilter) => Call<{ readonly adverts: ReadonlyArray<Campaign> }>
    /** How many campaigns getAdvertsV2 returns. */
    readonly countAdverts: (filter?: CampaignFilter) => Call<number>
    readonly updateBids: (request: { readonly bids: ReadonlyArray<BidUpdate> }) => Call<void>
    readonly updateCampaignProducts: (request: { readonly campaigns: ReadonlyArray<ProductChange> }) => Call<void>
    /** `nm_id` 0 reads the campaign-wide phrases of type 8. */
    readonly getMinusPhrases: (request: {
      readonly items: ReadonlyArray<Pair>
    }) => Call<{ readonly items: ReadonlyArray<MinusPhrases> }>
    /** Replaces the whole list of one article; an empty list is only sent with `clear`. */
    readonly setMinusPhrases: (item: MinusPhrases, options?: { readonly clear?: boolean }) => Call<void>
    readonly getNormqueryStats: (
      request: ClusterStatsRequest
    ) => Call<{ readonly stats: ReadonlyArray<ArticleClusters> }>
    /** Returns the reasons for what was not taken, where the marketplace tells. */
    readonly setNormqueryBids: (request: {
      readonly bids: ReadonlyArray<ClusterBid>
    }) => Call<{ readonly failed: ReadonlyArray<string> }>
    readonly getAdvFullstats: (request: FullstatsRequest) => Call<ReadonlyArray<CampaignStats>>
    /** Switched off by the marketplace on 2026-01-15: expect AdsNotFound from the real one. */
    readonly getStatsKeywords: (request: KeywordsRequest) => Call<{ readonly keywords: ReadonlyArray<KeywordsDay> }>
    readonly getBidsMin: (request: BidsMinRequest) => Call<{ readonly bids: ReadonlyArray<BidsMin> }>
    /** Returns the id of the new campaign. */
    readonly createSeacatSaveAd: (campaign: NewCampaign) => Call<number>
    readonly getNormqueryBids: (request: {
      readonly items: ReadonlyArray<Pair>
    }) => Call<{ readonly bids: ReadonlyArray<ClusterBid> }>
    readonly deleteNormqueryBids: (request: { readonly bids: ReadonlyArray<Cluster> }) => Call<void>
    readonly startCampaign: (id: number) => Call<void>
    readonly pauseCampaign: (id: number) => Call<void>
    /** Only a campaign that was never started can be deleted. */
    readonly deleteCampaign: (id: number) => Call<void>
    readonly getBudget: (id: number) => Call<Budget>
    readonly getCampaignCount: () => Call<CampaignCount>
  }
>()("workflow-tool-server/marketplace/MarketplaceAds") {
  static readonly layer: Layer.Layer<MarketplaceAds, never, HttpClient.HttpClient | MarketplaceConfig> = Layer.effect(
    MarketplaceAds,
    Effect.gen(function* () {
      const settings = yield* MarketplaceConfig
      const { call } = yield* Client.make(yield* HttpClient.HttpClient, settings)

      const getAdvertsV2 = Effect.fn("MarketplaceAds.getAdvertsV2")(function* (filter: CampaignFilter = {}) {
        const ids = list(filter.ids)
        const asked = ids.length === 0 ? [undefined] : chunks(ids, caps.campaignIds).map((some) => some.join(","))
        const statuses = list(filter.statuses).join(",") || undefined
        const pages = yield* together(asked, (some) =>
          call(
            operations.getAdvertsV2,
            { query: { ids: some, statuses, payment_type: filter.payment_type } },
            CampaignList
          )
        )
        return { adverts: pages.flatMap((page) => page.adverts ?? []) }
      })

      const countAdverts = (filter?: CampaignFilter) =>
        Effect.map(getAdvertsV2(filter), ({ adverts }) => adverts.length)

      const updateBids = Effect.fn("MarketplaceAds.updateBids")(function* (request: typeof UpdateBids.Type) {
        const { bids } = yield* Client.check("updateBids", UpdateBids, request)
        yield* inTurn("updateBids", splitBids(bids), (some) =>
          call(operations.updateBids, { body: { bids: some } }, Schema.Unknown)
        )
      })

      const updateCampaignProducts = Effect.fn("MarketplaceAds.updateCampaignProducts")(function* (
        request: typeof UpdateProducts.Type
      ) {
        const { campaigns } = yield* Client.check("updateCampaignProducts", UpdateProducts, request)
        for (const { add_nms = [], advert_id, delete_nms = [] } of campaigns) {
          const both = add_nms.find((nm) => delete_nms.includes(nm))
          if (both !== undefined) {
            const detail = `Article ${both} of campaign ${advert_id} cannot be both added and deleted`
            return yield* new AdsInvalidRequest({ operation: "updateCampaignProducts", detail })
          }
        }
        yield* inTurn("updateCampaignProducts", splitProducts(campaigns), (some) =>
          call(operations.updateCampaignProducts, { body: Wire.productsBody(settings.wire, some) }, Schema.Unknown)
        )
      })

      const getMinusPhrases = Effect.fn("MarketplaceAds.getMinusPhrases")(function* (request: {
        readonly items: ReadonlyArray<Pair>
      }) {
        const items = yield* Client.check("getMinusPhrases", Schema.Array(Pair), request.items)
        const pages = yield* together(chunks(items, caps.pairs), (some) =>
          call(operations.getMinusPhrases, { body: { items: some } }, MinusPhrasesReply)
        )
        return {
          items: pages
            .flatMap((page) => page.items ?? [])
            .map(({ advert_id, nm_id, norm_queries }) => ({ advert_id, nm_id, norm_queries: norm_queries ?? [] }))
        }
      })

      const setMinusPhrases = Effect.fn("MarketplaceAds.setMinusPhrases")(function* (
        item: MinusPhrases,
        options: { readonly clear?: boolean } = {}
      ) {
        const problem = phrasesProblem(item, options.clear === true)
        if (problem !== undefined)
          return yield* new AdsInvalidRequest({ operation: "setMinusPhrases", detail: problem })
        const body = yield* Client.check("setMinusPhrases", MinusPhrases, item)
        yield* call(operations.setMinusPhrases, { body }, Schema.Unknown)
      })

      const getNormqueryStats = Effect.fn("MarketplaceAds.getNormqueryStats")(function* (request: ClusterStatsRequest) {
        const { from, items, to } = yield* Client.check("getNormqueryStats", ClusterStatsRequest, request)
        const pages = yield* together(chunks(items, caps.pairs), (some) =>
          call(operations.getNormqueryStats, { body: { from, to, items: some } }, ClusterStatsReply)
        )
        return { stats: pages.flatMap((page) => page.stats ?? []) }
      })

      const setNormqueryBids = Effect.fn("MarketplaceAds.setNormqueryBids")(function* (
        request: typeof SetClusterBids.Type
      ) {
        const { bids } = yield* Client.check("setNormqueryBids", SetClusterBids, request)
        const bodies = yield* Effect.forEach(chunks(bids, caps.clusterBids), (some) =>
          Effect.map(Wire.clusterBidsBody(settings.wire, some), (body) => ({ body, length: some.length }))
        )
        const replies = yield* inTurn("setNormqueryBids", bodies, ({ body }) =>
          call(operations.setNormqueryBids, { body }, ClusterBidsSet)
        )
        const failed = replies.flatMap((reply) =>
          reply === null || typeof reply === "string" ? [] : (reply.failed ?? [])
        )
        return { failed: failed.map(({ norm_query = "", reason = "no reason given" }) => `${norm_query}: ${reason}`) }
      })

      const getAdvFullstats = Effect.fn("MarketplaceAds.getAdvFullstats")(function* (request: FullstatsRequest) {
        const { beginDate, endDate, ids } = yield* Client.check("getAdvFullstats", FullstatsRequest, request)
        const days = yield* someDays("getAdvFullstats", spans(beginDate, endDate, caps.fullstatsDays))
        const asked = days.flatMap((span) => chunks(ids, caps.campaignIds).map((some) => ({ ...span, some })))
        const answers = yield* together(asked, ({ from, some, to }) =>
          call(
            operations.getAdvFullstats,
            { query: { ids: some.join(","), beginDate: from, endDate: to } },
            FullstatsReply
          )
        )
        return joinSpans(answers.flatMap((answer) => answer ?? []))
      })

      const getStatsKeywords = Effect.fn("MarketplaceAds.getStatsKeywords")(function* (request: KeywordsRequest) {
        const { advert_id, from, to } = yield* Client.check("getStatsKeywords", KeywordsRequest, request)
        const weeks = yield* someDays("getStatsKeywords", spans(from, to, caps.keywordDays))
        const answers = yield* together(weeks, (week) =>
          call(operations.getStatsKeywords, { query: { advert_id, ...week } }, KeywordsReply)
        )
        return { keywords: answers.flatMap((answer) => answer.keywords ?? []) }
      })

      const getBidsMin = Effect.fn("MarketplaceAds.getBidsMin")(function* (request: BidsMinRequest) {
        const { advert_id, nm_ids, payment_type, placement_types } = yield* Client.check(
          "getBidsMin",
          BidsMinRequest,
          request
        )
        const pages = yield* together(chunks(nm_ids, caps.minBidArticles), (some) => {
          const body = { advert_id, nm_ids: some, payment_type, placement_types: placement_types.map(Wire.toSingular) }
          return call(operations.getBidsMin, { body }, BidsMinReply)
        })
        const bids = pages.flatMap((page) => page.bids ?? [])
        return {
          bids: bids.map((article) => ({
            ...article,
            bids: article.bids.map((bid) => ({ ...bid, type: Wire.toPlural(bid.type) }))
          }))
        }
      })

      const createSeacatSaveAd = Effect.fn("MarketplaceAds.createSeacatSaveAd")(function* (campaign: NewCampaign) {
        const body = yield* Client.check("createSeacatSaveAd", NewCampaign, campaign)
        if ((body.nms ?? []).length > caps.newCampaignArticles) {
          const detail = `A new campaign takes at most ${caps.newCampaignArticles} articles; add the others afterwards`
          return yield* new AdsInvalidRequest({ operation: "createSeacatSaveAd", detail })
        }
        return yield* call(operations.createSeacatSaveAd, { body }, NewCampaignId)
      })

      const getNormqueryBids = Effect.fn("MarketplaceAds.getNormqueryBids")(function* (request: {
        readonly items: ReadonlyArray<Pair>
      }) {
        const items = yield* Client.check("getNormqueryBids", Schema.Array(Pair), request.items)
        const pages = yield* together(chunks(items, caps.pairs), (some) =>
          call(operations.getNormqueryBids, { body: { items: some } }, ClusterBidsReply)
        )
        return {
          bids: pages
            .flatMap((page) => page.bids ?? [])
            .map(({ advert_id, bid, bid_kopecks = null, nm_id, norm_query }) => ({
              advert_id,
              nm_id,
              norm_query,
              bid: Wire.clusterBidKopecks(settings.wire, { bid, bid_kopecks })
            }))
        }
      })

      const deleteNormqueryBids = Effect.fn("MarketplaceAds.deleteNormqueryBids")(function* (
        request: typeof DeleteClusterBids.Type
      ) {
        const { bids } = yield* Client.check("deleteNormqueryBids", DeleteClusterBids, request)
        yield* inTurn("deleteNormqueryBids", chunks(bids, caps.clusterBids), (some) =>
          call(operations.deleteNormqueryBids, { body: { bids: some } }, Schema.Unknown)
        )
      })

      return MarketplaceAds.of({
        getAdvertsV2,
        countAdverts,
        updateBids,
        updateCampaignProducts,
        getMinusPhrases,
        setMinusPhrases,
        getNormqueryStats,
        setNormqueryBids,
        getAdvFullstats,
        getStatsKeywords,
        getBidsMin,
        createSeacatSaveAd,
        getNormqueryBids,
        deleteNormqueryBids,
        startCampaign: (id) => Effect.asVoid(call(operations.startCampaign, { query: { id } }, Schema.Unknown)),
        pauseCampaign: (id) => Effect.asVoid(call(operations.pauseCampaign, { query: { id } }, Schema.Unknown)),
        deleteCampaign: (id) => Effect.asVoid(call(operations.deleteCampaign, { query: { id } }, Schema.Unknown)),
        getBudget: (id) => call(operations.getBudget, { query: { id } }, Budget),
        getCampaignCount: () => call(operations.getCampaignCount, {}, CampaignCount)
      })
    })
  )
}

const list = (given: string | ReadonlyArray<number> = []): ReadonlyArray<number | string> =>
  typeof given === "string" ? given.split(",").filter((part) => part.trim() !== "") : given

/** The parts of a read, a few at a time; the answers in the order of the parts. */
const together = <A, B>(parts: ReadonlyArray<A>, read: (part: A) => Call<B>) =>
  Effect.forEach(parts, read, { concurrency: 5 })

/** The parts of a write, one after the other; a failure after the first part says how much is done. */
const inTurn = Effect.fnUntraced(function* <A extends { readonly length: number }, B>(
  operation: string,
  parts: ReadonlyArray<A>,
  write: (part: A) => Call<B>
) {
  const total = parts.reduce((sum, part) => sum + part.length, 0)
  const replies: Array<B> = []
  let done = 0
  for (const part of parts) {
    replies.push(
      yield* Effect.mapError(write(part), (error) =>
        done === 0 ? error : new AdsPartlyDone({ operation, done, total, detail: error.message })
      )
    )
    done += part.length
  }
  return replies
})

const phrasesProblem = ({ nm_id, norm_queries }: MinusPhrases, clear: boolean): string | undefined => {
  if (nm_id === campaignWide) return "Minus-phrases are set once per article: nm_id must be an article, not 0"
  if (norm_queries.length > caps.phrases) return `An article takes at most ${caps.phrases} minus-phrases`
  if (norm_queries.length === 0 && !clear)
    return "An empty list wipes all phrases of the article: say clear if that is meant"
  return undefined
}

const someDays = <A>(operation: string, days: ReadonlyArray<A>) =>
  days.length > 0
    ? Effect.succeed(days)
    : Effect.fail(new AdsInvalidRequest({ operation, detail: "The dates must exist, the first not after the last" }))
