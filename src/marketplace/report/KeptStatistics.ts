import { Clock, Context, Effect, Layer, Option, Schema } from "effect"

import { grouped } from "../../internal/collections.ts"
import { inMemory, type KeptValues } from "../../internal/KeptValues.ts"
import { listOf } from "../../internal/schema/JsonObject.ts"
import { PromotionConfig } from "../client/Account.ts"
import { readEach } from "../client/Campaign.ts"
import type { Pair } from "../client/ids.ts"
import { isFullKey } from "../client/keyRules.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import type { MarketplaceError } from "../client/MarketplaceError.ts"
import { caps } from "../client/operations.ts"
import { chunks } from "../client/split.ts"
import {
  campaignsKey,
  clusterDayKey,
  clusterKey,
  configKey,
  dayKey,
  endOf,
  isFresh,
  isRecent,
  nameKey,
  spansOf,
  valueIn
} from "./freshness.ts"
import * as Gathering from "./gathering.ts"
import type { Gathered, KeptCampaigns, Patience } from "./gathering.ts"
import { daysOf, type Period } from "./period.ts"
import {
  type CampaignDay,
  type ClusterRow,
  clusterRow,
  clustersIn,
  unpackedClusters,
  unpackedDay,
  daysIn,
  packedClusters,
  packedDay,
  namesIn
} from "./rows.ts"

/** A place for statistics that were read, also for other servers and for the time after this one. */
export class StatisticsStore extends Context.Service<StatisticsStore, KeptValues>()(
  "workflow-tool-server/marketplace/StatisticsStore"
) {}

/** Statistics by campaign and day; undefined where there are none, or none were read. */
interface CampaignDays {
  readonly dayOf: (advert_id: number, day: string) => CampaignDay | undefined
  readonly isRead: (advert_id: number, day: string) => boolean
}

/** Search clusters by article, over a period or by day. */
export interface Clusters {
  readonly of: (pair: Pair) => ReadonlyArray<ClusterRow>
  readonly isRead: (pair: Pair) => boolean
}

/** Statistics that are read once: what was read is kept, and the same question goes on where it stopped. */
export class KeptStatistics extends Context.Service<
  KeptStatistics,
  {
    /** The place where it all is kept. */
    readonly store: KeptValues
    /** All campaigns, as they were at most an hour ago, unless `isFresh` is wanted. */
    readonly campaigns: (options?: { readonly isFresh?: boolean }) => Effect.Effect<KeptCampaigns, MarketplaceError>
    /** The steps of bids and the least amounts; undefined where this key is not told, or the marketplace does not say. */
    readonly config: Effect.Effect<PromotionConfig | undefined>
    /** Statistics of campaigns by day; those of earlier campaigns in the list are read first. */
    readonly days: (
      ids: ReadonlyArray<number>,
      period: Period,
      patience: Patience
    ) => Effect.Effect<Gathered<CampaignDays>, MarketplaceError>
    /** The names of articles, as far as statistics have told them. */
    readonly names: (nm_ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyMap<number, string>>
    /** Search clusters of articles over a period. */
    readonly clusters: (
      pairs: ReadonlyArray<Pair>,
      period: Period,
      patience: Patience
    ) => Effect.Effect<Gathered<Clusters>, MarketplaceError>
    /** The same on each day; only on the marketplace as it is published. */
    readonly clusterDays: (
      pairs: ReadonlyArray<Pair>,
      period: Period,
      patience: Patience
    ) => Effect.Effect<
      Gathered<{ readonly on: (pair: Pair, day: string) => ReadonlyArray<ClusterRow> }>,
      MarketplaceError
    >
  }
>()("workflow-tool-server/marketplace/KeptStatistics") {
  static readonly layer: Layer.Layer<KeptStatistics, never, MarketplaceAds | MarketplaceConfig> = Layer.effect(
    KeptStatistics,
    Effect.suspend(() => make)
  )
}

const decodeConfig = Schema.decodeUnknownOption(PromotionConfig)

const now = Clock.currentTimeMillis

/** The account from which statistics are read, and the place where they are kept. */
interface Sources {
  readonly ads: MarketplaceAds["Service"]
  readonly store: KeptValues
  readonly gather: Effect.Success<ReturnType<typeof Gathering.make>>["gather"]
}

const campaignDays = ({ ads, gather, store }: Sources) => {
  const dayPart = (ids: ReadonlyArray<number>, period: Period, dates = daysOf(period)): Gathering.Part => ({
    keys: ids.flatMap((id) => dates.map((day) => dayKey(id, day))),
    halves: Gathering.halvesOf(ids, (some) => dayPart(some, period, dates)),
    read: Effect.gen(function* () {
      const stats = yield* ads.getAdvFullstats({ ids, beginDate: period.from, endDate: period.to })
      const byId = new Map(stats.map((one) => [one.advertId, daysIn(one, period.to)]))
      const names = new Map(stats.flatMap((one) => [...namesIn(one)]))
      return [
        ...ids.flatMap((id) => dates.map((day) => [dayKey(id, day), packedDay(byId.get(id)?.get(day))] as const)),
        ...[...names].map(([nm_id, name]) => [nameKey(nm_id), name] as const)
      ]
    })
  })

  return Effect.fn("KeptStatistics.days")(function* (ids: ReadonlyArray<number>, period: Period, patience: Patience) {
    const all = daysOf(period)
    const keys = ids.flatMap((id) => all.map((day) => dayKey(id, day)))
    const before = yield* store.read(keys)
    const moment = yield* now
    const ends = all.map((day) => ({ day, end: endOf(day) }))
    const missingDays = (id: number) =>
      ends.flatMap(({ day, end }) => (isFresh(end, before.get(dayKey(id, day)), moment) ? [] : [day]))
    const bySpan = new Map<string, { readonly span: Period; readonly ids: Array<number> }>()
    for (const id of ids) {
      for (const span of spansOf(missingDays(id))) {
        const group = bySpan.get(`${span.from}:${span.to}`) ?? { span, ids: [] }
        group.ids.push(id)
        bySpan.set(`${span.from}:${span.to}`, group)
      }
    }
    const parts = [...bySpan.values()].flatMap((group) =>
      chunks(group.ids, caps.campaignIds).map((some) => dayPart(some, group.span))
    )
    const unread = yield* gather(parts, patience)
    const values = parts.length === 0 ? before : yield* store.read(keys)
    return {
      unread,
      statistics: {
        dayOf: (advert_id: number, day: string) => unpackedDay(valueIn(values.get(dayKey(advert_id, day)))),
        isRead: (advert_id: number, day: string) => values.has(dayKey(advert_id, day))
      }
    }
  })
}

const clusterReadings = ({ ads, gather, store }: Sources) => {
  /** Something of articles that is kept under keys of their own, each up to a day that ends then. */
  const ofPairs = Effect.fnUntraced(function* (
    pairs: ReadonlyArray<Pair>,
    keysOf: (pair: Pair) => ReadonlyArray<readonly [key: string, end: number]>,
    read: (
      some: ReadonlyArray<Pair>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<ClusterRow>>, MarketplaceError>,
    patience: Patience
  ) {
    const keys = pairs.flatMap((pair) => keysOf(pair).map(([key]) => key))
    const before = yield* store.read(keys)
    const moment = yield* now
    const missing = pairs.filter((pair) => keysOf(pair).some(([key, end]) => !isFresh(end, before.get(key), moment)))
    const partOf = (some: ReadonlyArray<Pair>): Gathering.Part => {
      const names = some.flatMap((pair) => keysOf(pair).map(([key]) => key))
      return {
        keys: names,
        halves: Gathering.halvesOf(some, partOf),
        read: Effect.map(read(some), (rows) => names.map((key) => [key, packedClusters(rows.get(key) ?? [])] as const))
      }
    }
    const parts = chunks(missing, caps.pairs).map(partOf)
    const unread = yield* gather(parts, patience)
    const values = parts.length === 0 ? before : yield* store.read(keys)
    return { unread, values }
  })

  const clusters = Effect.fn("KeptStatistics.clusters")(function* (
    pairs: ReadonlyArray<Pair>,
    period: Period,
    patience: Patience
  ) {
    const read = (items: ReadonlyArray<Pair>) =>
      Effect.map(
        ads.getNormqueryStats({ ...period, items }),
        ({ stats }) => new Map(stats.map((one) => [clusterKey(one, period), clustersIn(one)]))
      )
    const end = endOf(period.to)
    const keysOf = (pair: Pair) => [[clusterKey(pair, period), end] as const]
    const { unread, values } = yield* ofPairs(pairs, keysOf, read, patience)
    return {
      unread,
      statistics: {
        of: (pair: Pair) => unpackedClusters(valueIn(values.get(clusterKey(pair, period)))),
        isRead: (pair: Pair) => values.has(clusterKey(pair, period))
      }
    }
  })

  const clusterDays = Effect.fn("KeptStatistics.clusterDays")(function* (
    pairs: ReadonlyArray<Pair>,
    period: Period,
    patience: Patience
  ) {
    const read = (items: ReadonlyArray<Pair>) =>
      Effect.map(ads.getNormqueryDailyStats({ ...period, items }), ({ days: rows }) => {
        const byDay = grouped(rows, ({ date, ...pair }) => clusterDayKey(pair, date))
        return new Map([...byDay].map(([key, some]) => [key, some.map(({ stat }) => clusterRow(stat))]))
      })
    const dates = daysOf(period).map((day) => ({ day, end: endOf(day) }))
    const keysOf = (pair: Pair) => dates.map(({ day, end }) => [clusterDayKey(pair, day), end] as const)
    const { unread, values } = yield* ofPairs(pairs, keysOf, read, patience)
    const on = (pair: Pair, day: string) => unpackedClusters(valueIn(values.get(clusterDayKey(pair, day))))
    return { unread, statistics: { on } }
  })

  return { clusters, clusterDays }
}

const make = Effect.gen(function* () {
  const ads = yield* MarketplaceAds
  const settings = yield* MarketplaceConfig
  // Without a place for them, they are kept as long as the process runs.
  const store = Option.getOrElse(yield* Effect.serviceOption(StatisticsStore), inMemory)
  let campaigns: KeptCampaigns | undefined

  const { gather, keep } = yield* Gathering.make(store)
  const sources: Sources = { ads, gather, store }

  const names = Effect.fn("KeptStatistics.names")(function* (nm_ids: ReadonlyArray<number>) {
    const values = yield* store.read(nm_ids.map(nameKey))
    return new Map(
      nm_ids.flatMap((nm_id) => {
        const name = valueIn(values.get(nameKey(nm_id)))
        return typeof name === "string" ? [[nm_id, name] as const] : []
      })
    )
  })

  /** The state of all campaigns that the marketplace shows now, kept as it was answered. */
  const campaignsNow = Effect.gen(function* () {
    const { adverts, unreadable } = yield* ads.getAdvertsV2()
    campaigns = { adverts, unreadable, at: yield* now }
    yield* keep([[campaignsKey, adverts]])
    return campaigns
  })

  const readCampaigns = Effect.fn("KeptStatistics.campaigns")(function* (options: { readonly isFresh?: boolean } = {}) {
    if (options.isFresh === true) return yield* campaignsNow
    const moment = yield* now
    if (campaigns !== undefined && isRecent(campaigns, moment)) return campaigns
    const last = (yield* store.read([campaignsKey])).get(campaignsKey)
    if (last === undefined || !isRecent(last, moment)) return yield* campaignsNow
    campaigns = { ...readEach(listOf(valueIn(last))), at: last.at }
    return campaigns
  })

  const config = Effect.gen(function* () {
    if (!isFullKey(settings)) return undefined
    const last = (yield* store.read([configKey])).get(configKey)
    if (last !== undefined && isRecent(last, yield* now)) return Option.getOrUndefined(decodeConfig(valueIn(last)))
    const answer = Option.getOrNull(yield* Effect.option(ads.getConfig()))
    yield* keep([[configKey, answer]])
    return answer ?? undefined
  })

  return KeptStatistics.of({
    store,
    config,
    campaigns: readCampaigns,
    days: campaignDays(sources),
    names,
    ...clusterReadings(sources)
  })
})
