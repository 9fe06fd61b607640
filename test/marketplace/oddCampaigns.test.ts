import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { call as answerTo } from "./offered.ts"
import { intercepted } from "./support.ts"

const Answer = Schema.Record(Schema.String, Schema.Unknown)

const call = (name: string, args: object = {}) =>
  Effect.flatMap(answerTo(name, args), (answer) => Schema.decodeUnknownEffect(Answer)(answer))

const good = {
  id: 1001,
  bid_type: "auto",
  status: 9,
  settings: { name: "Mugs", payment_type: "cpm", placements: { search: true, recommendations: true } },
  nm_settings: [500101, 500102].map((nm_id) => ({
    nm_id,
    bids_kopecks: { search: 25_000, recommendations: 25_000 }
  }))
}
const hybrid = { ...good, id: 3, bid_type: "hybrid", settings: { name: "Old" } }
const declined = { id: 4, bid_type: "manual", status: 8, settings: null }

const isHybrid = 'bid_type must be "auto" | "manual" | "unified"'
const noSettings = "settings must be object"

/** The embedded account as it would be listed with other campaigns in it. */
const listing = (...adverts: ReadonlyArray<unknown>) =>
  intercepted((path) => (path === "/api/advert/v2/adverts" ? { body: { adverts } } : undefined))

const bid = (advert_id: number) => ({ advert_id, nm_id: 500101, bid_rubles: 260 })

describe("a campaign of an unknown kind", () => {
  it.effect("is left out of the list, but named and counted", () =>
    Effect.gen(function* () {
      const list = yield* call("ads_list_campaigns")
      assert.deepInclude(list, {
        total: 3,
        unreadable: [
          { advert_id: 3, problem: isHybrid },
          { advert_id: 4, problem: noSettings }
        ],
        unreadable_count: 2
      })
      assert.nestedPropertyVal(list, "campaigns.length", 1)
      assert.strictEqual(yield* MarketplaceAds.use((ads) => ads.countAdverts()), 3)
    }).pipe(Effect.provide(listing(good, hybrid, declined)))
  )

  it.effect("adds no field to a list without any such campaign", () =>
    Effect.gen(function* () {
      assert.notProperty(yield* call("ads_list_campaigns"), "unreadable")
    }).pipe(Effect.provide(listing(good)))
  )

  it.effect.each([
    ["ads_get_campaign", { advert_id: 3 }],
    ["ads_min_bids", { advert_id: 3 }],
    ["ads_plan_minus_phrases", { advert_id: 3, phrases: ["toy"], mode: "merge" }],
    ["ads_plan_products", { advert_id: 3, add_nms: [5] }]
  ] as const)("makes %s fail with ADS_UNREADABLE where it is asked for alone", ([name, args]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(call(name, args))
      assert.deepInclude(error, { code: "ADS_UNREADABLE" })
      assert.include(String(error), `campaign 3 cannot be read: ${isHybrid}`)
    }).pipe(Effect.provide(listing(good, hybrid)))
  )

  it.effect("makes the whole answer unreadable where no other can be read", () =>
    Effect.gen(function* () {
      const all = yield* Effect.flip(call("ads_list_campaigns"))
      assert.deepInclude(all, { code: "ADS_UNREADABLE" })
      assert.include(String(all), `none of 2 campaigns can be read, the first: campaign 3 cannot be read: ${isHybrid}`)
      const one = yield* Effect.flip(call("ads_plan_bids", { changes: [bid(3)] }))
      assert.deepInclude(one, { code: "ADS_UNREADABLE" })
      assert.include(String(one), "campaign 3 cannot be read")
    }).pipe(Effect.provide(listing(hybrid, declined)))
  )

  it.effect("does not stop a plan of bids for the others", () =>
    Effect.gen(function* () {
      const plan = yield* call("ads_plan_bids", { changes: [bid(1001), bid(3)], check_floors: false })
      assert.deepInclude(plan, {
        steps: 1,
        blocked: [{ what: "bid 3/500101", reason: `the campaign cannot be read: ${isHybrid}` }]
      })
      const cluster = { nm_id: 500101, norm_query: "mug", bid_rubles: 300 }
      const clusters = yield* call("ads_plan_cluster_bids", { changes: [{ ...cluster, advert_id: 3 }] })
      assert.include(JSON.stringify(clusters["blocked"]), "the campaign cannot be read")
    }).pipe(Effect.provide(listing(good, hybrid)))
  )

  const snapshot = [{ advert_id: 1001, bid_rubles: 260 }]

  it.effect("is blocked by name in a migration of all campaigns, and left out of a migration of others", () =>
    Effect.gen(function* () {
      const all = yield* call("ads_plan_migration", { snapshot: [...snapshot, { advert_id: 3, bid_rubles: 260 }] })
      assert.nestedPropertyVal(all, "by_kind.bid", 2)
      assert.deepStrictEqual(all["blocked"], [
        { what: "migrate 3", reason: `the campaign cannot be read: ${isHybrid}` },
        { what: "migrate 4", reason: `the campaign cannot be read: ${noSettings}` }
      ])
      const two = yield* call("ads_plan_migration", { advert_ids: [1001, 3], snapshot })
      assert.deepStrictEqual(two["blocked"], [
        { what: "migrate 3", reason: `the campaign cannot be read: ${isHybrid}` }
      ])
      const one = yield* call("ads_plan_migration", { advert_ids: [1001], snapshot })
      assert.deepInclude(one, { blocked_count: 0 })
    }).pipe(Effect.provide(listing(good, hybrid, declined)))
  )

  it.effect("blocks the creation of a campaign that has its name", () =>
    Effect.gen(function* () {
      const plan = yield* call("ads_plan_migration", { target: "new-manual-campaign", advert_ids: [1001] })
      assert.deepInclude(plan, { steps: 0 })
      assert.include(JSON.stringify(plan["blocked"]), "campaign 3 has the name of its twin")
      const created = yield* call("ads_plan_campaign", { name: "Mugs (manual, 1001)", nms: [1] })
      assert.include(JSON.stringify(created["blocked"]), "campaign 3 has this name already")
    }).pipe(Effect.provide(listing(good, { ...hybrid, settings: { name: "Mugs (manual, 1001)" } })))
  )

  it.effect("is left out by an apply, which changes the others", () => {
    let isOdd = false
    let isSet = false
    const other = { ...good, id: 1002, nm_settings: [{ ...good.nm_settings[0], nm_id: 500201 }] }
    const account = intercepted((path, _body, method) => {
      if (path !== "/api/advert/v2/adverts") {
        isSet ||= method === "PATCH"
        return undefined
      }
      const search = isSet ? 26_000 : 25_000
      const first = { ...good, nm_settings: [{ nm_id: 500101, bids_kopecks: { search } }] }
      return { body: { adverts: [first, isOdd ? { ...other, settings: null } : other] } }
    })
    return Effect.gen(function* () {
      const changes = [bid(1001), { ...bid(1002), nm_id: 500201 }]
      const bids = yield* call("ads_plan_bids", { changes, check_floors: false })
      const products = yield* call("ads_plan_products", { advert_id: 1002, add_nms: [5], delete_nms: [500201] })
      isOdd = true
      const report = yield* call("apply_plan", { plan_id: bids["plan_id"], confirm: true })
      assert.deepInclude(report, { state: "partly applied", done: 1, refused_count: 1 })
      assert.nestedPropertyVal(report, "refused[0].step", "bid 1002/500201/combined")
      assert.include(JSON.stringify(report["refused"]), `campaign 1002 cannot be read: ${noSettings}`)
      const removed = yield* call("apply_plan", { plan_id: products["plan_id"], confirm: true })
      assert.deepInclude(removed, { state: "refused", done: 0, refused_count: 2 })
    }).pipe(Effect.provide(account))
  })

  it.effect("stops the creation of a campaign of its name in an apply", () => {
    let isOdd = false
    const account = intercepted((path) => {
      const odd = { ...hybrid, settings: { name: "New" } }
      return path === "/api/advert/v2/adverts" ? { body: { adverts: isOdd ? [good, odd] : [good] } } : undefined
    })
    return Effect.gen(function* () {
      const { plan_id } = yield* call("ads_plan_campaign", { name: "New", nms: [600_001] })
      isOdd = true
      const error = yield* Effect.flip(call("apply_plan", { plan_id, confirm: true }))
      assert.deepInclude(error, { code: "ADS_APPLY_STOPPED" })
      assert.include(String(error), "campaign 3 has the name of the one to be created")
    }).pipe(Effect.provide(account))
  })
})
