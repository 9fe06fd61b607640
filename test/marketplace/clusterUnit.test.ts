import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

import * as PlanState from "../../src/changes/PlanState.ts"
import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import type { Wire } from "../../src/marketplace/client/Bids.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { stateOf } from "../../src/marketplace/embedded/State.ts"
import { planClusterBids } from "../../src/marketplace/plan/planClusterBids.ts"
import { planProducts } from "../../src/marketplace/plan/planProducts.ts"
import { smallAccount } from "./accounts.ts"
import { bidsSet, call, clusterPlan, pair, watchedBids, withoutKopecks } from "./clusterBids.ts"
import { apply, campaignsOf, kopecks, only } from "./planned.ts"
import {
  embeddedClient,
  intercepted,
  interceptedClient,
  inTime,
  marketplace,
  plansOver,
  smallMarketplace
} from "./support.ts"

/** The account without any cluster bid, so that nothing proves a unit. */
const account = stateOf([...smallAccount.adverts.values()], smallAccount.phrases)

/** A wide guard: it holds in both readings. */
const guards = { maxBidKopecks: 10_000_000 }

const withWire = (wire: Wire | undefined) => (wire === undefined ? {} : { wire })

describe("cluster bids", () => {
  it.effect.each([
    ["nothing", "kopecks", undefined, "spec", "a 30000, b 30000"],
    ["nothing", "rubles", undefined, "published", "a 300, b 300"],
    ["spec", "kopecks", "spec", "spec", "a 30000, b 30000"],
    ["published", "rubles", "published", "published", "a 300, b 300"]
  ] as const)(
    "are sent once, with the wanted amounts, where wire is %s and the marketplace shows %s",
    ([, unit, wire, other, expected]) => {
      const { onCall, sent } = watchedBids()
      return Effect.gen(function* () {
        const plan = yield* clusterPlan("a", "b")
        assert.include(plan.warnings.join(), unit === "rubles" ? "go out in whole rubles" : "go out in kopecks")
        assert.include(plan.warnings.join(), "because the marketplace shows its own bids so (D2)")
        assert.deepInclude(yield* inTime(apply(plan.id)), { state: "applied", done: 2, unconfirmed: [] })
        assert.deepStrictEqual(sent, [expected])
        assert.deepStrictEqual(yield* bidsSet, { a: 30_000, b: 30_000 })
      }).pipe(Effect.provide(intercepted(onCall, withWire(wire), { wire: other })))
    }
  )

  it.effect.each([
    ["no bid shows", embeddedClient, account],
    ["the bids that show prove no unit", withoutKopecks, smallAccount]
  ] as const)(
    "are blocked, and the setting to choose is named, where %s and no wire is chosen",
    ([, client, account]) =>
      Effect.gen(function* () {
        const plan = yield* clusterPlan("a", "b")
        assert.deepStrictEqual(plan.steps, [])
        assert.lengthOf(plan.blocked, 2)
        for (const { reason } of plan.blocked) assert.include(reason, 'set marketplace.wire to "published"')
      }).pipe(Effect.provide(plansOver({}, client).pipe(Layer.provideMerge(EmbeddedMarketplace.layer({ account })))))
  )

  it.effect("are sent in the unit of the chosen wire where no bid proves another", () => {
    const { onCall, sent } = watchedBids()
    return Effect.gen(function* () {
      const plan = yield* clusterPlan("a")
      assert.include(
        plan.warnings.join(),
        "because marketplace.wire says so; no bid that the marketplace shows proves it"
      )
      assert.deepInclude(yield* inTime(apply(plan.id)), { state: "applied", done: 1 })
      assert.deepStrictEqual(sent, ["a 300"])
    }).pipe(Effect.provide(intercepted(onCall, { wire: "published" }, { wire: "published", account })))
  })

  it.effect("are held against the guards in rubles as well where only the setting says kopecks", () => {
    const strict = { wire: "spec", guards: { maxBidKopecks: 50_000 } } as const
    return Effect.gen(function* () {
      const plan = yield* clusterPlan("a")
      assert.deepStrictEqual(plan.steps, [])
      assert.include(
        plan.blocked[0]?.reason,
        "guard maxBidKopecks: 300.00 rub (30000 kopecks) goes out as the number 30000"
      )
      assert.include(plan.blocked[0]?.reason, "that is 30000 rub, above the highest bid of 500.00 rub")
    }).pipe(Effect.provide(marketplace(strict, { wire: "published", account })))
  })

  it.effect("are held against the guards only in the unit that is proven", () =>
    Effect.gen(function* () {
      assert.lengthOf((yield* clusterPlan("a")).steps, 1)
    }).pipe(Effect.provide(marketplace({ guards: { maxBidKopecks: 50_000 } })))
  )

  it.effect(
    "are held against the guards in both units again where they were planned with another configuration",
    () => {
      const { onCall, sent } = watchedBids()
      return Effect.gen(function* () {
        const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
        const wide = plansOver({ wire: "spec", guards }, embeddedClient, kept)
        const narrow = plansOver({ wire: "spec", guards: { maxBidKopecks: 50_000 } }, interceptedClient(onCall), kept)
        const { id } = yield* clusterPlan("a").pipe(Effect.provide(wide, { local: true }))
        const error = yield* Effect.flip(inTime(apply(id))).pipe(Effect.provide(narrow, { local: true }))
        assert.strictEqual(error._tag, "GuardViolation")
        assert.deepStrictEqual(sent, [])
      }).pipe(Effect.provide(Layer.merge(EmbeddedMarketplace.layer({ account }), PlanJournal.layerMemory)))
    }
  )

  it.effect.each([
    ["spec", "published", 'shows its cluster bids in rubles (D2): set marketplace.wire to "published"'],
    ["published", "spec", 'shows its cluster bids in kopecks (D2): set marketplace.wire to "spec"']
  ] as const)("are blocked where wire %s is not what the marketplace shows", ([wire, other, advice]) =>
    Effect.gen(function* () {
      const plan = yield* clusterPlan("a")
      assert.deepStrictEqual(plan.steps, [])
      assert.include(plan.blocked[0]?.reason, advice)
    }).pipe(Effect.provide(marketplace({ wire }, { wire: other })))
  )

  it.effect("are not sent where the marketplace shows the other unit when the plan is applied", () => {
    const { onCall, sent } = watchedBids()
    return Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { id } = yield* clusterPlan("a", "b")
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "c", bid: kopecks(300) }] })
      sent.length = 0
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "refused", done: 0 })
      assert.include(report.refused[0]?.problem, 'set marketplace.wire to "published"')
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(intercepted(onCall, { wire: "spec", guards }, { wire: "published", account })))
  })

  it.effect("are not sent again with another number after a refusal", () => {
    const { onCall, sent } = watchedBids(() => ({ status: 400, body: { detail: "bid is too low" } }))
    return Effect.gen(function* () {
      const { id } = yield* clusterPlan("a")
      assert.deepInclude(yield* inTime(apply(id)), { state: "refused", done: 0 })
      assert.deepInclude(yield* inTime(apply(id)), { state: "refused", done: 0 })
      assert.deepStrictEqual(sent, ["a 300", "a 300"])
    }).pipe(Effect.provide(intercepted(onCall, {}, { wire: "published" })))
  })

  it.effect.each([
    ["spec", "published", { a: 3_000_000, b: 3_000_000 }, "30000.00 rub"],
    ["published", "spec", { a: 300, b: 300 }, "3.00 rub"]
  ] as const)(
    "sent with wire %s where %s is right are reported, do not count as done, and are corrected with the right setting",
    ([wrong, right, misread, amount]) =>
      Effect.gen(function* () {
        const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
        const before = plansOver({ wire: wrong, guards }, embeddedClient, kept)
        const after = plansOver({ wire: right, guards }, embeddedClient, kept)
        const { id } = yield* clusterPlan("a", "b").pipe(Effect.provide(before, { local: true }))
        const error = yield* Effect.flip(inTime(apply(id))).pipe(Effect.provide(before, { local: true }))
        assert.deepInclude(error, { _tag: "ApplyStopped", reason: "ClusterBidUnit", done: 0 })
        assert.include(error.message, `stands at ${amount}, and 1 more likewise`)
        assert.include(error.message, "Set marketplace.wire to the other form")
        assert.deepStrictEqual(yield* bidsSet, misread)
        const again = yield* inTime(apply(id)).pipe(Effect.provide(before, { local: true }))
        assert.deepInclude(again, { state: "refused", done: 0 })
        assert.include(again.notice, `stands at ${amount}`)
        const report = yield* inTime(apply(id)).pipe(Effect.provide(after, { local: true }))
        assert.deepInclude(report, { state: "applied", done: 2 })
        assert.notProperty(report, "notice")
        assert.deepStrictEqual(yield* bidsSet, { a: 30_000, b: 30_000 })
      }).pipe(Effect.provide(Layer.merge(EmbeddedMarketplace.layer({ wire: right, account }), PlanJournal.layerMemory)))
  )

  it.effect("sent with a wrong setting are removed by a rollback", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* clusterPlan("a")
      yield* Effect.flip(inTime(apply(id)))
      const back = yield* inTime(plans.rollback(id))
      assert.deepStrictEqual(back.blocked, [])
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied", done: 1 })
      assert.deepStrictEqual(yield* bidsSet, {})
    }).pipe(Effect.provide(marketplace({ wire: "spec", guards }, { wire: "published", account })))
  )

  it.effect("are shown by the tool in the unit that another article of the campaign proves", () => {
    const { onCall, sent } = watchedBids()
    return Effect.gen(function* () {
      const changes = [{ ...pair, norm_query: "a", bid_rubles: 331 }]
      const { plan_id, steps } = yield* call("ads_plan_cluster_bids", { changes })
      assert.strictEqual(steps, 1)
      yield* call("apply_plan", { plan_id, confirm: true })
      assert.deepStrictEqual(sent, ["a 331"])
    }).pipe(Effect.provide(intercepted(onCall, { guards: { maxBidKopecks: 50_000 } }, { wire: "published" })))
  })

  it.effect("are dropped without a known unit, except where the amount to restore is not known", () => {
    const wishes = [{ ...pair, norm_query: "a", to: null }]
    const current = (unit: "kopecks" | "unsaid") => [{ ...pair, norm_query: "a", bid: kopecks(30_000), unit }]
    return Effect.gen(function* () {
      const { guards } = yield* MarketplaceConfig
      const campaigns = yield* campaignsOf(1003)
      const plan = (unit: "kopecks" | "unsaid") =>
        planClusterBids({ campaigns, current: current(unit), wishes, guards })
      assert.lengthOf(plan("kopecks").steps, 1)
      assert.include(plan("unsaid").blocked[0]?.reason, "set marketplace.wire")
    }).pipe(Effect.provide(marketplace()))
  })

  /** A kept plan that deletes an article with two cluster bids. */
  const deletion = Effect.gen(function* () {
    const ads = yield* MarketplaceAds
    const { guards, wire } = yield* MarketplaceConfig
    yield* ads.setNormqueryBids({
      bids: ["a", "b"].map((norm_query) => ({ ...pair, norm_query, bid: kopecks(40_000) }))
    })
    const { bids: clusterBids } = yield* ads.getNormqueryBids({ items: [pair] })
    const input = { campaign: yield* only(1003), add: [], delete: [500301], phrases: [], clusterBids, wire, guards }
    return yield* Plans.use((plans) => plans.keep(planProducts(input)))
  })

  it.effect("of a deleted article are restored in the unit that was proven before", () =>
    Effect.gen(function* () {
      const { id } = yield* deletion
      yield* inTime(apply(id))
      assert.deepStrictEqual(yield* bidsSet, {})
      const back = yield* inTime(Plans.use((plans) => plans.rollback(id)))
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied" })
      assert.deepStrictEqual(yield* bidsSet, { a: 40_000, b: 40_000 })
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("of a deleted article are not restored where the unit is unknown, and the plan warns of it", () =>
    Effect.gen(function* () {
      const { steps, warnings } = yield* deletion
      assert.include(warnings.join(), "A rollback cannot bring back cluster bids")
      assert.deepStrictEqual(
        steps.flatMap(({ undo }) => undo.map(({ kind }) => kind)).filter((kind) => kind === "cluster"),
        []
      )
    }).pipe(Effect.provide(plansOver({}, withoutKopecks).pipe(Layer.provideMerge(smallMarketplace()))))
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

  it.effect.each([names, published, { norm_query: "b" }])(
    "sets the others, and keeps the refused one for the next apply: %o",
    (named) =>
      Effect.gen(function* () {
        const { id } = yield* clusterPlan("a", "b")
        const report = yield* inTime(apply(id))
        assert.deepInclude(report, { state: "partly applied", done: 1 })
        assert.deepStrictEqual(report.refused, [{ step: "cluster 1003/500301/b", problem: "too low" }])
        const state = yield* Plans.use((plans) => plans.state(id))
        const unknown = PlanState.valuesByStep(state, ({ outcomeUnknownSince }) => outcomeUnknownSince)
        assert.deepStrictEqual([state.done, unknown.length], [1, 0])
      }).pipe(Effect.provide(plansOver({}, refusingB(named)).pipe(Layer.provideMerge(smallMarketplace()))))
  )

  it.effect("is read back and sent again in halves where the answer does not name the refused one", () => {
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

  it.effect("keeps the drops that were done before the others were refused", () =>
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
