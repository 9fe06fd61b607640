import { assert, describe, it } from "@effect/vitest"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import * as fc from "fast-check"

import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { Kopecks } from "../../src/marketplace/client/money.ts"
import { joinSpans, spans, splitBids, splitProducts } from "../../src/marketplace/client/split.ts"
import { publishedOperations, specOperations } from "./data.ts"
import { adsOver, inTime, type Seen, standIn } from "./support.ts"

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

const fits = (operations: typeof specOperations, { body, method, path }: Seen): string => {
  const shape = operations.find((one) => one.method === method && one.path === path)?.request
  if (shape === undefined || shape === null) return "no shape"
  return ajv.validate(shape, body) ? "fits" : ajv.errorsText()
}

const answer = ({ path }: Seen) => ({ body: path.endsWith("save-ad") ? 77 : {} })

const nmId = fc.integer({ min: 1, max: 999_999_999 })
const someNms = (maxLength: number) => fc.uniqueArray(nmId, { minLength: 1, maxLength })
const bid = fc.integer({ min: 1, max: 100_000 }).map((rubles) => Kopecks.make(rubles * 100))
const placement = fc.constantFrom("search", "recommendations", "combined")
const nmBid = fc.record({ nm_id: nmId, bid_kopecks: bid, placement })
const phrase = fc.string({ minLength: 1, maxLength: 30 })
const pair = fc.record({ advert_id: nmId, nm_id: nmId })

/** Every write, with whatever a caller may give it. */
const anyCalls = fc.record({
  bids: fc.array(fc.record({ advert_id: nmId, nm_bids: fc.array(nmBid, { minLength: 1, maxLength: 120 }) }), {
    minLength: 1,
    maxLength: 5
  }),
  products: fc.array(fc.record({ advert_id: nmId, add_nms: someNms(90) }), { minLength: 1, maxLength: 30 }),
  phrases: fc.record({
    advert_id: nmId,
    nm_id: nmId,
    norm_queries: fc.array(phrase, { minLength: 1, maxLength: 50 })
  }),
  clusters: fc.array(fc.record({ advert_id: nmId, nm_id: nmId, norm_query: phrase, bid }), {
    minLength: 1,
    maxLength: 130
  }),
  pairs: fc.array(pair, { minLength: 1, maxLength: 230 }),
  nms: someNms(50)
})

const sendAll = ({
  bids,
  clusters,
  nms,
  pairs,
  phrases,
  products
}: typeof anyCalls extends fc.Arbitrary<infer A> ? A : never) =>
  Effect.gen(function* () {
    const ads = yield* MarketplaceAds
    yield* ads.updateBids({ bids })
    yield* ads.updateCampaignProducts({ campaigns: products })
    yield* ads.setMinusPhrases(phrases)
    yield* ads.setNormqueryBids({ bids: clusters })
    yield* ads.deleteNormqueryBids({ bids: clusters })
    yield* ads.getMinusPhrases({ items: pairs })
    yield* ads.getNormqueryBids({ items: pairs })
    yield* ads.getNormqueryStats({ from: "2026-01-01", to: "2026-01-30", items: pairs })
    yield* ads.getBidsMin({ advert_id: 1, nm_ids: nms, payment_type: "cpm", placement_types: ["recommendations"] })
    yield* ads.createSeacatSaveAd({
      name: "n",
      nms,
      bid_type: "manual",
      placement_types: ["search", "recommendations"]
    })
  })

describe("a request on the wire", () => {
  it.effect.each(["spec", "published"] as const)("fits the shapes of wire %s, and its caps", (wire) =>
    Effect.forEach(fc.sample(anyCalls, { numRuns: 15, seed: 4 }), (calls) => {
      const { client, requests } = standIn(answer)
      return Effect.gen(function* () {
        yield* inTime(sendAll(calls), 1000)
        assert.isNotEmpty(requests)
        for (const seen of requests) {
          const inSpec = fits(specOperations, seen)
          const inPublished = fits(publishedOperations, seen)
          if (wire === "spec") {
            assert.include(["fits", "no shape"], inSpec)
            if (!seen.path.endsWith("auction/nms")) assert.strictEqual(inPublished, "fits")
          } else assert.strictEqual(inPublished, "fits")
        }
      }).pipe(Effect.provide(adsOver(client, { wire }), { local: true }))
    })
  )

  it.effect("differs between the wires in the articles and the cluster bids, and in nothing else", () =>
    Effect.gen(function* () {
      const [calls] = fc.sample(anyCalls, { numRuns: 1, seed: 8 })
      assert.isDefined(calls)
      if (calls === undefined) return
      const sent = (wire: "published" | "spec") => {
        const { client, requests } = standIn(answer)
        return inTime(sendAll(calls), 1000).pipe(
          Effect.as(requests),
          Effect.provide(adsOver(client, { wire }), { local: true })
        )
      }
      const spec = yield* sent("spec")
      const published = yield* sent("published")
      const changed = spec.flatMap((seen, index) => {
        const other = published[index]
        return JSON.stringify([seen.path, seen.body]) === JSON.stringify([other?.path, other?.body])
          ? []
          : [`${seen.method} ${seen.path}`]
      })
      assert.sameMembers([...new Set(changed)], ["PATCH /adv/v0/auction/nms", "POST /adv/v0/normquery/bids"])
    })
  )

  it.effect("holds cluster bids in kopecks on wire spec, in whole rubles on wire published", () =>
    Effect.gen(function* () {
      const cluster = { advert_id: 1, nm_id: 2, norm_query: "a", bid: Kopecks.make(70_000) }
      for (const [wire, expected] of [
        ["spec", 70_000],
        ["published", 700]
      ] as const) {
        const { client, requests } = standIn(() => ({}))
        yield* MarketplaceAds.use((ads) => ads.setNormqueryBids({ bids: [cluster] })).pipe(
          Effect.provide(adsOver(client, { wire }), { local: true })
        )
        assert.deepStrictEqual(requests[0]?.body, { bids: [{ ...cluster, bid: expected }] })
      }
    })
  )

  it.effect("is refused where whole rubles cannot hold its kopecks", () => {
    const { client, requests } = standIn(() => ({}))
    return Effect.gen(function* () {
      const bids = [{ advert_id: 1, nm_id: 2, norm_query: "a", bid: Kopecks.make(70_050) }]
      const error = yield* Effect.flip(MarketplaceAds.use((ads) => ads.setNormqueryBids({ bids })))
      assert.strictEqual(error.reason._tag, "AdsInvalidRequest")
      assert.strictEqual(requests.length, 0)
    }).pipe(Effect.provide(adsOver(client, { wire: "published" })))
  })

  it.effect.each([
    ["spec", { bid: 70_000 }, 70_000],
    ["spec", { bid: 700, bid_kopecks: 70_000 }, 70_000],
    ["published", { bid: 700 }, 70_000],
    ["published", { bid: 700, bid_kopecks: 70_000 }, 70_000]
  ] as const)("of wire %s is answered with %o, read as the same cluster bid", ([wire, shown, expected]) =>
    Effect.gen(function* () {
      const { bids } = yield* MarketplaceAds.use((ads) => ads.getNormqueryBids({ items: [{ advert_id: 1, nm_id: 2 }] }))
      assert.deepStrictEqual(bids[0]?.bid, Kopecks.make(expected))
    }).pipe(
      Effect.provide(
        adsOver(standIn(() => ({ body: { bids: [{ advert_id: 1, nm_id: 2, norm_query: "a", ...shown }] } })).client, {
          wire
        })
      )
    )
  )

  it.effect("spells recommendations as each operation does, and shows one spelling", () => {
    const reply = { bids: [{ nm_id: 2, bids: [{ type: "recommendation", value: 250 }] }] }
    const { client, requests } = standIn(() => ({ body: reply }))
    return Effect.gen(function* () {
      const { bids } = yield* MarketplaceAds.use((ads) =>
        ads.getBidsMin({ advert_id: 1, nm_ids: [2], payment_type: "cpm", placement_types: ["recommendations"] })
      )
      assert.deepInclude(requests[0]?.body, { placement_types: ["recommendation"] })
      assert.strictEqual(bids[0]?.bids[0]?.type, "recommendations")
    }).pipe(Effect.provide(adsOver(client)))
  })
})

describe("a list that is too long for one call", () => {
  const bids = fc.array(
    fc.record({ advert_id: fc.integer({ min: 1, max: 90 }), nm_bids: fc.array(nmBid, { maxLength: 70 }) }),
    { maxLength: 100 }
  )

  it("is split without losing a bid or repeating a campaign within a call", () => {
    fc.assert(
      fc.property(bids, (list) => {
        const parts = splitBids(list)
        for (const call of parts) {
          assert.isAtMost(call.length, 50)
          assert.strictEqual(new Set(call.map(({ advert_id }) => advert_id)).size, call.length)
          for (const { nm_bids } of call) assert.isAtMost(nm_bids.length, 50)
        }
        const flat = (some: typeof list) =>
          some.flatMap(({ advert_id, nm_bids }) => nm_bids.map((one) => JSON.stringify([advert_id, one]))).toSorted()
        assert.deepStrictEqual(
          flat(parts.flat().map(({ advert_id, nm_bids }) => ({ advert_id, nm_bids: [...nm_bids] }))),
          flat(list)
        )
      }),
      { numRuns: 40 }
    )
  })

  it("is split without losing an article", () => {
    const changes = fc.array(
      fc.record({ advert_id: fc.integer({ min: 1, max: 50 }), add_nms: someNms(80), delete_nms: someNms(80) }),
      { maxLength: 60 }
    )
    fc.assert(
      fc.property(changes, (list) => {
        const calls = splitProducts(list)
        const count = (
          some: ReadonlyArray<{ readonly add_nms?: ReadonlyArray<number>; readonly delete_nms?: ReadonlyArray<number> }>
        ) => some.reduce((sum, { add_nms = [], delete_nms = [] }) => sum + add_nms.length + delete_nms.length, 0)
        for (const call of calls) {
          assert.isAtMost(call.length, 20)
          for (const one of call) assert.isAtMost(count([one]), 50)
        }
        assert.strictEqual(count(calls.flat()), count(list))
      }),
      { numRuns: 40 }
    )
  })

  it.effect("is sent in 3 calls for 120 ids and joined into one list", () => {
    const { client, requests } = standIn(({ query }) => ({
      body: {
        adverts: (query["ids"] ?? "")
          .split(",")
          .map((id) => ({ id: Number(id), bid_type: "auto", status: 9, settings: {} }))
      }
    }))
    return Effect.gen(function* () {
      const ids = Array.from({ length: 120 }, (_, index) => index + 1)
      const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids }))
      assert.deepStrictEqual(
        adverts.map(({ id }) => id),
        ids
      )
      assert.strictEqual(requests.length, 3)
    }).pipe(Effect.provide(adsOver(client)))
  })

  it("of days is split without gap or overlap", () => {
    assert.deepStrictEqual(spans("2026-02-20", "2026-03-05", 7), [
      { from: "2026-02-20", to: "2026-02-26" },
      { from: "2026-02-27", to: "2026-03-05" }
    ])
    assert.deepStrictEqual(spans("2026-02-30", "later", 7), [])
  })

  it("of statistics is added up to the kopeck, with rates worked out anew", () => {
    const month = {
      advertId: 1,
      views: 10,
      clicks: 3,
      orders: 1,
      sum: 0.1,
      ctr: 30,
      cpc: 0.03,
      days: [{ date: "2026-01-01" }]
    }
    const [joined] = joinSpans([month, { ...month, views: 30, clicks: 1, sum: 0.2, days: [{ date: "2026-02-01" }] }])
    assert.deepInclude(joined, { views: 40, clicks: 4, orders: 2, sum: 0.3, ctr: 10, cpc: 0.08, cr: 50 })
    assert.deepStrictEqual(
      joined?.days?.map(({ date }) => date),
      ["2026-01-01", "2026-02-01"]
    )
  })
})
