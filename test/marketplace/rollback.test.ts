import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { Pair } from "../../src/marketplace/client/ids.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { stateOf } from "../../src/marketplace/embedded/State.ts"
import { planBids } from "../../src/marketplace/plan/planBids.ts"
import { planCampaign } from "../../src/marketplace/plan/planCampaign.ts"
import { planClusterBids } from "../../src/marketplace/plan/planClusterBids.ts"
import { planMigration } from "../../src/marketplace/plan/planMigration.ts"
import { planMinusPhrases } from "../../src/marketplace/plan/planMinusPhrases.ts"
import { bigAccount } from "./accounts.ts"
import { apply, applyFails, campaignsOf, deletionPlan, kopecks } from "./planned.ts"
import { embeddedClient, intercepted, inTime, marketplace, plansOver, smallMarketplace } from "./support.ts"

/** A manual campaign whose second article bids nothing yet. */
const withoutBid = stateOf([
  {
    id: 1,
    name: "New goods",
    bid_type: "manual",
    status: 9,
    payment_type: "cpm",
    search: true,
    recommendations: false,
    created: "2026-01-01T00:00:00+03:00",
    budget: 0,
    rows: [
      { nm_id: 11, search: kopecks(30_000), recommendations: kopecks(0) },
      { nm_id: 12, search: kopecks(0), recommendations: kopecks(0) }
    ]
  }
])

describe("a change that cannot be rolled back", () => {
  it.effect("is named by the plan, and by the rollback: a bid where there was none", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { guards } = yield* MarketplaceConfig
      const wishes = [11, 12].map((nm_id) => ({ advert_id: 1, nm_id, to: { kopecks: kopecks(40_000) } }))
      const campaigns = yield* campaignsOf(1)
      const plan = yield* plans.keep(planBids({ campaigns, wishes, floors: [], onBelowFloor: "block", guards }))
      const reason = "there is no bid before it to go back to"
      assert.strictEqual(plan.warnings[0], `A rollback cannot undo bid 1/12/search: ${reason}`)
      yield* inTime(apply(plan.id))
      const back = yield* inTime(plans.rollback(plan.id))
      assert.deepStrictEqual(
        back.steps.map(({ id }) => id),
        ["bid 1/11/search"]
      )
      assert.deepStrictEqual(back.blocked, [{ what: "bid 1/12/search", reason }])
    }).pipe(Effect.provide(marketplace({}, { account: withoutBid })))
  )

  it.effect("is named by the plan: kopecks where only whole rubles are sent", () =>
    Effect.gen(function* () {
      const { guards, wire } = yield* MarketplaceConfig
      const at = { advert_id: 1, nm_id: 11 }
      const current = [
        { ...at, norm_query: "a", bid: kopecks(20_050), unit: "rubles" as const },
        { ...at, norm_query: "b", bid: kopecks(20_000), unit: "rubles" as const }
      ]
      const wishes = ["a", "b"].map((norm_query) => ({ ...at, norm_query, to: kopecks(30_000) }))
      const campaigns = yield* campaignsOf(1)
      const draft = planClusterBids({ campaigns, current, wishes, wire, guards })
      const reason = "200.50 rub cannot be sent in whole rubles"
      assert.include(draft.warnings, `A rollback cannot undo cluster 1/11/a: ${reason}`)
    }).pipe(Effect.provide(marketplace({ wire: "published" }, { wire: "published", account: withoutBid })))
  )

  it.effect("is not named where it belongs to an article that the plan itself adds", () =>
    Effect.gen(function* () {
      const { guards } = yield* MarketplaceConfig
      const { adverts: existing } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
      const options = {
        target: "new-manual-campaign",
        placements: ["search"],
        percent: { combined: 100, search: 100, recommendations: 100 },
        onBelowFloor: "raise",
        phrases: "merge"
      } as const
      const campaigns = existing.filter(({ id }) => id === 7000)
      const input = { campaigns, existing, snapshot: [], phrases: [], floors: [], options, guards }
      const { warnings } = planMigration({ ...input, existing: [...existing, twin] })
      assert.isFalse(warnings.some((warning) => warning.includes("cannot undo")))
    }).pipe(Effect.provide(marketplace({}, { account: bigAccount({ campaigns: 1, articles: 2 }) })))
  )

  const twin = {
    id: 8000,
    bid_type: "manual",
    status: 4,
    settings: { name: "Goods 0 (manual, 7000)", payment_type: "cpm", placements: { search: true } },
    nm_settings: []
  } as const

  it.effect("is named by the rollback, with what to do: a new campaign that has been started since", () => {
    let isStarted = false
    const started = { adverts: [{ id: 2, bid_type: "manual", status: 9, settings: { name: "New" }, nm_settings: [] }] }
    return Effect.gen(function* () {
      const plans = yield* Plans
      const { guards } = yield* MarketplaceConfig
      const { adverts: existing } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
      const input = { name: "New", nms: [1], payment_type: "cpm", placements: ["search"], existing, guards } as const
      const { id } = yield* plans.keep(planCampaign(input))
      assert.deepStrictEqual((yield* inTime(apply(id))).created, { "create New": 2 })
      isStarted = true
      const { message } = yield* Effect.flip(inTime(plans.rollback(id)))
      assert.include(message, "delete 2: the campaign has been started")
      assert.include(message, "ads_pause_campaign")
    }).pipe(
      Effect.provide(
        intercepted(
          (path) => (isStarted && path.endsWith("/adverts") ? { body: started } : undefined),
          {},
          {
            account: withoutBid
          }
        )
      )
    )
  })
})

describe("the largest change", () => {
  it.effect("is measured against the bid of today also when the plan of a twin is applied", () =>
    Effect.gen(function* () {
      const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
      const lax = plansOver({}, embeddedClient, kept)
      const strict = plansOver({ guards: { maxChangePercent: 50 } }, embeddedClient, kept)
      const { id } = yield* Effect.gen(function* () {
        const { guards } = yield* MarketplaceConfig
        const { adverts: existing } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
        const options = {
          target: "new-manual-campaign",
          percent: { combined: 100, search: 300, recommendations: 100 },
          onBelowFloor: "block",
          phrases: "merge"
        } as const
        const input = { campaigns: existing, existing, snapshot: [], phrases: [], floors: [], options, guards }
        return yield* Plans.use((plans) => plans.keep(planMigration(input)))
      }).pipe(Effect.provide(lax, { local: true }))
      const error = yield* applyFails(id).pipe(Effect.provide(strict, { local: true }))
      assert.strictEqual(error._tag, "GuardViolation")
      assert.include(error.message, "maxChangePercent: from 155.00 rub")
    }).pipe(
      Effect.provide(
        Layer.merge(
          EmbeddedMarketplace.layer({ account: bigAccount({ campaigns: 1, articles: 1 }) }),
          PlanJournal.layerMemory
        )
      )
    )
  )
})

describe("an article that the marketplace does not show", () => {
  /** Refuses to show what belongs to an article that is in no campaign, or that is said to be inactive. */
  const strict = (inactive: ReadonlyArray<number> = []) =>
    Layer.effect(
      HttpClient.HttpClient,
      Effect.map(EmbeddedMarketplace, ({ account, httpClient }) =>
        HttpClient.make((request, url) =>
          Effect.gen(function* () {
            if (!/get-(minus|bids)$/.test(url.pathname)) return yield* httpClient.execute(request)
            const sent = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
            const { items } = yield* Effect.orDie(Schema.decodeEffect(Pairs)(sent))
            const { adverts } = yield* account
            const hidden = items.find(
              ({ advert_id, nm_id }) =>
                nm_id !== 0 &&
                (inactive.includes(nm_id) || !adverts.get(advert_id)?.rows.some((row) => row.nm_id === nm_id))
            )
            if (hidden === undefined) return yield* httpClient.execute(request)
            const body = { detail: `nm ${hidden.nm_id} not found or inactive` }
            return HttpClientResponse.fromWeb(request, Response.json(body, { status: 400 }))
          })
        )
      )
    )
  const Pairs = Schema.fromJsonString(Schema.Struct({ items: Schema.Array(Pair) }))

  it.effect("is restored with its phrases and cluster bids after it was deleted", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const world = yield* EmbeddedMarketplace
      const { before, id } = yield* deletionPlan
      yield* inTime(apply(id))
      const back = yield* inTime(plans.rollback(id))
      assert.deepStrictEqual(back.blocked, [])
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied" })
      const { clusterBids: clusters, phrases: words } = yield* world.account
      assert.deepStrictEqual({ clusters, words }, { clusters: before.clusterBids, words: before.phrases })
    }).pipe(Effect.provide(plansOver({}, strict()).pipe(Layer.provideMerge(smallMarketplace()))))
  )

  it.effect("stops neither an apply nor a rollback where it is inactive now", () =>
    Effect.gen(function* () {
      const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
      const open = plansOver({}, embeddedClient, kept)
      const closed = plansOver({}, strict([500302]), kept)
      const { id } = yield* Effect.gen(function* () {
        const { guards } = yield* MarketplaceConfig
        const campaigns = yield* campaignsOf(1001, 1003)
        const draft = planMinusPhrases({ campaigns, current: [], phrases: ["a"], mode: "merge", guards })
        const planned = { ...draft, steps: draft.steps.filter(({ id: step }) => !step.endsWith("500301")) }
        return yield* Plans.use((plans) => plans.keep(planned))
      }).pipe(Effect.provide(open, { local: true }))
      const report = yield* inTime(apply(id)).pipe(Effect.provide(closed, { local: true }))
      assert.deepInclude(report, { state: "partly applied", done: 3 })
      assert.include(report.refused[0]?.problem, "nm 500302 not found or inactive")

      yield* inTime(apply(id)).pipe(Effect.provide(open, { local: true }))
      const back = yield* inTime(Plans.use((plans) => plans.rollback(id))).pipe(Effect.provide(closed, { local: true }))
      assert.strictEqual(back.steps.length, 3)
      assert.include(back.blocked[0]?.reason, "nm 500302 not found or inactive")
    }).pipe(Effect.provide(Layer.merge(smallMarketplace(), PlanJournal.layerMemory)))
  )
})
