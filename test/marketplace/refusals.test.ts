import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"

import * as PlanState from "../../src/changes/PlanState.ts"
import { applyPlan } from "../../src/changes/tools/planTools.ts"
import { Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import type { Advert } from "../../src/marketplace/embedded/State.ts"
import { planBids } from "../../src/marketplace/plan/planBids.ts"
import { planCampaign } from "../../src/marketplace/plan/planCampaign.ts"
import { planMinusPhrases } from "../../src/marketplace/plan/planMinusPhrases.ts"
import { bigAccount, comparable } from "./accounts.ts"
import { call, withAdsPlans } from "./offered.ts"
import { apply, bidPlan, bidsNow, kopecks } from "./planned.ts"
import { intercepted, inTime, marketplace } from "./support.ts"

const account = bigAccount({ campaigns: 6, articles: 10 })

const adverts = Effect.map(
  Effect.flatMap(EmbeddedMarketplace, (world) => world.account),
  (state) => [...state.adverts.values()]
)
const isSet =
  (to: number) =>
  ({ rows }: Advert) =>
    rows.filter(({ search }) => search === to).length

const all = Effect.map(
  MarketplaceAds.use((ads) => ads.getAdvertsV2()),
  (found) => found.adverts
)

/** A kept plan that bids for every article of the account. */
const bidEverywhere = Effect.fnUntraced(function* (amountOf: (advert_id: number, nm_id: number) => number) {
  const { guards } = yield* MarketplaceConfig
  const campaigns = yield* all
  const wishes = campaigns.flatMap(({ id, nm_settings }) =>
    (nm_settings ?? []).map(({ nm_id }) => ({ advert_id: id, nm_id, to: { kopecks: kopecks(amountOf(id, nm_id)) } }))
  )
  const draft = planBids({ campaigns, wishes, floors: [], onBelowFloor: "block", guards })
  return yield* Plans.use((plans) => plans.keep(draft))
})

/** 200 rubles for every article, and 10 rubles for one, which is less than the marketplace takes. */
const oneTooLow = bidEverywhere((_, nm_id) => (nm_id === 100_205 ? 1000 : 20_000))

const phrasesEverywhere = Effect.gen(function* () {
  const { guards } = yield* MarketplaceConfig
  const draft = planMinusPhrases({ campaigns: yield* all, current: [], phrases: ["a"], mode: "merge", guards })
  return yield* Plans.use((plans) => plans.keep(draft))
})

const closed = { status: 400, body: { detail: "wrong advert status: 7" } }

describe("a change that the marketplace refuses", () => {
  it.effect("is named in the report, and every other change is done", () =>
    Effect.gen(function* () {
      const { id } = yield* oneTooLow
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "partly applied", done: 59, total: 60, unconfirmed: [] })
      assert.strictEqual(report.refused.length, 1)
      assert.deepInclude(report.refused[0], { step: "bid 7002/100205/combined" })
      assert.include(report.refused[0]?.problem, "min: 15500")
      assert.deepStrictEqual((yield* adverts).map(isSet(20_000)), [10, 10, 9, 10, 10, 10])
    }).pipe(Effect.provide(marketplace({}, { account })))
  )

  it.effect("costs no call per article where a whole campaign is refused", () => {
    let refusedCalls = 0
    return Effect.gen(function* () {
      const { id } = yield* bidEverywhere(() => 20_000)
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "partly applied", done: 50 })
      assert.isTrue(report.refused.every(({ step }) => step.startsWith("bid 7003/")))
      assert.isAtMost(refusedCalls, 10)
    }).pipe(
      Effect.provide(
        intercepted(
          (path, body) => {
            if (!path.endsWith("/v1/bids") || !body.includes('"advert_id":7003')) return undefined
            refusedCalls += 1
            return closed
          },
          {},
          { account }
        )
      )
    )
  })

  it.effect("costs one call where the marketplace takes another form of the request", () => {
    let calls = 0
    return Effect.gen(function* () {
      const add_nms = Array.from({ length: 40 }, (_, at) => 900_000 + at)
      const { plan_id } = Object(yield* call("ads_plan_products", { advert_id: 1003, add_nms }))
      const report = Object(yield* call("apply_plan", { plan_id, confirm: true }))
      assert.deepInclude(report, { state: "refused", done: 0, refused_count: 40 })
      assert.include(JSON.stringify(report.refused), "marketplace.wire decides it")
      assert.strictEqual(calls, 1)
    }).pipe(
      Effect.provide(
        intercepted(
          (path) => {
            if (path.endsWith("/auction/nms")) calls += 1
            return undefined
          },
          {},
          { wire: "published" }
        )
      )
    )
  })

  it.effect("is not sent where the campaign is read as ended", () => {
    const writes: Array<string> = []
    let reads = 0
    return Effect.gen(function* () {
      const { id } = yield* bidPlan()
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "refused", done: 0 })
      assert.strictEqual(report.refused[0]?.problem, "campaign 1001 is in status 7, in which nothing can change")
      assert.deepStrictEqual(writes, [])
    }).pipe(
      Effect.provide(
        intercepted((path, _body, method) => {
          if (method === "PATCH") writes.push(path)
          if (!path.endsWith("/adverts") || ++reads === 1) return undefined
          const bids_kopecks = { search: 25_000, recommendations: 25_000 }
          const nm_settings = [500101, 500102].map((nm_id) => ({ nm_id, bids_kopecks }))
          return { body: { adverts: [{ id: 1001, bid_type: "auto", status: 7, settings: {}, nm_settings }] } }
        })
      )
    )
  })
  it.effect("is sent again by the next apply, and nothing else is", () => {
    let isClosed = true
    const sent: Array<string> = []
    return Effect.gen(function* () {
      const { id } = yield* phrasesEverywhere
      const first = yield* inTime(apply(id))
      assert.deepInclude(first, { state: "partly applied", done: 50 })
      assert.deepInclude(yield* Plans.use((plans) => plans.state(id)), { isPartly: true, isFinished: false })
      isClosed = false
      sent.length = 0
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 60, refused: [] })
      assert.strictEqual(sent.length, 10)
      assert.strictEqual((yield* Effect.flip(apply(id)))._tag, "PlanSpent")
    }).pipe(
      Effect.provide(
        intercepted(
          (path, body) => {
            if (!path.endsWith("set-minus")) return undefined
            sent.push(body)
            return isClosed && body.includes('"advert_id":7003') ? closed : undefined
          },
          {},
          { account }
        )
      )
    )
  })

  it.effect("is sent again only after every other step has had its turn", () => {
    let tries = 0
    return Effect.gen(function* () {
      const { id } = yield* oneTooLow
      const plans = yield* Plans
      let state = "in progress"
      while (state === "in progress") ({ state } = yield* inTime(plans.apply(id, { maxSeconds: 1 })))
      assert.strictEqual(state, "partly applied")
      assert.strictEqual(tries, 7)
    }).pipe(
      Effect.provide(
        intercepted(
          (path, body) => {
            if (path.endsWith("/v1/bids") && body.includes("100205")) tries += 1
            return undefined
          },
          {},
          { account }
        )
      )
    )
  })

  it.effect("is left out of the rollback, which restores everything that was done", () =>
    Effect.gen(function* () {
      const { id } = yield* oneTooLow
      yield* inTime(apply(id))
      const back = yield* inTime(Plans.use((plans) => plans.rollback(id)))
      assert.strictEqual(back.steps.length, 59)
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied" })
      const world = yield* EmbeddedMarketplace
      assert.deepStrictEqual(comparable(yield* world.account), comparable(account))
    }).pipe(Effect.provide(marketplace({}, { account })))
  )

  it.effect("in a rollback is sent again by a rollback that is planned anew", () => {
    let isClosed = false
    return Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* bidPlan()
      yield* inTime(apply(id))
      const back = yield* inTime(plans.rollback(id))
      isClosed = true
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "refused", done: 0 })
      isClosed = false
      const again = yield* inTime(plans.rollback(id))
      assert.deepInclude(yield* inTime(apply(again.id)), { state: "applied" })
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(intercepted((path) => (isClosed && path.endsWith("/v1/bids") ? closed : undefined))))
  })

  it.effect("is reported with all changes inside it where it is a new campaign", () =>
    Effect.gen(function* () {
      const { guards } = yield* MarketplaceConfig
      const input = { name: "New", nms: [1, 2], payment_type: "cpm", placements: ["search"] } as const
      const draft = planCampaign({ ...input, bid: kopecks(26_000), existing: yield* all, guards })
      const { id } = yield* Plans.use((plans) => plans.keep(draft))
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "refused", done: 0 })
      const [create, ...bids] = report.refused
      assert.include(create?.problem, "no such nm")
      assert.deepStrictEqual(
        bids.map(({ problem }) => problem),
        ["its campaign was not created", "its campaign was not created"]
      )
    }).pipe(
      Effect.provide(
        intercepted((path) => (path.endsWith("save-ad") ? { status: 400, body: { detail: "no such nm" } } : undefined))
      )
    )
  )

  it.effect("stops the plan after fifty refusals in a row", () =>
    Effect.gen(function* () {
      const { id } = yield* phrasesEverywhere
      const error = yield* Effect.flip(inTime(apply(id)))
      assert.deepInclude(error, { _tag: "ApplyStopped", reason: "RefusedThroughout", done: 0 })
    }).pipe(
      Effect.provide(
        intercepted((path) => (path.endsWith("set-minus") ? { status: 404, body: {} } : undefined), {}, { account })
      )
    )
  )

  it.effect("does not stop the plan where another one in between is accepted", () => {
    let sent = 0
    return Effect.gen(function* () {
      const { id } = yield* phrasesEverywhere
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "partly applied", done: 2, total: 60 })
      assert.strictEqual(report.refused.length, 58)
    }).pipe(
      Effect.provide(
        intercepted(
          (path) => (path.endsWith("set-minus") && ++sent % 25 !== 0 ? { status: 404, body: {} } : undefined),
          {},
          { account }
        )
      )
    )
  })

  it.effect("is told apart from an answer 502, which stops everything that is not yet sent", () => {
    let sent = 0
    let isDown = true
    return Effect.gen(function* () {
      const { id } = yield* phrasesEverywhere
      const error = yield* Effect.flip(inTime(apply(id)))
      assert.deepInclude(error, { _tag: "ApplyStopped", reason: "AdsOutcomeUnknown" })
      assert.match(error.message, /: At phrases \d+\/\d+: Could not set minus-phrases: the answer was status 502\. /)
      const state = yield* Plans.use((plans) => plans.state(id))
      assert.isAtMost(state.done, 12)
      assert.isAtMost(sent, 22)
      assert.isAtLeast(PlanState.valuesByStep(state, ({ outcomeUnknownSince }) => outcomeUnknownSince).length, 1)
      assert.lengthOf(
        PlanState.valuesByStep(state, ({ refused }) => refused),
        0
      )
      isDown = false
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 60 })
    }).pipe(
      Effect.provide(
        intercepted(
          (path) => (path.endsWith("set-minus") && ++sent >= 13 && isDown ? { status: 502, body: {} } : undefined),
          {},
          { account }
        )
      )
    )
  })
})

describe("an apply with a time limit", () => {
  it.effect("sends no further article after the limit, and goes on with the next call", () => {
    let sent = 0
    return Effect.gen(function* () {
      const { id } = yield* phrasesEverywhere
      const plans = yield* Plans
      const begun = yield* Clock.currentTimeMillis
      const first = yield* inTime(plans.apply(id, { maxSeconds: 3 }))
      assert.deepInclude(first, { state: "in progress", done: sent, unconfirmed: [] })
      assert.isBelow(sent, 60)
      assert.isAtMost((yield* Clock.currentTimeMillis) - begun, 5000)
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 60 })
      assert.strictEqual(sent, 60)
    }).pipe(
      Effect.provide(
        intercepted(
          (path) => {
            if (path.endsWith("set-minus")) sent += 1
            return undefined
          },
          {},
          { account }
        )
      )
    )
  })
})

describe("the answer of apply_plan", () => {
  const answer = (plan_id: string) =>
    Effect.map(
      inTime(withAdsPlans(applyPlan.call({ plan_id, confirm: true, max_seconds: 600 }))),
      ({ structured }) => structured
    )

  it.effect("shows every reason for refused changes before it shows one twice", () =>
    Effect.gen(function* () {
      const { id } = yield* bidEverywhere((advert_id) => (advert_id < 7003 ? 1000 : 20_000))
      const said = yield* answer(id)
      assert.deepInclude(said, { state: "partly applied", refused_count: 40, done: 20 })
      const refused = JSON.stringify(said?.["refused"])
      assert.include(refused, "min: 15500")
      assert.include(refused, "wrong advert status: 7")
    }).pipe(
      Effect.provide(
        intercepted(
          (path, body) => (path.endsWith("/v1/bids") && body.includes('"advert_id":7004') ? closed : undefined),
          {},
          { account }
        )
      )
    )
  )

  it.effect("says that there was nothing to do", () =>
    Effect.gen(function* () {
      const { guards } = yield* MarketplaceConfig
      const draft = planBids({ campaigns: [], wishes: [], floors: [], onBelowFloor: "block", guards })
      const { id } = yield* Plans.use((plans) => plans.keep(draft))
      assert.deepInclude(yield* answer(id), { next: "The plan holds no changes, and nothing was done." })
    }).pipe(Effect.provide(marketplace()))
  )
})
