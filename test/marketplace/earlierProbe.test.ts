import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { Entry, PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { bidsSet, call, clusterPlan, pair, watchedBids } from "./clusterBids.ts"
import { apply, kopecks } from "./planned.ts"
import { intercepted, inTime, marketplace } from "./support.ts"

/** A line as an earlier version wrote it. */
const earlier = Schema.decodeUnknownSync(Entry)

describe("a unit probe that an earlier version has sent", () => {
  /** As the earlier version left it: a low bid that stands, and a journal that says so. */
  const probed = Effect.gen(function* () {
    const ads = yield* MarketplaceAds
    const { append } = yield* PlanJournal
    const { id, steps } = yield* clusterPlan("a", "b")
    const first = steps.slice(0, 1).map((step) => step.id)
    yield* append(earlier({ type: "begun", at: 0, plan_id: id, steps: first, trial: kopecks(300) }))
    yield* append(earlier({ type: "tried", at: 0, plan_id: id, steps: first }))
    yield* append({ type: "asked", at: 0, plan_id: id, problem: "A person must look" })
    yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(300) }] }, { unit: "kopecks" })
    return { id, first }
  })

  it.effect.each(["spec", "published"] as const)("is reported, and replaced by the wanted bid, on wire %s", (wire) =>
    Effect.gen(function* () {
      const { id } = yield* probed
      const { next, notice } = yield* call("show_plan", { plan_id: id })
      for (const words of [next, notice]) {
        assert.include(words, "has sent cluster 1003/500301/a as 300")
        assert.include(words, "3.00 rub where the marketplace reads kopecks, 300.00 rub where it reads rubles (D2)")
      }
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2 })
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000, b: 30_000 })
      assert.notProperty(yield* call("show_plan", { plan_id: id }), "notice")
    }).pipe(Effect.provide(marketplace({}, { wire })))
  )

  it.effect.each(["spec", "published"] as const)("is removed by a rollback on wire %s", (wire) =>
    Effect.gen(function* () {
      const { id } = yield* probed
      const back = yield* inTime(Plans.use((plans) => plans.rollback(id)))
      assert.deepStrictEqual(back.blocked, [])
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied" })
      assert.deepStrictEqual(yield* bidsSet, {})
      assert.notProperty(yield* call("show_plan", { plan_id: id }), "notice")
    }).pipe(Effect.provide(marketplace({}, { wire })))
  )

  it.effect("is still reported where the wanted bid is refused", () =>
    Effect.gen(function* () {
      const { id } = yield* probed
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "partly applied", done: 1 })
      assert.include(report.notice, "has sent cluster 1003/500301/a as 300")
    }).pipe(Effect.provide(intercepted(watchedBids((bids) => (bids.includes("a 30000") ? refusal : undefined)).onCall)))
  )

  const refusal = { body: { failed: [{ norm_query: "a", reason: "too high" }] } }

  it.effect("is reported after it was read a hundredfold, until the journal says that it was reverted", () =>
    Effect.gen(function* () {
      const { append } = yield* PlanJournal
      const { first, id } = yield* probed
      yield* append(earlier({ type: "misread", at: 1, plan_id: id, steps: first, problem: "It was to be taken back." }))
      assert.include((yield* call("show_plan", { plan_id: id }))["notice"], "It was to be taken back.")
      yield* append(earlier({ type: "undone", at: 2, plan_id: id, steps: first, problem: "It was dropped." }))
      assert.notProperty(yield* call("show_plan", { plan_id: id }), "notice")
    }).pipe(Effect.provide(marketplace({}, { wire: "published" })))
  )

  it.effect("is not reported where its call did not arrive", () =>
    Effect.gen(function* () {
      const { append } = yield* PlanJournal
      const { first, id } = yield* probed
      yield* append({ type: "unsent", at: 1, plan_id: id, steps: first })
      assert.notProperty(yield* call("show_plan", { plan_id: id }), "notice")
    }).pipe(Effect.provide(marketplace()))
  )
})
