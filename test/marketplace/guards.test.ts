import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceSettings } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { call } from "./offered.ts"
import { embeddedClient, plansOver, smallMarketplace } from "./support.ts"

const { guards: defaults } = Schema.decodeUnknownSync(MarketplaceSettings)({ apiKey: "a key" })

const Planned = Schema.Struct({
  plan_id: Schema.String,
  steps: Schema.Int,
  blocked: Schema.Array(Schema.Struct({ what: Schema.String, reason: Schema.String }))
})

/** A plan for one article that bids 250.00 rubles in the beginning. */
const planBid = (bid_rubles: number) =>
  Effect.flatMap(
    call("ads_plan_bids", { changes: [{ advert_id: 1001, nm_id: 500101, bid_rubles }], check_floors: false }),
    Schema.decodeUnknownEffect(Planned)
  )

const apply = (plan_id: string) => call("apply_plan", { plan_id, confirm: true })

const server = plansOver({ guards: defaults }, embeddedClient).pipe(
  Layer.provideMerge(smallMarketplace({ limits: "none" }))
)

describe("the guards, where nobody has set any,", () => {
  it("are shown by the configuration", () => {
    assert.deepStrictEqual<unknown>(defaults, {
      maxBidKopecks: 1_000_000,
      maxChangePercent: 50,
      maxDailyChangePercent: 100,
      maxItemsPerApply: 10_000
    })
  })

  it.effect.each([2500, 25, 376, 124])("block %s rubles in place of 250, and name the setting", (rubles) =>
    Effect.gen(function* () {
      const { blocked, steps } = yield* planBid(rubles)
      assert.strictEqual(steps, 0)
      assert.include(blocked[0]?.reason, "guard maxChangePercent: from 250.00 rub (25000 kopecks) to ")
      assert.include(blocked[0]?.reason, "by marketplace.guards.maxChangePercent")
    }).pipe(Effect.provide(server))
  )

  it.effect("measure a cluster bid by the one that stands, in whatever spelling it is asked for", () =>
    Effect.gen(function* () {
      const planOf = (norm_query: string, more: object) =>
        Effect.flatMap(
          call("ads_plan_cluster_bids", { changes: [{ advert_id: 1003, nm_id: 500302, norm_query, ...more }] }),
          Schema.decodeUnknownEffect(Planned)
        )
      const { blocked } = yield* planOf(" Squared  NOTEBOOK", { bid_rubles: 1000 })
      assert.include(blocked[0]?.reason, "guard maxChangePercent: from 340.00 rub")
      const { plan_id } = yield* planOf("Squared notebook", { drop: true })
      assert.deepInclude(yield* apply(plan_id), { state: "applied", done: 1 })
      const { clusterBids } = yield* Effect.flatMap(EmbeddedMarketplace, ({ account }) => account)
      assert.isFalse(clusterBids.has("1003:500302:squared notebook"))
    }).pipe(Effect.provide(server))
  )

  it.effect("let no bid more than double within a day, over several plans", () =>
    Effect.gen(function* () {
      for (const rubles of [370, 500]) yield* apply((yield* planBid(rubles)).plan_id)
      const tooMuch = yield* planBid(500.01)
      assert.strictEqual(tooMuch.steps, 0)
      const reason = tooMuch.blocked[0]?.reason
      assert.include(
        reason,
        "guard maxDailyChangePercent: from 250.00 rub (25000 kopecks) within 24 hours to 500.01 rub"
      )
      assert.include(reason, "by marketplace.guards.maxDailyChangePercent")
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* planBid(700)).steps, 1)
    }).pipe(Effect.provide(server))
  )

  it.effect("let no bid more than double within a day when a plan is applied, either", () =>
    Effect.gen(function* () {
      yield* apply((yield* planBid(370)).plan_id)
      const waiting = yield* planBid(510).pipe(
        Effect.provide(plansOver({}, embeddedClient, Layer.succeed(PlanJournal, yield* PlanJournal)), { local: true })
      )
      assert.strictEqual(waiting.steps, 1)
      const error = yield* Effect.flip(Plans.use((plans) => plans.apply(waiting.plan_id)))
      assert.strictEqual(error._tag, "GuardViolation")
      assert.include(error.message, "guard maxDailyChangePercent: from 250.00 rub")
    }).pipe(Effect.provide(server))
  )

  it.effect("warn of a first bid that there is nothing to measure it against", () =>
    Effect.gen(function* () {
      const at = { advert_id: 1003, nm_id: 500301, norm_query: "never bid on" }
      const plan = yield* call("ads_plan_cluster_bids", { changes: [{ ...at, bid_rubles: 3000 }] })
      const words = "first bids against (1, the highest 3000.00 rub at cluster 1003/500301/never bid on)"
      assert.include(JSON.stringify(plan?.["warnings"]), words)
    }).pipe(Effect.provide(server))
  )

  it.effect("let every change be rolled back, also within a day", () =>
    Effect.gen(function* () {
      const { plan_id } = yield* planBid(160)
      yield* apply(plan_id)
      const back = yield* Schema.decodeUnknownEffect(Planned)(yield* call("plan_rollback", { plan_id }))
      assert.deepInclude(yield* apply(back.plan_id), { state: "applied" })
    }).pipe(Effect.provide(server))
  )
})

describe("the name of a new campaign without a visible character", () => {
  it.effect.each(["", " ", "\t\n", "\u00a0", "\u200b\u2060"])("is refused: %j", (name) =>
    Effect.gen(function* () {
      const campaign = yield* Effect.flip(call("ads_plan_campaign", { name, nms: [500101] }))
      assert.include(campaign.message, "Invalid name: must not be blank")
      const at = { advert_id: 1003, nm_id: 500301, bid_rubles: 300 }
      const cluster = yield* Effect.flip(call("ads_plan_cluster_bids", { changes: [{ ...at, norm_query: name }] }))
      assert.include(cluster.message, "Invalid changes.0.norm_query: must not be blank")
    }).pipe(Effect.provide(server))
  )
})
