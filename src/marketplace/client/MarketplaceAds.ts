import { Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import type { Budget, CampaignBudget, CampaignCount } from "./Account.ts"
import type { BidsMin, BidsMinRequest, BidUnit, BidUpdate } from "./Bids.ts"
import { make as makeCall } from "./call.ts"
import type { Campaign, NewCampaign, ProductChange, Unreadable } from "./Campaign.ts"
import type {
  ArticleClusters,
  Cluster,
  ClusterBid,
  ClusterBidFound,
  ClusterBidRefused,
  ClusterStatsRequest,
  MinusPhrases
} from "./Clusters.ts"
import type { Pair } from "./ids.ts"
import { MarketplaceConfig } from "./MarketplaceConfig.ts"
import type { MarketplaceError } from "./MarketplaceError.ts"
import { type CampaignFilter, readCalls } from "./readCalls.ts"
import type { CampaignStats, FullstatsRequest, KeywordsDay, KeywordsRequest } from "./Statistics.ts"
import { writeCalls } from "./writeCalls.ts"

type Call<A> = Effect.Effect<A, MarketplaceError>

/**
 * The advertising part of the marketplace: one method per operation, under its name. Bids are kopecks, statistics and
 * budgets rubles. Lists over the interface's caps are split and joined; writes are never repeated blindly.
 */
export class MarketplaceAds extends Context.Service<
  MarketplaceAds,
  {
    /** A campaign that cannot be read is left out and named; where none can, or none of those asked for, it fails. */
    readonly getAdvertsV2: (filter?: CampaignFilter) => Call<{
      readonly adverts: ReadonlyArray<Campaign>
      readonly unreadable: ReadonlyArray<Unreadable>
    }>
    /** How many campaigns the marketplace lists, those that cannot be read included. */
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
    /**
     * Bids in kopecks, which go out in `unit`: by default the wire's, kopecks or (published) whole rubles. Returns what was
     * not taken and why, where the marketplace tells.
     */
    readonly setNormqueryBids: (
      request: { readonly bids: ReadonlyArray<ClusterBid> },
      options?: { readonly unit?: BidUnit }
    ) => Call<{ readonly failed: ReadonlyArray<ClusterBidRefused> }>
    readonly getAdvFullstats: (request: FullstatsRequest) => Call<ReadonlyArray<CampaignStats>>
    /** Switched off by the marketplace on 2026-01-15: expect AdsNotFound from the real one. */
    readonly getStatsKeywords: (request: KeywordsRequest) => Call<{ readonly keywords: ReadonlyArray<KeywordsDay> }>
    readonly getBidsMin: (request: BidsMinRequest) => Call<{ readonly bids: ReadonlyArray<BidsMin> }>
    /** Returns the id of the new campaign. */
    readonly createSeacatSaveAd: (campaign: NewCampaign) => Call<number>
    readonly getNormqueryBids: (request: {
      readonly items: ReadonlyArray<Pair>
    }) => Call<{ readonly bids: ReadonlyArray<ClusterBidFound> }>
    readonly deleteNormqueryBids: (request: { readonly bids: ReadonlyArray<Cluster> }) => Call<void>
    readonly startCampaign: (id: number) => Call<void>
    readonly pauseCampaign: (id: number) => Call<void>
    /** Only a campaign that was never started can be deleted. */
    readonly deleteCampaign: (id: number) => Call<void>
    readonly getBudgets: (ids: ReadonlyArray<number>) => Call<ReadonlyArray<CampaignBudget>>
    /** The operation that getBudgets replaces; the marketplace has announced its end for 2026-11-16. */
    readonly getBudget: (id: number) => Call<Budget>
    readonly getCampaignCount: () => Call<CampaignCount>
  }
>()("workflow-tool-server/marketplace/MarketplaceAds") {
  static readonly layer: Layer.Layer<MarketplaceAds, never, HttpClient.HttpClient | MarketplaceConfig> = Layer.effect(
    MarketplaceAds,
    Effect.gen(function* () {
      const settings = yield* MarketplaceConfig
      const calls = yield* makeCall(yield* HttpClient.HttpClient, settings)
      const { wire = "spec" } = settings
      return MarketplaceAds.of({ ...readCalls(calls, wire), ...writeCalls(calls, wire) })
    })
  )
}
