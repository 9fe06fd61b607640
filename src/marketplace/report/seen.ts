import { Clock, Effect, Option, Schema } from "effect"

import { bisectReads } from "../../changes/bisectReads.ts"
import type { StoredValue } from "../../internal/KeptValues.ts"
import { listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { monotonicMillis } from "../../internal/time.ts"
import { type Campaign, hasClusterBids, mayChange, pairsOf, readEach } from "../client/Campaign.ts"
import { type Pair, pairKey } from "../client/ids.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { isRefusal, type MarketplaceError } from "../client/MarketplaceError.ts"
import { caps } from "../client/operations.ts"
import { readDailyLimits } from "../client/readBudgets.ts"
import { chunks } from "../client/split.ts"
import { campaignsKey, seenArticleKey, seenKey, valueIn } from "./freshness.ts"
import { KeptStatistics } from "./KeptStatistics.ts"

/* The account as it was last seen: what differs from it, and is not ours, was changed elsewhere. */

/** Settings of an article that the list of campaigns does not have; missing where the marketplace does not tell them. */
const ArticleSettings = Schema.Struct({
  phrases: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Bids of search clusters in kopecks, by their query. */
  bids: Schema.optionalKey(Schema.Record(Schema.String, Schema.Number))
})
type ArticleSettings = typeof ArticleSettings.Type

const Limits = Schema.Array(Schema.Tuple([Schema.Int, Schema.NullOr(Schema.Number)]))

/** An account as it was seen, as far as it was read. */
export interface Seen {
  readonly at: number
  readonly adverts: ReadonlyArray<Campaign>
  /** Daily limits in kopecks, null for none; undefined where they are not told. */
  readonly limits: ReadonlyMap<number, number | null> | undefined
  /** By `pairKey`. */
  readonly articles: ReadonlyMap<string, SeenArticle>
}

/** Settings of an article with the moment at which they were seen. */
export interface SeenArticle extends ArticleSettings {
  readonly at: number
}

const decodeSettings = Schema.decodeUnknownOption(ArticleSettings)
const decodeLimits = Schema.decodeUnknownOption(Limits)

const articleIn = (kept: StoredValue | undefined) =>
  Option.getOrUndefined(Option.map(decodeSettings(valueIn(kept)), (settings) => ({ ...settings, at: kept?.at ?? 0 })))

/** Earlier versions kept the list of campaigns alone. */
const accountIn = (kept: StoredValue): Omit<Seen, "articles"> => {
  const value = valueIn(kept)
  const { adverts, limits } = Array.isArray(value) ? { adverts: value, limits: undefined } : objectOf(value)
  return {
    at: kept.at,
    adverts: readEach(listOf(adverts)).adverts,
    limits: Option.getOrUndefined(Option.map(decodeLimits(limits), (rows) => new Map(rows)))
  }
}

/** The settings of some articles; those that the marketplace refuses to show are left out. */
const readSettings = Effect.fnUntraced(function* (pairs: ReadonlyArray<Pair>, isManual: (id: number) => boolean) {
  const ads = yield* MarketplaceAds
  const refusal = (error: MarketplaceError) => (isRefusal(error) ? error : undefined)
  const phrases = yield* bisectReads(pairs, (items) => ads.getMinusPhrases({ items }), refusal)
  const manual = pairs.filter(({ advert_id }) => isManual(advert_id))
  const bids = yield* bisectReads(manual, (items) => ads.getNormqueryBids({ items }), refusal)
  const lists = new Map(
    phrases.answers.flatMap(({ answer, items }) => [
      ...items.map((pair): readonly [string, ReadonlyArray<string>] => [pairKey(pair), []]),
      ...answer.items.map((one) => [pairKey(one), one.norm_queries] as const)
    ])
  )
  const amounts = new Map(bids.answers.flatMap(({ items }) => items.map((pair) => [pairKey(pair), new Map()] as const)))
  for (const { advert_id, bid, nm_id, norm_query } of bids.answers.flatMap(({ answer }) => answer.bids)) {
    amounts.get(pairKey({ advert_id, nm_id }))?.set(norm_query, bid)
  }
  return pairs.map((pair): readonly [string, ArticleSettings] => {
    const [list, amount] = [lists.get(pairKey(pair)), amounts.get(pairKey(pair))]
    return [
      pairKey(pair),
      { ...(list && { phrases: list }), ...(amount && { bids: Object.fromEntries<number>(amount) }) }
    ]
  })
})

/** Reads settings until that is done, the time is up, or the marketplace tells no more. */
const readUntil = Effect.fnUntraced(function* (
  pairs: ReadonlyArray<Pair>,
  isManual: (id: number) => boolean,
  until: number
) {
  const articles = new Map<string, ArticleSettings>()
  for (const some of chunks(pairs, caps.pairs)) {
    const left = until - (yield* monotonicMillis)
    const reading = yield* Effect.timeoutOption(Effect.result(readSettings(some, isManual)), Math.max(0, left))
    if (Option.isNone(reading)) return { articles, problem: undefined }
    if (reading.value._tag === "Failure") return { articles, problem: reading.value.failure }
    for (const [key, settings] of reading.value.success) articles.set(key, settings)
  }
  return { articles, problem: undefined }
})

/**
 * The account now, and as it was when it was last seen; undefined if it never was. Articles that were seen longest ago come
 * first: where the time is up before all are read, the next calls read the others.
 */
export const seeAccount = Effect.fn("seeAccount")(function* (until: number) {
  const { campaigns, store } = yield* KeptStatistics
  const lists = yield* store.read([seenKey, campaignsKey])
  const last = lists.get(seenKey) ?? lists.get(campaignsKey)
  const at = yield* Clock.currentTimeMillis
  const { adverts } = yield* campaigns({ isFresh: true })
  // Some kinds of keys are not told them.
  const limits = yield* Effect.option(MarketplaceAds.use(readDailyLimits))
  const pairs = pairsOf(adverts.filter(mayChange))
  const seen = yield* store.read(pairs.map(seenArticleKey))
  const momentOf = (pair: Pair) => seen.get(seenArticleKey(pair))?.at ?? 0
  const manual = new Set(adverts.filter(hasClusterBids).map(({ id }) => id))
  const { articles, problem } = yield* readUntil(
    pairs.toSorted((a, b) => momentOf(a) - momentOf(b)),
    (id) => manual.has(id),
    until
  )
  const before: Seen | undefined =
    last === undefined
      ? undefined
      : {
          ...accountIn(last),
          articles: new Map(
            pairs.flatMap((pair) => {
              const one = articleIn(seen.get(seenArticleKey(pair)))
              return one === undefined ? [] : [[pairKey(pair), one] as const]
            })
          )
        }
  const now: Seen = {
    at,
    adverts,
    limits: Option.getOrUndefined(limits),
    articles: new Map([...articles].map(([key, settings]) => [key, { ...settings, at }]))
  }
  const account = { adverts, ...(now.limits && { limits: [...now.limits] }) }
  const values = [
    [seenKey, account] as const,
    ...pairs.flatMap((pair) => {
      const settings = articles.get(pairKey(pair))
      return settings === undefined ? [] : [[seenArticleKey(pair), settings] as const]
    })
  ]
  return {
    before,
    now,
    /** Articles that were not read, and the reason where it was not the time. */
    unread: pairs.length - articles.size,
    problem,
    /** Makes what is there now the state that the next call compares with. */
    look: store.keep(new Map(values.map(([key, value]) => [key, { at, json: JSON.stringify(value) }])))
  }
})
