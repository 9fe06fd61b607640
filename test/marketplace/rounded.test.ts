import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { call } from "./clusterBids.ts"
import { apply, bidPlan, bidsNow, kopecks } from "./planned.ts"
import { inTime, plansOver, smallMarketplace } from "./support.ts"

const Bids = Schema.fromJsonString(
  Schema.Struct({
    bids: Schema.Array(
      Schema.Struct({
        advert_id: Schema.Int,
        nm_bids: Schema.Array(Schema.Struct({ nm_id: Schema.Int, bid_kopecks: Schema.Int, placement: Schema.String }))
      })
    )
  })
)

interface Ways {
  readonly step: number
  /** The moment from which campaigns show as they are; before, they show as they were at first. */
  readonly visibleAt?: number
  readonly loseAnswer?: boolean
}

/** A marketplace that rounds every bid of an article to a step, and may show it late or lose its first answer. */
const rounding = ({ loseAnswer = false, step, visibleAt = 0 }: Ways) => {
  let isLost = false
  const answers = new Map<string, string>()
  return plansOver(
    {},
    Layer.effect(
      HttpClient.HttpClient,
      Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
        HttpClient.make((request, url) =>
          Effect.gen(function* () {
            if (url.pathname.endsWith("/adverts") && (yield* Clock.currentTimeMillis) < visibleAt) {
              const text = answers.get(url.href) ?? (yield* (yield* httpClient.execute(request)).text)
              answers.set(url.href, text)
              return HttpClientResponse.fromWeb(request, new Response(text))
            }
            if (request.method !== "PATCH" || request.body._tag !== "Uint8Array")
              return yield* httpClient.execute(request)
            const { bids } = Schema.decodeUnknownSync(Bids)(new TextDecoder().decode(request.body.body))
            const body = {
              bids: bids.map(({ advert_id, nm_bids }) => ({
                advert_id,
                nm_bids: nm_bids.map((bid) => ({ ...bid, bid_kopecks: Math.round(bid.bid_kopecks / step) * step }))
              }))
            }
            const response = yield* httpClient.execute(HttpClientRequest.bodyJsonUnsafe(request, body))
            if (!loseAnswer || isLost) return response
            isLost = true
            return HttpClientResponse.fromWeb(request, new Response("", { status: 502 }))
          })
        )
      )
    )
  ).pipe(Layer.provideMerge(smallMarketplace()))
}

const rollBack = Effect.fnUntraced(function* (id: string) {
  const back = yield* inTime(Plans.use((plans) => plans.rollback(id)))
  assert.deepStrictEqual(back.blocked, [])
  assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied", done: 2 })
  assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
})

describe("a bid that the marketplace rounds to its step", () => {
  it.effect.each([
    [50, 33_140, 33_150],
    [100, 33_150, 33_200],
    [500, 33_149, 33_000],
    [1000, 33_333, 33_000]
  ] as const)("is applied, reported as it shows, and rolled back: step %i", ([step, wanted, stands]) =>
    Effect.gen(function* () {
      const { id, steps } = yield* bidPlan(wanted)
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "applied", done: 2, unconfirmed: [] })
      assert.deepStrictEqual(
        report.adjusted,
        steps.map((one) => ({ step: one.id, detail: { rounded: stands } }))
      )
      yield* rollBack(id)
    }).pipe(Effect.provide(rounding({ step })))
  )

  it.effect("is shown by the tools in both units", () =>
    Effect.gen(function* () {
      const changes = [{ advert_id: 1001, nm_id: 500101, bid_kopecks: 33_150 }]
      const { plan_id } = yield* call("ads_plan_bids", { changes, check_floors: false })
      const applied = yield* call("apply_plan", { plan_id, confirm: true })
      assert.deepInclude(applied, { state: "applied", rounded_count: 1 })
      assert.deepNestedPropertyVal(applied, "rounded[0].bid", { kopecks: 33_200, rubles: "332.00" })
      assert.include(applied["next"], "The marketplace has rounded some bids")
      const { entries } = yield* call("audit_log", { plan_id })
      assert.include(JSON.stringify(entries), '"what":"rounded"')
    }).pipe(Effect.provide(rounding({ step: 100 })))
  )

  it.effect("counts as the plan's own where its answer was lost", () =>
    Effect.gen(function* () {
      const { id } = yield* bidPlan(33_150)
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "applied", done: 2 })
      assert.lengthOf(report.adjusted, 2)
      yield* rollBack(id)
    }).pipe(Effect.provide(rounding({ step: 100, loseAnswer: true })))
  )

  it.effect("counts as the plan's own where a break came before its answer", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { append } = yield* PlanJournal
      const { id, steps } = yield* bidPlan(33_150)
      yield* append({ type: "begun", at: 0, plan_id: id, steps: steps.map((step) => step.id) })
      const nm_bids = [500101, 500102].map((nm_id) => {
        return { nm_id, bid_kopecks: kopecks(33_150), placement: "combined" as const }
      })
      yield* ads.updateBids({ bids: [{ advert_id: 1001, nm_bids }] })
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "applied", done: 2, found: 2 })
      assert.lengthOf(report.adjusted, 2)
      yield* rollBack(id)
    }).pipe(Effect.provide(rounding({ step: 100 })))
  )

  it.effect("is rolled back where it shows only after the apply", () =>
    Effect.gen(function* () {
      const { id } = yield* bidPlan(33_150)
      const report = yield* inTime(apply(id))
      assert.lengthOf(report.unconfirmed, 2)
      yield* TestClock.adjust("2 minutes")
      yield* rollBack(id)
    }).pipe(Effect.provide(rounding({ step: 100, visibleAt: 60_000 })))
  )

  it.effect("is rolled back where it shows only after the rollback was planned", () =>
    Effect.gen(function* () {
      const { id } = yield* bidPlan(33_150)
      yield* inTime(apply(id))
      const back = yield* inTime(Plans.use((plans) => plans.rollback(id)))
      yield* TestClock.adjust("2 minutes")
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied", done: 2 })
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(rounding({ step: 100, visibleAt: 60_000 })))
  )

  it.effect("is told apart from a near bid that someone else has set later", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { id } = yield* bidPlan(33_150)
      yield* inTime(apply(id))
      const foreign = { nm_id: 500101, bid_kopecks: kopecks(33_500), placement: "combined" as const }
      yield* ads.updateBids({ bids: [{ advert_id: 1001, nm_bids: [foreign] }] })
      const { blocked, steps } = yield* inTime(Plans.use((plans) => plans.rollback(id)))
      assert.deepStrictEqual([blocked.length, steps.length], [1, 1])
    }).pipe(Effect.provide(rounding({ step: 100 })))
  )
})
