import { Effect, Schema } from "effect"

import {
  Balance,
  BudgetList,
  CampaignCount,
  DailyLimitsReply,
  DayRange,
  ExpensesReply,
  PromotionConfig
} from "./Account.ts"
import { BidsMinReply, BidsMinRequest, BidsRecommendations, type Wire } from "./Bids.ts"
import type { Calls } from "./call.ts"
import { CampaignList, readEach } from "./Campaign.ts"
import {
  ClusterBidsReply,
  clusterDaysIn,
  ClusterListReply,
  ClusterStatsReply,
  ClusterStatsRequest,
  DailyStatsReply,
  MinusPhrasesReply
} from "./Clusters.ts"
import { distinctPairs, Pair } from "./ids.ts"
import { AdsUnreadable, CampaignUnreadable, MarketplaceError, type Reason } from "./MarketplaceError.ts"
import { caps, operations } from "./operations.ts"
import { chunks, joinSpans, spans, splitFullstats } from "./split.ts"
import { FullstatsReply, FullstatsRequest, KeywordsReply, KeywordsRequest } from "./Statistics.ts"
import { check, refuseIf } from "./wire.ts"
import * as WireForm from "./wire.ts"

/** The campaigns to read; lists, or the text of the query. By default all. */
export interface CampaignFilter {
  readonly ids?: string | ReadonlyArray<number>
  readonly statuses?: string | ReadonlyArray<number>
  readonly payment_type?: string
}

/** The operations that only read: long lists are split, sent a few calls at a time, and joined. */
export const readCalls = ({ call }: Calls, wire: Wire) => {
  const getAdvertsV2 = Effect.fn("MarketplaceAds.getAdvertsV2")(function* (filter: CampaignFilter = {}) {
    const ids = filter.ids === undefined ? undefined : distinct(list(filter.ids).map(String))
    const parts = ids === undefined ? [undefined] : chunks(ids, caps.campaignIds).map((some) => some.join(","))
    const statuses = list(filter.statuses).join(",") || undefined
    const pages = yield* together(parts, (some) =>
      call(operations.getAdvertsV2, { query: { ids: some, statuses, payment_type: filter.payment_type } }, CampaignList)
    )
    const all = pages.flatMap((page) => page.adverts ?? [])
    const { adverts, unreadable } = readEach(all)
    const [odd] = unreadable
    if (adverts.length > 0 || odd === undefined) return { adverts, unreadable }
    const failed = (reason: Reason) => new MarketplaceError({ operation: operations.getAdvertsV2.name, reason })
    const first = new CampaignUnreadable(odd)
    if (ids !== undefined) return yield* failed(first)
    const detail = `none of ${all.length} campaigns can be read, the first: ${first.detail}`
    return yield* failed(new AdsUnreadable({ kind: "read", detail, body: JSON.stringify(all[0]).slice(0, 200) }))
  })

  const countAdverts = (filter?: CampaignFilter) =>
    Effect.map(getAdvertsV2(filter), ({ adverts, unreadable }) => adverts.length + unreadable.length)

  const getMinusPhrases = Effect.fn("MarketplaceAds.getMinusPhrases")(function* (request: {
    readonly items: ReadonlyArray<Pair>
  }) {
    const items = yield* check("getMinusPhrases", Schema.Array(Pair), request.items)
    const pages = yield* together(chunks(distinctPairs(items), caps.pairs), (some) =>
      call(operations.getMinusPhrases, { body: { items: some } }, MinusPhrasesReply)
    )
    return {
      items: pages
        .flatMap((page) => page.items ?? [])
        .map((item) => ({ ...item, norm_queries: item.norm_queries ?? [] }))
    }
  })

  const getNormqueryStats = Effect.fn("MarketplaceAds.getNormqueryStats")(function* (request: ClusterStatsRequest) {
    const { from, items, to } = yield* check("getNormqueryStats", ClusterStatsRequest, request)
    yield* someDays("getNormqueryStats", from, to)
    const isLong = spans(from, to, caps.clusterStatsDays).length > 1
    yield* refuseIf("getNormqueryStats", isLong ? tooManyDays : undefined)
    const pages = yield* together(chunks(distinctPairs(items), caps.pairs), (some) =>
      call(operations.getNormqueryStats, { body: { from, to, items: some } }, ClusterStatsReply)
    )
    return { stats: pages.flatMap((page) => page.stats ?? []) }
  })

  const getNormqueryDailyStats = Effect.fn("MarketplaceAds.getNormqueryDailyStats")(function* (
    request: ClusterStatsRequest
  ) {
    const { from, items, to } = yield* check("getNormqueryDailyStats", ClusterStatsRequest, request)
    yield* someDays("getNormqueryDailyStats", from, to)
    const isLong = spans(from, to, caps.clusterStatsDays).length > 1
    yield* refuseIf("getNormqueryDailyStats", isLong ? tooManyDays : undefined)
    const pages = yield* together(chunks(distinctPairs(items), caps.pairs), (some) =>
      call(operations.getNormqueryDailyStats, { body: { from, to, items: some.map(camelCase) } }, DailyStatsReply)
    )
    return { days: pages.flatMap(clusterDaysIn) }
  })

  const getNormqueryList = Effect.fn("MarketplaceAds.getNormqueryList")(function* (request: {
    readonly items: ReadonlyArray<Pair>
  }) {
    const items = yield* check("getNormqueryList", Schema.Array(Pair), request.items)
    const pages = yield* together(chunks(distinctPairs(items), caps.pairs), (some) =>
      call(operations.getNormqueryList, { body: { items: some.map(camelCase) } }, ClusterListReply)
    )
    return {
      items: pages
        .flatMap((page) => page.items ?? [])
        .map(({ advertId, nmId, normQueries, ...more }) => ({
          ...more,
          ...normQueries,
          advert_id: advertId,
          nm_id: nmId,
          active: normQueries?.active ?? [],
          excluded: normQueries?.excluded ?? [],
          archived: normQueries?.archived ?? []
        }))
    }
  })

  const getBidsRecommendations = ({ advert_id, nm_id }: Pair) =>
    call(operations.getBidsRecommendations, { query: { nmId: nm_id, advertId: advert_id } }, BidsRecommendations)

  const getAdvUpd = Effect.fn("MarketplaceAds.getAdvUpd")(function* (request: DayRange) {
    const { from, to } = yield* check("getAdvUpd", DayRange, request)
    yield* someDays("getAdvUpd", from, to)
    const pages = yield* together(spans(from, to, caps.updDays), (days) =>
      call(operations.getAdvUpd, { query: days }, ExpensesReply)
    )
    return pages.flatMap((page) => page ?? [])
  })

  const getAdvFullstats = Effect.fn("MarketplaceAds.getAdvFullstats")(function* (request: FullstatsRequest) {
    const checked = yield* check("getAdvFullstats", FullstatsRequest, request)
    yield* someDays("getAdvFullstats", checked.beginDate, checked.endDate)
    const answers = yield* together(splitFullstats(checked), ({ ids, ...days }) =>
      call(operations.getAdvFullstats, { query: { ids: ids.join(","), ...days } }, FullstatsReply)
    )
    return joinSpans(answers.flatMap((answer) => answer ?? []))
  })

  const getStatsKeywords = Effect.fn("MarketplaceAds.getStatsKeywords")(function* (request: KeywordsRequest) {
    const { advert_id, from, to } = yield* check("getStatsKeywords", KeywordsRequest, request)
    yield* someDays("getStatsKeywords", from, to)
    const answers = yield* together(spans(from, to, caps.keywordDays), (week) =>
      call(operations.getStatsKeywords, { query: { advert_id, ...week } }, KeywordsReply)
    )
    return { keywords: answers.flatMap((answer) => answer.keywords ?? []) }
  })

  const getBidsMin = Effect.fn("MarketplaceAds.getBidsMin")(function* (request: BidsMinRequest) {
    const { advert_id, nm_ids, payment_type, placement_types } = yield* check("getBidsMin", BidsMinRequest, request)
    const pages = yield* together(chunks(distinct(nm_ids), caps.minBidArticles), (some) => {
      const body = { advert_id, nm_ids: some, payment_type, placement_types: placement_types.map(WireForm.toSingular) }
      return call(operations.getBidsMin, { body }, BidsMinReply)
    })
    const bids = pages.flatMap((page) => page.bids ?? [])
    return {
      bids: bids.map((article) => ({
        ...article,
        bids: article.bids.map((bid) => ({ ...bid, type: WireForm.toPlural(bid.type) }))
      }))
    }
  })

  const getNormqueryBids = Effect.fn("MarketplaceAds.getNormqueryBids")(function* (request: {
    readonly items: ReadonlyArray<Pair>
  }) {
    const items = yield* check("getNormqueryBids", Schema.Array(Pair), request.items)
    const pages = yield* together(chunks(distinctPairs(items), caps.pairs), (some) =>
      call(operations.getNormqueryBids, { body: { items: some } }, ClusterBidsReply)
    )
    return {
      bids: WireForm.clusterBidsRead(
        wire,
        pages.flatMap((page) => page.bids ?? [])
      )
    }
  })

  const getBudgets = Effect.fn("MarketplaceAds.getBudgets")(function* (ids: ReadonlyArray<number>) {
    const pages = yield* together(chunks(distinct(ids), caps.budgets), (some) =>
      call(operations.getBudgets, { body: { advertIds: some } }, BudgetList)
    )
    return pages.flatMap((page) => page.adverts ?? [])
  })

  return {
    getAdvertsV2,
    countAdverts,
    getMinusPhrases,
    getNormqueryStats,
    getAdvFullstats,
    getStatsKeywords,
    getBidsMin,
    getNormqueryBids,
    getBudgets,
    getNormqueryDailyStats,
    getNormqueryList,
    getBidsRecommendations,
    getAdvUpd,
    getAdvBalance: () => call(operations.getAdvBalance, {}, Balance),
    getConfig: () => call(operations.getConfig, {}, PromotionConfig),
    getDailyLimits: () =>
      Effect.map(call(operations.getDailyLimits, {}, DailyLimitsReply), ({ adverts }) => adverts ?? []),
    getCampaignCount: () => call(operations.getCampaignCount, {}, CampaignCount)
  }
}

/** A pair as the newer operations spell it. */
const camelCase = ({ advert_id, nm_id }: Pair) => ({ advertId: advert_id, nmId: nm_id })

const distinct = <A>(given: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(given)]

const list = (given: string | ReadonlyArray<number> = []): ReadonlyArray<number | string> =>
  typeof given === "string"
    ? given
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "")
    : given

/** Reads in parts, a few at a time; the answers are in the order of the parts. */
const together = <A, B>(parts: ReadonlyArray<A>, read: (part: A) => Effect.Effect<B, MarketplaceError>) =>
  Effect.forEach(parts, read, { concurrency: 5 })

const someDays = (operation: string, from: string, to: string) =>
  refuseIf(operation, from > to ? "the first day must not be after the last" : undefined)

const tooManyDays = `it takes at most ${caps.clusterStatsDays} days at once, the first and the last counted`
