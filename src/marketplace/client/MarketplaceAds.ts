import { Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import type {
  Balance,
  CampaignBudget,
  CampaignCount,
  DailyLimit,
  DailyLimitChange,
  DayRange,
  Deposit,
  Expense,
  PromotionConfig
} from "./Account.ts"
import type { BidsMin, BidsMinRequest, BidsRecommendations, BidUnit, BidUpdate } from "./Bids.ts"
import { make as makeCall } from "./call.ts"
import type { Campaign, NewCampaign, PlacementChange, ProductChange, Unreadable } from "./Campaign.ts"
import type {
  ArticleClusters,
  Cluster,
  ClusterBid,
  ClusterBidFound,
  ClusterBidRefused,
  ClusterDay,
  ClusterList,
  ClusterStatsRequest,
  MinusPhrases
} from "./Clusters.ts"
import type { Pair } from "./ids.ts"
import { clusterWire } from "./keyRules.ts"
import { MarketplaceConfig } from "./MarketplaceConfig.ts"
import type { MarketplaceError } from "./MarketplaceError.ts"
import { type CampaignFilter, readCalls } from "./readCalls.ts"
import type { CampaignStats, FullstatsRequest, KeywordsDay, KeywordsRequest } from "./Statistics.ts"
import { writeCalls } from "./writeCalls.ts"

/**
 * The advertising part of the marketplace: one method per operation, under its name. Ids are numbers (`advert_id` a campaign,
 * `nm_id` an article), days are `YYYY-MM-DD`, bids kopecks, statistics and budgets rubles. Lists over the interface's caps
 * are split, sent under the limits of the key, and joined.
 *
 * Any method can fail with these reasons: AdsInvalidRequest (a rule is broken, nothing was sent), AdsUnauthorized, AdsForbidden,
 * AdsPaymentRequired, AdsBadRequest, AdsNotFound, AdsConflict, AdsRateLimited (with seconds to wait), AdsUnreachable (nothing
 * was changed) and AdsUnreadable (the answer has another shape). Reads are repeated where that can help, and then fail with
 * AdsServerError. A write is never sent twice blindly: where its answer is lost, it fails with AdsOutcomeUnknown; where only
 * some calls of a long list were taken, with AdsPartlyDone; where writing is switched off, with AdsReadOnly. What a method
 * can fail with besides stands with it.
 */
export class MarketplaceAds extends Context.Service<
  MarketplaceAds,
  {
    /**
     * Campaigns with their articles and bids, in kopecks; without a filter all of them. A campaign that cannot be read is left
     * out and named; where none can be read, or none of those asked for, it fails with AdsUnreadable or CampaignUnreadable.
     */
    readonly getAdvertsV2: (filter?: CampaignFilter) => Effect.Effect<
      {
        readonly adverts: ReadonlyArray<Campaign>
        readonly unreadable: ReadonlyArray<Unreadable>
      },
      MarketplaceError
    >
    /** The number of campaigns that getAdvertsV2 lists, those that cannot be read included. */
    readonly countAdverts: (filter?: CampaignFilter) => Effect.Effect<number, MarketplaceError>
    /**
     * Sets bids of articles, in kopecks, at least 1. BidOutOfRange tells the lowest one that is taken, CampaignStateRefused that
     * the campaign's status allows none.
     */
    readonly updateBids: (request: { readonly bids: ReadonlyArray<BidUpdate> }) => Effect.Effect<void, MarketplaceError>
    /** Adds articles to campaigns and deletes others from them. Fails with CampaignStateRefused where the status allows none. */
    readonly updateCampaignProducts: (request: {
      readonly campaigns: ReadonlyArray<ProductChange>
    }) => Effect.Effect<void, MarketplaceError>
    /** The minus-phrases of articles; `nm_id` 0 reads the campaign-wide ones of type 8. No list means no phrases. */
    readonly getMinusPhrases: (request: {
      readonly items: ReadonlyArray<Pair>
    }) => Effect.Effect<{ readonly items: ReadonlyArray<MinusPhrases> }, MarketplaceError>
    /**
     * Replaces the whole list of one article, at most 1000 phrases; an empty list is only sent with `clear`. Fails with
     * CampaignStateRefused where the status allows no change.
     */
    readonly setMinusPhrases: (
      item: MinusPhrases,
      options?: { readonly clear?: boolean }
    ) => Effect.Effect<void, MarketplaceError>
    /** Statistics of articles' search clusters over at most 30 days: money in rubles, `ctr` in percent. */
    readonly getNormqueryStats: (
      request: ClusterStatsRequest
    ) => Effect.Effect<{ readonly stats: ReadonlyArray<ArticleClusters> }, MarketplaceError>
    /**
     * Sets bids of search clusters. They are given in kopecks and go out in `unit`: by default that of the wire, kopecks
     * (`spec`) or whole rubles (`published`); with `published` and a personal or service key they go out in kopecks by the
     * operation that says so, whatever the unit. Returns what was not taken and why, where the marketplace tells. AdsForbidden:
     * the campaign is not one with manual bids that pays for views, or the interface is closed to the seller.
     */
    readonly setNormqueryBids: (
      request: { readonly bids: ReadonlyArray<ClusterBid> },
      options?: { readonly unit?: BidUnit }
    ) => Effect.Effect<{ readonly failed: ReadonlyArray<ClusterBidRefused> }, MarketplaceError>
    /** Statistics of campaigns over any number of days, in total and by day: money in rubles, rates in percent. */
    readonly getAdvFullstats: (
      request: FullstatsRequest
    ) => Effect.Effect<ReadonlyArray<CampaignStats>, MarketplaceError>
    /** Keywords of a campaign by day, money in rubles. Switched off on 2026-01-15: expect AdsNotFound from the real marketplace. */
    readonly getStatsKeywords: (
      request: KeywordsRequest
    ) => Effect.Effect<{ readonly keywords: ReadonlyArray<KeywordsDay> }, MarketplaceError>
    /** The lowest bids that are taken now for articles of a campaign, by placement, in kopecks. */
    readonly getBidsMin: (
      request: BidsMinRequest
    ) => Effect.Effect<{ readonly bids: ReadonlyArray<BidsMin> }, MarketplaceError>
    /** Creates a campaign of at most 50 articles, without money and not started; returns its id. */
    readonly createSeacatSaveAd: (campaign: NewCampaign) => Effect.Effect<number, MarketplaceError>
    /** The bids of search clusters in kopecks, whatever goes over the wire, with the unit that the answer proves for each. */
    readonly getNormqueryBids: (request: {
      readonly items: ReadonlyArray<Pair>
    }) => Effect.Effect<{ readonly bids: ReadonlyArray<ClusterBidFound> }, MarketplaceError>
    /** Drops bids of search clusters. Fails with AdsForbidden as setNormqueryBids does. */
    readonly deleteNormqueryBids: (request: {
      readonly bids: ReadonlyArray<Cluster>
    }) => Effect.Effect<void, MarketplaceError>
    /** Starts a campaign in status 4 or 11, which then spends its money; else CampaignStateRefused, or LowBudget without money. */
    readonly startCampaign: (id: number) => Effect.Effect<void, MarketplaceError>
    /** Pauses a campaign in status 9; else CampaignStateRefused. */
    readonly pauseCampaign: (id: number) => Effect.Effect<void, MarketplaceError>
    /** Deletes a campaign that was never started (status 4), for good; any other is refused with AdsBadRequest. */
    readonly deleteCampaign: (id: number) => Effect.Effect<void, MarketplaceError>
    /** The money of campaigns in status 4, 9 or 11, in rubles; others are left out. */
    readonly getBudgets: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<CampaignBudget>, MarketplaceError>
    /** The same statistics as getNormqueryStats, day by day. */
    readonly getNormqueryDailyStats: (
      request: ClusterStatsRequest
    ) => Effect.Effect<{ readonly days: ReadonlyArray<ClusterDay> }, MarketplaceError>
    /** The active, excluded and archived search clusters of articles, those with at least 100 views. */
    readonly getNormqueryList: (request: {
      readonly items: ReadonlyArray<Pair>
    }) => Effect.Effect<{ readonly items: ReadonlyArray<ClusterList> }, MarketplaceError>
    /** The bids, in kopecks, that reach certain places for an article and its search clusters. */
    readonly getBidsRecommendations: (pair: Pair) => Effect.Effect<BidsRecommendations, MarketplaceError>
    /** Steps of bids and least amounts, in kopecks; for personal and service keys alone. */
    readonly getConfig: () => Effect.Effect<PromotionConfig, MarketplaceError>
    /** The placements of campaigns with manual bids that pay per view. */
    readonly updateAuctionPlacement: (request: {
      readonly placements: ReadonlyArray<PlacementChange>
    }) => Effect.Effect<void, MarketplaceError>
    readonly renameCampaign: (id: number, name: string) => Effect.Effect<void, MarketplaceError>
    /** Ends a campaign in status 9 or 11 for good. */
    readonly stopCampaign: (id: number) => Effect.Effect<void, MarketplaceError>
    /** Adds money to a campaign's budget, which cannot be taken back here; returns the budget after it, in rubles, if told. */
    readonly createBudgetDeposit: (deposit: Deposit) => Effect.Effect<number | null, MarketplaceError>
    /** The daily limits of campaigns that pay for clicks, in kopecks; for personal and service keys alone. */
    readonly getDailyLimits: () => Effect.Effect<ReadonlyArray<DailyLimit>, MarketplaceError>
    /** Sets them; returns the campaigns whose limit was too low, and the least one, in kopecks. */
    readonly setDailyLimits: (
      change: DailyLimitChange
    ) => Effect.Effect<
      { readonly tooLow: ReadonlyArray<{ readonly advertId: number; readonly requiredLimit?: number | null }> },
      MarketplaceError
    >
    /** The money of the account, in rubles. */
    readonly getAdvBalance: () => Effect.Effect<Balance, MarketplaceError>
    /** The expenses of campaigns, in rubles, over any number of days. */
    readonly getAdvUpd: (request: DayRange) => Effect.Effect<ReadonlyArray<Expense>, MarketplaceError>
    /** The number of campaigns of the account, by type and status; the cheapest way to see whether the key is taken. */
    readonly getCampaignCount: () => Effect.Effect<CampaignCount, MarketplaceError>
  }
>()("workflow-tool-server/marketplace/MarketplaceAds") {
  /** The client over any `HttpClient`, with the address, key and limits of the configuration. */
  static readonly layer: Layer.Layer<MarketplaceAds, never, HttpClient.HttpClient | MarketplaceConfig> = Layer.effect(
    MarketplaceAds,
    Effect.gen(function* () {
      const settings = yield* MarketplaceConfig
      const calls = yield* makeCall(yield* HttpClient.HttpClient, settings)
      const { wire = "spec" } = settings
      return MarketplaceAds.of({ ...readCalls(calls, wire), ...writeCalls(calls, wire, clusterWire(settings)) })
    })
  )
}
