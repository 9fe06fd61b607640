import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

import { EmbeddedMarketplace } from "../../src/embedded/marketplace/EmbeddedMarketplace.ts"
import { Plans } from "../../src/marketplace/apply/Plans.ts"
import { PlanStore } from "../../src/marketplace/apply/PlanStore.ts"
import { MarketplaceAds } from "../../src/marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/MarketplaceConfig.ts"
import { planClusterBids } from "../../src/marketplace/plan/planClusterBids.ts"
import { offered } from "../../src/tools/marketplace/toolset.ts"
import { bidsSet, clusterPlan, late, misunderstood, pair } from "./clusterBids.ts"
import { apply, campaignsOf, kopecks } from "./planned.ts"
import {
  type Canned,
  embeddedClient,
  intercepted,
  interceptedClient,
  inTime,
  marketplace,
  plansOver
} from "./support.ts"

const Sent = Schema.fromJsonString(
  Schema.Struct({ bids: Schema.Array(Schema.Struct({ norm_query: Schema.String, bid: Schema.Int })) })
)

/** What is sent to set cluster bids, call by call; the test may answer some of it itself. */
const watched = (answer: (bids: (typeof Sent.Type)["bids"]) => Canned | undefined = () => undefined) => {
  const sent: Array<string> = []
  const onCall = (path: string, body: string, method: string) => {
    if (method !== "POST" || !path.endsWith("normquery/bids")) return undefined
    const { bids } = Schema.decodeUnknownSync(Sent)(body)
    sent.push(bids.map(({ bid, norm_query }) => `${norm_query} ${bid}`).join(", "))
    return answer(bids)
  }
  return { sent, onCall }
}

const call = Effect.fnUntraced(function* (name: string, args: object) {
  const tool = (yield* offered).find((one) => one.name === name)
  if (tool === undefined) return yield* Effect.die(`no tool ${name}`)
  const { structured } = yield* inTime(tool.call(args))
  return yield* Schema.decodeUnknownEffect(Schema.Record(Schema.String, Schema.Unknown))(structured)
})

const show = (plan_id: string) => call("ads_show_plan", { plan_id, limit: 1 })

/** A kept plan that bids 300 rubles for a cluster where so much stands. */
const clusterPlanFrom = Effect.fnUntraced(function* (before: number, to = 30_000) {
  const ads = yield* MarketplaceAds
  const { guards, wire } = yield* MarketplaceConfig
  yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(before) }] })
  const { bids: current } = yield* ads.getNormqueryBids({ items: [pair] })
  const campaigns = yield* campaignsOf(1003)
  const wishes = [{ ...pair, norm_query: "a", to: kopecks(to) }]
  return yield* Plans.use((plans) => plans.keep(planClusterBids({ campaigns, current, wishes, wire, guards })))
})

const trialOf = (bid: number) =>
  Effect.fnUntraced(function* (id: string, step: string) {
    const { append } = yield* PlanStore
    yield* append({ type: "begun", at: 0, plan_id: id, steps: [step], trial: kopecks(bid) })
  })

describe("the trial of cluster bids", () => {
  it.effect("goes out at a hundredth, and then every wanted bid", () => {
    const { onCall, sent } = watched()
    return Effect.gen(function* () {
      const { id } = yield* clusterPlan("a", "b")
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2, found: 0 })
      assert.deepStrictEqual(sent, ["a 300", "a 30000, b 30000"])
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000, b: 30_000 })
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("bids no more than is wanted where rubles are read, and is sent once in however many applies", () => {
    const { onCall, sent } = watched()
    return Effect.gen(function* () {
      const { id } = yield* clusterPlan("a", "b")
      const first = yield* Effect.flip(inTime(apply(id)))
      const again = yield* Effect.flip(inTime(apply(id)))
      assert.strictEqual(again.message, first.message)
      yield* Effect.flip(inTime(apply(id)))
      assert.deepStrictEqual(sent, ["a 300"])
      assert.deepStrictEqual(yield* bidsSet, {})
      assert.include((yield* show(id))["next"], "Set wire to published")
    }).pipe(Effect.provide(intercepted(onCall, ...misunderstood)))
  })

  it.effect.each([
    ["the hundredfold", 30_000, 30_049, 301],
    ["itself", 300, 30_000, 301],
    ["neither", 20_000, 30_000, 300],
    ["neither, at the lowest", 200, 20, 1]
  ] as const)("is a number that cannot be taken for what stands there: %s", ([, before, to, low]) => {
    const { onCall, sent } = watched()
    return Effect.gen(function* () {
      const { id } = yield* clusterPlanFrom(before, to)
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 1 })
      assert.deepStrictEqual(sent, [`a ${before}`, `a ${low}`, `a ${to}`])
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("that is refused is followed by the whole bid", () => {
    const { onCall, sent } = watched((bids) =>
      bids.some(({ bid }) => bid < 10_000) ? { status: 400, body: { detail: "bid is too low" } } : undefined
    )
    return Effect.gen(function* () {
      const { id } = yield* clusterPlan("a", "b")
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2 })
      assert.deepStrictEqual(sent, ["a 300", "a 30000", "b 30000"])
      assert.deepStrictEqual((yield* Plans.use((plans) => plans.history(id))).inDoubt.size, 0)
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("is taken back where the wanted bid is refused after it", () => {
    let isClosed = true
    const { onCall } = watched((bids) =>
      isClosed && bids.some(({ bid }) => bid === 30_000) ? { status: 400, body: { detail: "too high" } } : undefined
    )
    return Effect.gen(function* () {
      const { id } = yield* clusterPlanFrom(20_000)
      assert.deepInclude(yield* inTime(apply(id)), { state: "refused", done: 0 })
      assert.deepStrictEqual(yield* bidsSet, { a: 20_000 })
      isClosed = false
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 1 })
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000 })
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("that cannot be taken back then is said to stand", () => {
    const { onCall } = watched((bids) => {
      const refusal = (reason: string) => ({ body: { failed: [{ norm_query: "a", reason }] } })
      if (bids.some(({ bid }) => bid === 30_000)) return refusal("too high")
      return isSet && bids.some(({ bid }) => bid === 20_000) ? refusal("no more changes today") : undefined
    })
    let isSet = false
    return Effect.gen(function* () {
      const { id } = yield* clusterPlanFrom(20_000)
      isSet = true
      const { message } = yield* Effect.flip(inTime(apply(id)))
      assert.include(message, "The trial's bid of 3.00 rub (300 kopecks) at cluster 1003/500301/a still stands")
      assert.include(message, "no more changes today")
      assert.include((yield* show(id))["next"], "3.00 rub (300 kopecks) may still stand: campaign 1003")
      isSet = false
      assert.deepInclude(yield* inTime(apply(id)), { state: "refused" })
      assert.deepStrictEqual(yield* bidsSet, { a: 20_000 })
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("goes with the way back where the wanted bids could not be sent any more", () => {
    const { onCall } = watched((bids) => (bids.some(({ bid }) => bid === 30_000) ? { status: 401 } : undefined))
    return Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* clusterPlan("a", "b")
      yield* Effect.flip(inTime(apply(id)))
      assert.deepStrictEqual(yield* bidsSet, { a: 300 })
      const back = yield* inTime(plans.rollback(id))
      yield* inTime(apply(back.id))
      assert.deepStrictEqual(yield* bidsSet, {})
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("is told as long as it does not show: which bid, what it can be, and what to do", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* clusterPlan("a", "b")
      const { notice } = yield* inTime(plans.apply(id, { maxSeconds: 10 }))
      const { next, notice: shown } = yield* show(id)
      for (const told of [notice, shown, next]) {
        assert.include(told, 'on trial: campaign 1003, article 500301, phrase "a", sent as 300.')
        assert.include(told, "reads kopecks, it is 3.00 rub (300 kopecks), too low until the wanted 300.00 rub")
        assert.include(told, "reads rubles (D2), it is 300.00 rub (30000 kopecks)")
      }
      assert.include(next, "ads_apply_plan")
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied" })
      assert.notProperty(yield* show(id), "notice")
    }).pipe(Effect.provide(plansOver({}, late(60_000)).pipe(Layer.provideMerge(EmbeddedMarketplace.layer()))))
  )

  it.effect("is told when reading it back fails", () => {
    let isOut = false
    const { onCall } = watched(() => {
      isOut = true
      return undefined
    })
    return Effect.gen(function* () {
      const { id } = yield* clusterPlan("a", "b")
      const error = yield* Effect.flip(inTime(apply(id)))
      assert.include(error.message, 'on trial: campaign 1003, article 500301, phrase "a"')
    }).pipe(
      Effect.provide(
        intercepted((path, body, method) =>
          isOut && path.endsWith("get-bids") ? { status: 403 } : onCall(path, body, method)
        )
      )
    )
  })

  it.effect.each([
    ["kopecks", "spec", { a: 300 }],
    ["rubles", "published", { a: 30_000 }]
  ] as const)(
    "that was out before a kill is told by the next process, and goes with the way back: %s",
    ([, wire, stands]) =>
      Effect.gen(function* () {
        const ads = yield* MarketplaceAds
        const plans = yield* Plans
        const { id, steps } = yield* clusterPlan("a", "b")
        yield* trialOf(300)(id, steps[0]?.id ?? "")
        yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(300) }] })
        assert.deepStrictEqual(yield* bidsSet, stands)
        assert.include((yield* show(id))["next"], "on trial: campaign 1003")
        const back = yield* inTime(plans.rollback(id))
        assert.deepStrictEqual(back.blocked, [])
        assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied" })
        assert.deepStrictEqual(yield* bidsSet, {})
        assert.notProperty(yield* show(id), "notice")
      }).pipe(Effect.provide(marketplace({}, { wire })))
  )

  it.effect("that shows only after the way back was planned is still the plan's own", () => {
    let isLagging = true
    return Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const plans = yield* Plans
      const { id, steps } = yield* clusterPlanFrom(20_000)
      yield* trialOf(300)(id, steps[0]?.id ?? "")
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(300) }] })
      const back = yield* inTime(plans.rollback(id))
      isLagging = false
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied" })
      assert.deepStrictEqual(yield* bidsSet, { a: 20_000 })
    }).pipe(
      Effect.provide(
        intercepted((path) => {
          const bids = [{ ...pair, norm_query: "a", bid: 20_000, bid_kopecks: 20_000 }]
          return isLagging && path.endsWith("get-bids") ? { body: { bids } } : undefined
        })
      )
    )
  })

  it.effect("that was out before a kill ends in the wanted bids where kopecks are read", () => {
    const { onCall, sent } = watched()
    return Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { id, steps } = yield* clusterPlan("a", "b")
      yield* trialOf(300)(id, steps[0]?.id ?? "")
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(300) }] })
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2 })
      assert.deepStrictEqual(sent, ["a 300", "a 30000, b 30000"])
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("that was out before a kill is taken back where rubles are read, though it shows as wanted", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { id, steps } = yield* clusterPlan("a", "b")
      yield* trialOf(300)(id, steps[0]?.id ?? "")
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(300) }] })
      assert.deepInclude(yield* Effect.flip(inTime(apply(id))), { reason: "ClusterBidUnit", done: 0 })
      assert.deepStrictEqual(yield* bidsSet, {})
    }).pipe(Effect.provide(marketplace(...misunderstood)))
  )

  it.effect("that was taken back just before a kill is not followed by any bid", () => {
    const { onCall, sent } = watched()
    return Effect.gen(function* () {
      const { append } = yield* PlanStore
      const { id, steps } = yield* clusterPlan("a", "b")
      const first = steps.slice(0, 1).map((step) => step.id)
      yield* trialOf(300)(id, first[0] ?? "")
      yield* append({ type: "tried", at: 0, plan_id: id, steps: first })
      yield* append({ type: "misread", at: 0, plan_id: id, steps: first, problem: "It was to be taken back" })
      yield* TestClock.adjust("5 minutes")
      for (const _ of [1, 2, 3]) {
        const error = yield* Effect.flip(inTime(apply(id)))
        assert.deepInclude(error, { reason: "ClusterBidUnit", done: 0 })
        assert.include(error.message, "It was to be taken back")
      }
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(intercepted(onCall, ...misunderstood)))
  })

  it.effect("that is over does not make the wanted bid look a hundred times too high", () => {
    const { onCall, sent } = watched()
    return Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { append } = yield* PlanStore
      const { id, steps } = yield* clusterPlan("a", "b")
      const all = steps.map((step) => step.id)
      yield* trialOf(300)(id, all[0] ?? "")
      yield* append({ type: "confirmed", at: 1, plan_id: id, steps: all.slice(0, 1) })
      yield* append({ type: "begun", at: 2, plan_id: id, steps: all })
      yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(30_000) }] })
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2, found: 1 })
      assert.deepStrictEqual(sent, ["a 30000", "b 30000"])
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("whose call was broken off and that never shows is sent again", () => {
    const { onCall, sent } = watched()
    return Effect.gen(function* () {
      const plans = yield* Plans
      const { id, steps } = yield* clusterPlan("a", "b")
      yield* trialOf(300)(id, steps[0]?.id ?? "")
      assert.deepInclude(yield* inTime(plans.apply(id, { maxSeconds: 30 })), { state: "in progress", done: 0 })
      assert.deepStrictEqual(sent, [])
      yield* TestClock.adjust("4 minutes")
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2 })
      assert.deepStrictEqual(sent, ["a 300", "a 30000, b 30000"])
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("whose call did not arrive leaves nothing to tell", () => {
    const { onCall } = watched(() => ({ status: 401 }))
    return Effect.gen(function* () {
      const { id } = yield* clusterPlan("a", "b")
      yield* Effect.flip(inTime(apply(id)))
      assert.notProperty(yield* show(id), "notice")
    }).pipe(Effect.provide(intercepted(onCall)))
  })

  it.effect("is not repeated once wire is right: the plan goes on where the trial was left", () => {
    const { onCall, sent } = watched()
    return Effect.gen(function* () {
      const kept = Layer.succeed(PlanStore, yield* PlanStore)
      const inKopecks = plansOver({ wire: "spec" }, embeddedClient, kept)
      const inRubles = plansOver({ wire: "published" }, interceptedClient(onCall), kept)
      const { id } = yield* Effect.gen(function* () {
        const ads = yield* MarketplaceAds
        const plan = yield* clusterPlan("a", "b")
        yield* trialOf(300)(plan.id, plan.steps[0]?.id ?? "")
        yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(300) }] })
        return plan
      }).pipe(Effect.provide(inKopecks, { local: true }))
      const report = yield* inTime(apply(id)).pipe(Effect.provide(inRubles, { local: true }))
      assert.deepInclude(report, { state: "applied", done: 2, found: 1 })
      assert.deepStrictEqual(sent, ["b 300"])
      assert.deepStrictEqual(yield* bidsSet, { a: 30_000, b: 30_000 })
    }).pipe(Effect.provide(Layer.merge(EmbeddedMarketplace.layer(misunderstood[1]), PlanStore.layerMemory)))
  })
})

describe("a whole cluster bid that an older version has out on trial", () => {
  const begunByOlder = Effect.gen(function* () {
    const ads = yield* MarketplaceAds
    const { append } = yield* PlanStore
    const { id, steps } = yield* clusterPlan("a", "b")
    const first = steps.slice(0, 1).map((step) => step.id)
    yield* append({ type: "begun", at: 0, plan_id: id, steps: first })
    yield* append({ type: "done", at: 0, plan_id: id, steps: first, found: false })
    yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(30_000) }] })
    return id
  })

  it.effect("is told, looked at and followed by the others", () =>
    Effect.gen(function* () {
      const id = yield* begunByOlder
      assert.include((yield* show(id))["next"], "it is 30000.00 rub (3000000 kopecks), a hundred times too high")
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2 })
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("is taken back where it came out too high, and not sent again", () =>
    Effect.gen(function* () {
      const id = yield* begunByOlder
      yield* Effect.flip(inTime(apply(id)))
      assert.deepStrictEqual(yield* bidsSet, {})
      const again = yield* Effect.flip(inTime(apply(id)))
      assert.include(again.message, "Set wire to published")
    }).pipe(Effect.provide(marketplace(...misunderstood)))
  )
})
