import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import * as PlanState from "../../src/changes/PlanState.ts"
import { Entry, PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { status } from "../../src/marketplace/client/Campaign.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { planCampaign } from "../../src/marketplace/plan/planCampaign.ts"
import { planMinusPhrases } from "../../src/marketplace/plan/planMinusPhrases.ts"
import { planProducts } from "../../src/marketplace/plan/planProducts.ts"
import { apply, applyFails, bidPlan, bidsNow, campaignsOf, deletionPlan, kopecks, only } from "./planned.ts"
import { embeddedClient, type Given, inTime, marketplace, plansOver, smallMarketplace } from "./support.ts"

const phrasePlan = Effect.fnUntraced(function* () {
  const { guards } = yield* MarketplaceConfig
  const campaigns = yield* campaignsOf(1001)
  return yield* Plans.use((plans) =>
    plans.keep(planMinusPhrases({ campaigns, current: [], phrases: ["a"], mode: "merge", guards }))
  )
})

/** A marketplace on which one request is lost: the first that `when` picks. It may still have been carried out. */
const losing = (when: (url: URL) => boolean, carriedOut: boolean, sent: Deferred.Deferred<void>) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) => {
      let lost = false
      return HttpClient.make((request, url) => {
        if (lost || !when(url)) return httpClient.execute(request)
        lost = true
        const carried = carriedOut ? Effect.asVoid(httpClient.execute(request)) : Effect.void
        return carried.pipe(Effect.andThen(Deferred.succeed(sent, undefined)), Effect.andThen(Effect.never))
      })
    })
  )

describe("a plan", () => {
  it.effect("changes nothing until it is applied, and is read back then", () =>
    Effect.gen(function* () {
      const { id } = yield* bidPlan()
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
      assert.deepInclude(yield* apply(id), { state: "applied", done: 2, total: 2, found: 0, unconfirmed: [] })
      assert.deepStrictEqual(yield* bidsNow, [30_000, 30_000, 25_000])
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("is applied once", () =>
    Effect.gen(function* () {
      const { id } = yield* bidPlan()
      yield* inTime(apply(id))
      assert.deepInclude(yield* applyFails(id), { _tag: "PlanSpent", state: "applied" })
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("expires after a quarter of an hour", () =>
    Effect.gen(function* () {
      const stale = yield* bidPlan()
      yield* TestClock.adjust("16 minutes")
      assert.strictEqual((yield* applyFails(stale.id))._tag, "PlanExpired")
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("does not overwrite what someone else has changed meanwhile, and says so", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { id } = yield* bidPlan()
      const foreign = { nm_id: 500102, bid_kopecks: kopecks(27_000), placement: "combined" as const }
      yield* ads.updateBids({ bids: [{ advert_id: 1001, nm_bids: [foreign] }] })
      const report = yield* apply(id)
      assert.deepInclude(report, { state: "partly applied", done: 1 })
      assert.deepStrictEqual(report.refused, [
        { step: "bid 1001/500102/combined", problem: "someone else has changed it since, and it stays as it is" }
      ])
      assert.deepStrictEqual(yield* bidsNow, [30_000, 27_000, 25_000])
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("sends nothing for what is already as wanted", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { id } = yield* bidPlan()
      const same = { nm_id: 500102, bid_kopecks: kopecks(30_000), placement: "combined" as const }
      yield* ads.updateBids({ bids: [{ advert_id: 1001, nm_bids: [same] }] })
      assert.deepInclude(yield* apply(id), { state: "applied", done: 2, found: 1 })
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("is not found where nobody made it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* applyFails("bids-1-1"))._tag, "PlanNotFound")
    }).pipe(Effect.provide(marketplace()))
  )

  const forbidden: ReadonlyArray<readonly [string, Given]> = [
    ["AdsReadOnly", { readOnly: true }],
    ["GuardViolation", { guards: { maxBidKopecks: 29_999 } }],
    ["GuardViolation", { guards: { maxChangePercent: 19 } }],
    ["GuardViolation", { guards: { maxItemsPerApply: 1 } }],
    ["GuardViolation", { guards: { allowedCampaigns: [1002] } }]
  ]

  it.effect.each(forbidden)("is held to the guards that are set when it is applied: %s for %o", ([tag, given]) =>
    Effect.gen(function* () {
      const store = yield* PlanJournal
      const kept = Layer.succeed(PlanJournal, store)
      const { id } = yield* bidPlan().pipe(Effect.provide(plansOver({}, embeddedClient, kept), { local: true }))
      const error = yield* applyFails(id).pipe(Effect.provide(plansOver(given, embeddedClient, kept), { local: true }))
      assert.strictEqual(error._tag === "MarketplaceError" ? error.reason._tag : error._tag, tag)
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(Layer.merge(smallMarketplace(), PlanJournal.layerMemory)))
  )

  it.effect("returns when its time is over, and goes on with the next call", () =>
    Effect.gen(function* () {
      const plan = yield* bidPlan()
      assert.deepInclude(yield* Plans.use((plans) => plans.apply(plan.id, { maxSeconds: 0 })), {
        state: "in progress",
        done: 0
      })
      assert.deepInclude(yield* apply(plan.id), { state: "applied", done: 2 })
    }).pipe(Effect.provide(marketplace()))
  )
})

describe("an interrupted apply", () => {
  const isWrite = (url: URL) => /bids$|set-minus|save-ad/.test(url.pathname)

  it.effect.each([true, false])(
    "goes on with the next call, whether the lost write was carried out (%s) or not",
    (carriedOut) =>
      Effect.gen(function* () {
        const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
        const sent = yield* Deferred.make<void>()
        const dying = plansOver({}, losing(isWrite, carriedOut, sent), kept)
        const { id } = yield* bidPlan().pipe(Effect.provide(dying, { local: true }))
        const fiber = yield* Effect.forkChild(apply(id).pipe(Effect.provide(dying, { local: true })))
        yield* inTime(Deferred.await(sent))
        yield* Fiber.interrupt(fiber)
        const report = yield* apply(id).pipe(Effect.provide(plansOver({}, embeddedClient, kept), { local: true }))
        assert.deepInclude(report, { state: "applied", done: 2, found: carriedOut ? 2 : 0 })
        assert.deepStrictEqual(yield* bidsNow, [30_000, 30_000, 25_000])
      }).pipe(Effect.provide(Layer.merge(smallMarketplace(), PlanJournal.layerMemory)))
  )

  it.effect.each([true, false])(
    "creates no campaign twice: one that was created (%s) is found by its name",
    (carriedOut) =>
      Effect.gen(function* () {
        const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
        const sent = yield* Deferred.make<void>()
        const dying = plansOver({}, losing(isWrite, carriedOut, sent), kept)
        const alive = plansOver({}, embeddedClient, kept)
        const plan = yield* Effect.gen(function* () {
          const { guards } = yield* MarketplaceConfig
          const { adverts: existing } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
          const input = {
            name: "New",
            nms: [1, 2],
            payment_type: "cpm",
            placements: ["search"],
            bid: kopecks(26_000)
          } as const
          return yield* Plans.use((plans) => plans.keep(planCampaign({ ...input, existing, guards })))
        }).pipe(Effect.provide(alive, { local: true }))
        const fiber = yield* Effect.forkChild(apply(plan.id).pipe(Effect.provide(dying, { local: true })))
        yield* inTime(Deferred.await(sent))
        yield* Fiber.interrupt(fiber)

        if (!carriedOut) {
          const unsure = yield* applyFails(plan.id).pipe(Effect.provide(alive, { local: true }))
          assert.deepInclude(unsure, { _tag: "ApplyStopped", reason: "AdsOutcomeUnknown" })
          yield* TestClock.adjust("4 minutes")
        }
        yield* inTime(apply(plan.id).pipe(Effect.provide(alive, { local: true })))
        const { adverts } = yield* (yield* EmbeddedMarketplace).account
        const made = [...adverts.values()].filter(({ name }) => name === "New")
        assert.strictEqual(made.length, 1)
        assert.deepStrictEqual(
          made[0]?.rows.map(({ search }) => Number(search)),
          [26_000, 26_000]
        )
      }).pipe(Effect.provide(Layer.merge(smallMarketplace(), PlanJournal.layerMemory)))
  )

  it.effect("is rolled back as far as it had come", () =>
    Effect.gen(function* () {
      const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
      const world = yield* EmbeddedMarketplace
      const before = yield* world.account
      let writes = 0
      const sent = yield* Deferred.make<void>()
      const dying = plansOver(
        {},
        losing((url) => url.pathname.endsWith("set-minus") && ++writes === 3, true, sent),
        kept
      )
      const { id } = yield* phrasePlan().pipe(Effect.provide(dying, { local: true }))
      const fiber = yield* Effect.forkChild(apply(id).pipe(Effect.provide(dying, { local: true })))
      yield* inTime(Deferred.await(sent))
      yield* Fiber.interrupt(fiber)
      assert.notDeepEqual(yield* world.account, before)
      yield* Effect.gen(function* () {
        const back = yield* inTime(Plans.use((plans) => plans.rollback(id)))
        yield* inTime(apply(back.id))
        assert.strictEqual((yield* applyFails(id))._tag, "PlanSpent")
      }).pipe(Effect.provide(plansOver({}, embeddedClient, kept), { local: true }))
      assert.deepStrictEqual(yield* world.account, before)
    }).pipe(Effect.provide(Layer.merge(smallMarketplace(), PlanJournal.layerMemory)))
  )
})

describe("a rollback", () => {
  it.effect("of a deleted article restores its bid, its phrases and its cluster bids", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const world = yield* EmbeddedMarketplace
      const { before, id } = yield* deletionPlan
      yield* inTime(apply(id))
      assert.isFalse((yield* world.account).phrases.has("1003:500301"))
      const back = yield* inTime(plans.rollback(id))
      yield* inTime(apply(back.id))
      const sorted = (state: typeof before) => ({
        phrases: state.phrases,
        clusterBids: state.clusterBids,
        rows: state.adverts.get(1003)?.rows.toSorted((a, b) => a.nm_id - b.nm_id)
      })
      assert.deepStrictEqual(sorted(yield* world.account), sorted(before))
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("keeps what someone else has changed since, and reverts the rest", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const plans = yield* Plans
      const { id } = yield* bidPlan()
      yield* inTime(apply(id))
      const foreign = { nm_id: 500102, bid_kopecks: kopecks(27_000), placement: "combined" as const }
      yield* ads.updateBids({ bids: [{ advert_id: 1001, nm_bids: [foreign] }] })
      const back = yield* inTime(plans.rollback(id))
      assert.deepStrictEqual(
        back.blocked.map(({ what }) => what),
        ["bid 1001/500102/combined"]
      )
      yield* inTime(apply(back.id))
      assert.deepStrictEqual(yield* bidsNow, [25_000, 27_000, 25_000])
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("is planned anew after someone else's change, without what they changed", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const plans = yield* Plans
      const { id } = yield* bidPlan()
      yield* inTime(apply(id))
      const back = yield* inTime(plans.rollback(id))
      const foreign = { nm_id: 500102, bid_kopecks: kopecks(27_000), placement: "combined" as const }
      yield* ads.updateBids({ bids: [{ advert_id: 1001, nm_bids: [foreign] }] })
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "partly applied", done: 1 })
      const again = yield* inTime(plans.rollback(id))
      yield* inTime(apply(again.id))
      assert.deepStrictEqual(yield* bidsNow, [25_000, 27_000, 25_000])
      assert.strictEqual((yield* Effect.flip(plans.rollback(id)))._tag, "PlanSpent")
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("names every reason where it is blocked as a whole", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const plans = yield* Plans
      const { id } = yield* bidPlan()
      yield* inTime(apply(id))
      const foreign = [500101, 500102].map((nm_id) => ({
        nm_id,
        bid_kopecks: kopecks(27_000),
        placement: "combined" as const
      }))
      yield* ads.updateBids({ bids: [{ advert_id: 1001, nm_bids: foreign }] })
      const { message } = yield* Effect.flip(inTime(plans.rollback(id)))
      assert.include(message, "bid 1001/500101/combined: someone else has changed it since, and it stays as it is")
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("is itself rolled back", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* bidPlan()
      yield* inTime(apply(id))
      const back = yield* inTime(plans.rollback(id))
      yield* inTime(apply(back.id))
      const forth = yield* inTime(plans.rollback(back.id))
      yield* inTime(apply(forth.id))
      assert.deepStrictEqual(yield* bidsNow, [30_000, 30_000, 25_000])
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("is refused for a plan that did nothing", () =>
    Effect.gen(function* () {
      const { id } = yield* bidPlan()
      assert.strictEqual((yield* Effect.flip(Plans.use((plans) => plans.rollback(id))))._tag, "NothingToRollBack")
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("is not blocked by the largest change, because it restores what was there", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* bidPlan(16_000)
      yield* inTime(apply(id))
      const back = yield* inTime(plans.rollback(id))
      yield* inTime(apply(back.id))
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(marketplace({ guards: { maxChangePercent: 40 } })))
  )
})

/** A marketplace that shows campaigns, phrases and cluster bids as they were up to 3 minutes ago. */
const lagging = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(EmbeddedMarketplace, ({ httpClient }) => {
    const answers = new Map<string, { readonly at: number; readonly text: string }>()
    return HttpClient.make((request, url) =>
      Effect.gen(function* () {
        if (!/\/(adverts|get-minus|get-bids)$/.test(url.pathname)) return yield* httpClient.execute(request)
        const sent = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
        const now = yield* Clock.currentTimeMillis
        const last = answers.get(url.href + sent)
        const text =
          last !== undefined && now < last.at + 180_000 ? last.text : yield* (yield* httpClient.execute(request)).text
        if (text !== last?.text) answers.set(url.href + sent, { at: now, text })
        return HttpClientResponse.fromWeb(request, new Response(text))
      })
    )
  })
)

describe("a read model that lags behind", () => {
  it.effect("is told apart from a change that failed, and does not mislead a rollback", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id, steps } = yield* bidPlan()
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "applied", done: 2, unconfirmed: steps.map((step) => step.id) })
      const back = yield* inTime(plans.rollback(id))
      yield* inTime(apply(back.id))
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(plansOver({}, lagging).pipe(Layer.provideMerge(smallMarketplace()))))
  )

  it.effect("lets no plan cut bids that it shows higher than a plan has just set them", () =>
    Effect.gen(function* () {
      const { id } = yield* bidPlan(16_000)
      yield* inTime(apply(id))
      const { blocked, steps } = yield* bidPlan(20_000)
      assert.lengthOf(steps, 0)
      assert.match(blocked[0]?.reason ?? "", /sent a bid of 160\.00 rub .* still shows 250\.00 rub .* may raise it/)
      assert.deepStrictEqual(yield* bidsNow, [16_000, 16_000, 25_000])
      yield* TestClock.adjust("4 minutes")
      assert.lengthOf((yield* bidPlan(20_000)).steps, 2)
    }).pipe(Effect.provide(plansOver({}, lagging).pipe(Layer.provideMerge(smallMarketplace()))))
  )

  it.effect("lets no cut raise what another plan has cut further between its making and its applying", () =>
    Effect.gen(function* () {
      const early = yield* bidPlan(20_000)
      yield* inTime(apply((yield* bidPlan(16_000)).id))
      const { _tag, message } = yield* Effect.flip(inTime(apply(early.id)))
      assert.strictEqual(_tag, "GuardViolation")
      assert.match(message, /sent a bid of 160\.00 rub .* still shows 250\.00 rub .* may raise it/)
      assert.deepStrictEqual(yield* bidsNow, [16_000, 16_000, 25_000])
    }).pipe(Effect.provide(plansOver({}, lagging).pipe(Layer.provideMerge(smallMarketplace()))))
  )

  it.effect("does not mislead a rollback of phrases and articles, either", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const world = yield* EmbeddedMarketplace
      const { guards } = yield* MarketplaceConfig
      const before = yield* world.account
      const phrases = yield* phrasePlan()
      yield* inTime(apply(phrases.id))
      const input = { campaign: yield* only(1001), add: [7], delete: [], phrases: [], clusterBids: [], guards }
      const products = yield* plans.keep(planProducts(input))
      yield* inTime(apply(products.id))
      assert.notDeepEqual(yield* world.account, before)
      for (const { id } of [products, phrases]) {
        const back = yield* inTime(plans.rollback(id))
        assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied", found: 0 })
      }
      assert.deepStrictEqual(yield* world.account, before)
    }).pipe(Effect.provide(plansOver({}, lagging).pipe(Layer.provideMerge(smallMarketplace()))))
  )

  it.effect(
    "leaves nothing unconfirmed, neither in the report nor in the journal, where it catches up before the end",
    () =>
      Effect.gen(function* () {
        const plans = yield* Plans
        const { id, steps } = yield* bidPlan()
        const entry = { at: 0, plan_id: id, steps: steps.map((step) => step.id) }
        const { append } = yield* PlanJournal
        yield* MarketplaceAds.use((ads) =>
          ads.updateBids({
            bids: [
              {
                advert_id: 1001,
                nm_bids: [500101, 500102].map((nm_id) => {
                  return { nm_id, bid_kopecks: kopecks(30_000), placement: "combined" as const }
                })
              }
            ]
          })
        )
        yield* append({ type: "begun", ...entry })
        yield* append({ type: "done", ...entry, found: false })
        yield* append({ type: "unconfirmed", ...entry })
        assert.strictEqual(PlanState.unconfirmedOf(yield* plans.state(id)).length, 2)
        assert.deepInclude(yield* inTime(apply(id)), { state: "applied", unconfirmed: [] })
        assert.strictEqual(PlanState.unconfirmedOf(yield* plans.state(id)).length, 0)
        assert.deepInclude((yield* plans.entries).at(-2), { type: "confirmed", steps: entry.steps })
      }).pipe(Effect.provide(marketplace()))
  )

  it.effect("does not stop a new campaign from getting its bids, or from being deleted again", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const world = yield* EmbeddedMarketplace
      const { guards } = yield* MarketplaceConfig
      const { adverts: existing } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
      const input = {
        name: "New",
        nms: [1],
        payment_type: "cpm",
        placements: ["search"],
        bid: kopecks(26_000)
      } as const
      const { id } = yield* plans.keep(planCampaign({ ...input, existing, guards }))
      yield* inTime(apply(id))
      assert.deepStrictEqual(
        (yield* world.account).adverts.get(1005)?.rows.map(({ search }) => Number(search)),
        [26_000]
      )
      const back = yield* inTime(plans.rollback(id))
      yield* inTime(apply(back.id))
      assert.strictEqual((yield* world.account).adverts.get(1005)?.status, status.deleting)
    }).pipe(Effect.provide(plansOver({}, lagging).pipe(Layer.provideMerge(smallMarketplace()))))
  )
})

describe("the journal", () => {
  it.effect("has every step before and after it is sent, as plain JSON, and no key", () =>
    Effect.gen(function* () {
      const { id } = yield* bidPlan()
      yield* inTime(apply(id))
      const entries = yield* Plans.use((plans) => plans.entries)
      assert.deepStrictEqual(
        entries.map(({ type }) => type),
        ["planned", "begun", "done", "finished"]
      )
      const encode = Schema.encodeUnknownSync(Schema.fromJsonString(Schema.Array(Entry)))
      assert.deepStrictEqual(
        Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Entry)))(encode(entries)),
        entries
      )
      assert.notInclude(encode(entries), "secret-key")
    }).pipe(Effect.provide(marketplace({ apiKey: "secret-key" }, { apiKey: "secret-key" })))
  )
})
