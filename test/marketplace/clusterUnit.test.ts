import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

import { EmbeddedMarketplace } from "../../src/embedded/marketplace/EmbeddedMarketplace.ts"
import { Plans } from "../../src/marketplace/apply/Plans.ts"
import { PlanStore } from "../../src/marketplace/apply/PlanStore.ts"
import { MarketplaceAds } from "../../src/marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/MarketplaceConfig.ts"
import { planClusterBids } from "../../src/marketplace/plan/planClusterBids.ts"
import { planProducts } from "../../src/marketplace/plan/planProducts.ts"
import { bidsSet, clusterPlan, late, misunderstood, pair, withoutKopecks } from "./clusterBids.ts"
import { apply, campaignsOf, kopecks, only } from "./planned.ts"
import { embeddedClient, intercepted, interceptedClient, inTime, marketplace, plansOver } from "./support.ts"

describe("cluster bids", () => {
  it.effect.each(["spec", "published"] as const)(
    "arrive as they were meant where both speak of the same unit: %s",
    (wire) =>
      Effect.gen(function* () {
        const { id } = yield* clusterPlan("a", "b", "c")
        assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 3, unconfirmed: [] })
        assert.deepStrictEqual(yield* bidsSet, { a: 30_000, b: 30_000, c: 30_000 })
      }).pipe(Effect.provide(marketplace({ wire }, { wire })))
  )

  it.effect("whose first comes out a hundred times too high lose it again at once, and go on in the right unit", () =>
    Effect.gen(function* () {
      const kept = Layer.succeed(PlanStore, yield* PlanStore)
      const inKopecks = plansOver({ wire: "spec" }, embeddedClient, kept)
      const inRubles = plansOver({ wire: "published" }, embeddedClient, kept)
      const { id } = yield* clusterPlan("a", "b").pipe(Effect.provide(inKopecks, { local: true }))
      const error = yield* Effect.flip(inTime(apply(id))).pipe(Effect.provide(inKopecks, { local: true }))
      assert.deepInclude(error, { _tag: "ApplyStopped", reason: "ClusterBidUnit", done: 0 })
      assert.include(error.message, "dropped again at once, as reading it shows")
      assert.deepStrictEqual(yield* bidsSet, {})
      const report = yield* inTime(apply(id)).pipe(Effect.provide(inRubles, { local: true }))
      assert.deepInclude(report, { state: "applied", done: 2 })
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000, b: 30_000 })
    }).pipe(Effect.provide(Layer.merge(EmbeddedMarketplace.layer(misunderstood[1]), PlanStore.layerMemory)))
  )

  it.effect("of a marketplace that shows its own in rubles are planned with that warning", () =>
    Effect.gen(function* () {
      const { guards } = yield* MarketplaceConfig
      const ads = yield* MarketplaceAds
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "old", bid: kopecks(250) }] })
      const { bids: current } = yield* ads.getNormqueryBids({ items: [pair] })
      const campaigns = yield* campaignsOf(1003)
      const wishes = [{ ...pair, norm_query: "a", to: kopecks(30_000) }]
      const { warnings } = planClusterBids({ campaigns, current, wishes, wire: "spec", guards })
      assert.include(warnings.join(), "this marketplace shows its own in rubles (D2), and then wire must be published")
    }).pipe(Effect.provide(marketplace(...misunderstood)))
  )

  it.effect("whose first came out a hundred times too high are set back to the bid before", () =>
    Effect.gen(function* () {
      const { guards } = yield* MarketplaceConfig
      const ads = yield* MarketplaceAds
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(250) }] })
      const campaigns = yield* campaignsOf(1003)
      const current = [{ ...pair, norm_query: "a", bid: kopecks(25_000), unit: "kopecks" as const }]
      const wishes = [{ ...pair, norm_query: "a", to: kopecks(30_000) }]
      const draft = planClusterBids({ campaigns, current, wishes, wire: "spec", guards })
      const { id } = yield* Plans.use((plans) => plans.keep(draft))
      const error = yield* Effect.flip(inTime(apply(id)))
      assert.include(error.message, "set back to 250.00 rub at once, as reading it shows")
      assert.deepStrictEqual(yield* bidsSet, { a: 25_000 })
      const entries = yield* Plans.use((plans) => plans.entries)
      assert.deepInclude(entries.at(-2), { type: "undone", steps: draft.steps.map((step) => step.id) })
    }).pipe(Effect.provide(marketplace(...misunderstood)))
  )

  it.effect("whose first came out too high just before a break lose it when the apply goes on", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { append } = yield* PlanStore
      const { id, steps } = yield* clusterPlan("a", "b")
      yield* append({ type: "begun", at: 0, plan_id: id, steps: steps.slice(0, 1).map((step) => step.id) })
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(30_000) }] })
      assert.deepStrictEqual(yield* bidsSet, { a: 3_000_000 })
      const error = yield* Effect.flip(inTime(apply(id)))
      assert.deepInclude(error, { reason: "ClusterBidUnit", done: 0 })
      assert.deepStrictEqual(yield* bidsSet, {})
    }).pipe(Effect.provide(marketplace(...misunderstood)))
  )

  it.effect.each([
    ["next apply", true],
    ["way back", false]
  ] as const)("that cannot be taken back at once are said to stand, and go with the %s", ([, isGoingOn]) => {
    let isDown = true
    return Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* clusterPlan("a", "b")
      const error = yield* Effect.flip(inTime(apply(id)))
      assert.deepInclude(error, { reason: "ClusterBidUnit", done: 0 })
      assert.include(error.message, "It stands like that")
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000 })
      const { id: back, blocked } = yield* inTime(plans.rollback(id))
      assert.deepStrictEqual(blocked, [])
      isDown = false
      if (isGoingOn) {
        assert.include((yield* Effect.flip(inTime(apply(id)))).message, "dropped again at once, as reading it shows")
      } else assert.deepInclude(yield* inTime(apply(back)), { state: "applied" })
      assert.deepStrictEqual(yield* bidsSet, {})
    }).pipe(
      Effect.provide(
        intercepted(
          (_path, _body, method) => (isDown && method === "DELETE" ? { status: 502 } : undefined),
          ...misunderstood
        )
      )
    )
  })

  it.effect("that someone else has set already prove no unit", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { id } = yield* clusterPlan("a", "b", "c")
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(300) }] })
      assert.strictEqual((yield* Effect.flip(inTime(apply(id))))._tag, "ApplyStopped")
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000 })
    }).pipe(Effect.provide(marketplace(...misunderstood)))
  )

  it.effect("that are only one are still looked at when the read model lags, and taken back", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* clusterPlan("a")
      const first = yield* inTime(plans.apply(id, { maxSeconds: 30 }))
      assert.deepInclude(first, { state: "in progress", done: 0 })
      yield* TestClock.adjust("4 minutes")
      assert.include((yield* Effect.flip(inTime(apply(id)))).message, "dropped again")
      assert.deepStrictEqual(yield* bidsSet, {})
    }).pipe(
      Effect.provide(plansOver({}, late(60_000)).pipe(Layer.provideMerge(EmbeddedMarketplace.layer(misunderstood[1]))))
    )
  )

  /** An old bid of 200 rubles, and a plan to bid 300 whose first call was sent in kopecks, as far as the journal knows. */
  const begunWithOld = (isCarriedOut: boolean) =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { append } = yield* PlanStore
      const { guards } = yield* MarketplaceConfig
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(200) }] })
      const { bids: current } = yield* ads.getNormqueryBids({ items: [pair] })
      const campaigns = yield* campaignsOf(1003)
      const wishes = [{ ...pair, norm_query: "a", to: kopecks(30_000) }]
      const draft = planClusterBids({ campaigns, current, wishes, wire: "spec", guards })
      const { id, steps } = yield* Plans.use((plans) => plans.keep(draft))
      yield* append({ type: "begun", at: 0, plan_id: id, steps: steps.map((step) => step.id) })
      const bids = isCarriedOut ? wishes.map(({ to: bid, ...cluster }) => ({ ...cluster, bid })) : []
      yield* ads.setNormqueryBids({ bids })
      return id
    })

  it.effect("that came out too high before a break are simply set once wire is right", () =>
    Effect.gen(function* () {
      const kept = Layer.succeed(PlanStore, yield* PlanStore)
      const inKopecks = plansOver({ wire: "spec" }, embeddedClient, kept)
      const inRubles = plansOver({ wire: "published" }, embeddedClient, kept)
      const id = yield* begunWithOld(true).pipe(Effect.provide(inKopecks, { local: true }))
      assert.deepStrictEqual(yield* bidsSet, { a: 3_000_000 })
      const report = yield* inTime(apply(id)).pipe(Effect.provide(inRubles, { local: true }))
      assert.deepInclude(report, { state: "applied", done: 1 })
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000 })
    }).pipe(Effect.provide(Layer.merge(EmbeddedMarketplace.layer(misunderstood[1]), PlanStore.layerMemory)))
  )

  it.effect("that were taken back are nothing to roll back", () =>
    Effect.gen(function* () {
      const id = yield* begunWithOld(true)
      yield* Effect.flip(inTime(apply(id)))
      assert.deepStrictEqual(yield* bidsSet, { a: 20_000 })
      const error = yield* Effect.flip(inTime(Plans.use((plans) => plans.rollback(id))))
      assert.strictEqual(error._tag, "NothingToRollBack")
    }).pipe(Effect.provide(marketplace(...misunderstood)))
  )

  it.effect("of a way back that come out too high are set back to what stood there, not to the plan's", () =>
    Effect.gen(function* () {
      const id = yield* begunWithOld(false)
      const back = yield* inTime(Plans.use((plans) => plans.rollback(id)))
      yield* Effect.flip(inTime(apply(back.id)))
      assert.deepStrictEqual(yield* bidsSet, { a: 20_000 })
    }).pipe(Effect.provide(marketplace(...misunderstood)))
  )

  it.effect("in a unit that the marketplace does not tell wait for a person to look at the first", () =>
    Effect.gen(function* () {
      const { id } = yield* clusterPlan("a", "b", "c")
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "to be checked", done: 0 })
      assert.include(report.notice, "if it shows 3.00 rub, all is well, and the wanted 300.00 rub follow")
      assert.include(report.notice, "if it shows a hundred times as much, 300.00 rub")
      assert.deepStrictEqual(yield* bidsSet, { a: 300 })
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 3 })
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000, b: 30_000, c: 30_000 })
    }).pipe(Effect.provide(plansOver({}, withoutKopecks).pipe(Layer.provideMerge(EmbeddedMarketplace.layer()))))
  )

  it.effect("that are only one wait for a person, too", () =>
    Effect.gen(function* () {
      const { id } = yield* clusterPlan("a")
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "to be checked", done: 0 })
      assert.include(report.notice, "A person must look")
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 1 })
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000 })
    }).pipe(Effect.provide(plansOver({}, withoutKopecks).pipe(Layer.provideMerge(EmbeddedMarketplace.layer()))))
  )

  it.effect("of a way back are numbers that came from there, and need nobody to look", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const plans = yield* Plans
      const { guards } = yield* MarketplaceConfig
      yield* ads.setNormqueryBids({
        bids: ["a", "b"].map((norm_query) => ({ ...pair, norm_query, bid: kopecks(40_000) }))
      })
      const { bids: clusterBids } = yield* ads.getNormqueryBids({ items: [pair] })
      const input = { campaign: yield* only(1003), add: [], delete: [500301], phrases: [], clusterBids, guards }
      const { id } = yield* plans.keep(planProducts(input))
      yield* inTime(apply(id))
      assert.deepStrictEqual(yield* bidsSet, {})
      const back = yield* inTime(plans.rollback(id))
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied" })
      assert.deepStrictEqual(yield* bidsSet, { a: 40_000, b: 40_000 })
    }).pipe(Effect.provide(plansOver({}, withoutKopecks).pipe(Layer.provideMerge(EmbeddedMarketplace.layer()))))
  )

  it.effect("wait until the first one shows, as long as the caller does", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* clusterPlan("a", "b")
      const soon = yield* inTime(plans.apply(id, { maxSeconds: 30 }))
      assert.deepInclude(soon, { state: "in progress", done: 0 })
      assert.deepStrictEqual(yield* bidsSet, { a: 300 })
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2, unconfirmed: [] })
    }).pipe(Effect.provide(plansOver({}, late(60_000)).pipe(Layer.provideMerge(EmbeddedMarketplace.layer()))))
  )

  it.effect("whose first never shows wait for a person", () =>
    Effect.gen(function* () {
      const { id } = yield* clusterPlan("a", "b")
      assert.deepInclude(yield* inTime(apply(id), 5000), { state: "to be checked", done: 0 })
      assert.deepInclude(yield* inTime(apply(id), 5000), { state: "applied", done: 2 })
    }).pipe(Effect.provide(plansOver({}, late(Infinity)).pipe(Layer.provideMerge(EmbeddedMarketplace.layer()))))
  )
})

describe("a list of cluster bids that is taken in part", () => {
  const names = { advert_id: 1003, nm_id: 500301, norm_query: "b" }
  const published = { advertId: 1003, nmId: 500301, normQuery: "b" }

  /** Sets the others, and says of one that it was not taken. */
  const refusingB = (named: object) =>
    interceptedClient((path, body, method) =>
      method === "POST" && path.endsWith("normquery/bids") && body.includes('"b"')
        ? { body: { failed: [{ ...named, reason: "too low" }] } }
        : undefined
    )

  it.effect.each([names, published, { norm_query: "b" }])("leaves the refused one for another time: %o", (named) =>
    Effect.gen(function* () {
      const { id } = yield* clusterPlan("a", "b")
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "partly applied", done: 1 })
      assert.deepStrictEqual(report.refused, [{ step: "cluster 1003/500301/b", problem: "too low" }])
      const { done, inDoubt } = yield* Plans.use((plans) => plans.history(id))
      assert.deepStrictEqual([done.size, inDoubt.size], [1, 0])
    }).pipe(Effect.provide(plansOver({}, refusingB(named)).pipe(Layer.provideMerge(EmbeddedMarketplace.layer()))))
  )

  it.effect("without a word which one it was is settled by looking and sending the halves", () => {
    const Sent = Schema.fromJsonString(
      Schema.Struct({ bids: Schema.Array(Schema.Struct({ norm_query: Schema.String })) })
    )
    const nameless = (path: string, body: string, method: string) => {
      if (method !== "POST" || !path.endsWith("normquery/bids")) return undefined
      const bad = Schema.decodeUnknownSync(Sent)(body).bids.filter(({ norm_query }) => /[cd]/.test(norm_query))
      return bad.length === 0 ? undefined : { body: { failed: bad.map(() => ({ reason: "too low" })) } }
    }
    return Effect.gen(function* () {
      const { id } = yield* clusterPlan("a", "b", "c", "d", "e")
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "partly applied", done: 3 })
      assert.deepStrictEqual(
        report.refused.map(({ step }) => step),
        ["cluster 1003/500301/c", "cluster 1003/500301/d"]
      )
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000, b: 30_000, e: 30_000 })
    }).pipe(Effect.provide(intercepted(nameless)))
  })

  it.effect("keeps what was dropped before the others were refused", () =>
    Effect.gen(function* () {
      const { guards, wire } = yield* MarketplaceConfig
      const ads = yield* MarketplaceAds
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "old", bid: kopecks(30_000) }] })
      const { bids: current } = yield* ads.getNormqueryBids({ items: [pair] })
      const campaigns = yield* campaignsOf(1003)
      const wishes = [
        { ...pair, norm_query: "b", to: kopecks(30_000) },
        { ...pair, norm_query: "old", to: null }
      ]
      const draft = planClusterBids({ campaigns, current, wishes, wire, guards })
      const { id } = yield* Plans.use((plans) => plans.keep(draft))
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "partly applied", done: 1 })
      assert.deepStrictEqual(
        report.refused.map(({ step }) => step),
        ["cluster 1003/500301/b"]
      )
      assert.deepStrictEqual(yield* bidsSet, {})
    }).pipe(
      Effect.provide(
        intercepted((path, body, method) =>
          method === "POST" && path.endsWith("normquery/bids") && body.includes('"b"') ? { status: 400 } : undefined
        )
      )
    )
  )
})
