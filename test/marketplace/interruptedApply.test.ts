import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { stateOf } from "../../src/marketplace/embedded/State.ts"
import { planCampaign } from "../../src/marketplace/plan/planCampaign.ts"
import { planMigration } from "../../src/marketplace/plan/planMigration.ts"
import { planMinusPhrases } from "../../src/marketplace/plan/planMinusPhrases.ts"
import { planProducts } from "../../src/marketplace/plan/planProducts.ts"
import { movedClock } from "../support/movedClock.ts"
import { bigAccount } from "./accounts.ts"
import { apply, bidPlan, bidsNow, only } from "./planned.ts"
import {
  type Canned,
  embeddedClient,
  intercepted,
  interceptedClient,
  inTime,
  marketplace,
  plansOver,
  smallMarketplace
} from "./support.ts"

const account = bigAccount({ campaigns: 2, articles: 1 })

/** A kept plan that makes a manual twin of every campaign. */
const twins = Effect.gen(function* () {
  const { guards } = yield* MarketplaceConfig
  const { adverts: existing } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
  const percent = { combined: 100, search: 200, recommendations: 200 }
  const options = { target: "new-manual-campaign", percent, onBelowFloor: "raise", phrases: "merge" } as const
  const input = { campaigns: existing, existing, snapshot: [], phrases: [], floors: [], options, guards }
  return yield* Plans.use((plans) => plans.keep(planMigration(input)))
})

const noCampaigns = stateOf([])

const newCampaign = Effect.gen(function* () {
  const { guards } = yield* MarketplaceConfig
  const { adverts: existing } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
  const input = { name: "New", nms: [1], payment_type: "cpm", placements: ["search"], existing, guards } as const
  return yield* Plans.use((plans) => plans.keep(planCampaign(input)))
})

/** Creates a campaign and rolls that back; between the plan of the rollback and its application something happens. */
const rolledBackAfter = Effect.fnUntraced(function* (happens: () => void) {
  const plans = yield* Plans
  const { id } = yield* newCampaign
  yield* inTime(apply(id))
  const back = yield* inTime(plans.rollback(id))
  happens()
  return { back, report: yield* inTime(apply(back.id)) }
})

const phrases = Effect.gen(function* () {
  const { guards } = yield* MarketplaceConfig
  const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
  const campaigns = adverts.filter(({ bid_type }) => bid_type === "auto")
  const draft = planMinusPhrases({ campaigns, current: [], phrases: ["a"], mode: "merge", guards })
  return yield* Plans.use((plans) => plans.keep(draft))
})

const names = Effect.map(
  Effect.flatMap(EmbeddedMarketplace, (world) => world.account),
  ({ adverts }) => [...adverts.values()].filter(({ deleted }) => deleted === undefined).map(({ name }) => name)
)

/** Shows campaigns as they were up to 3 minutes ago; the second creation is carried out, and its answer never comes. */
const losingTheSecond = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(EmbeddedMarketplace, ({ httpClient }) => {
    let created = 0
    const answers = new Map<string, { readonly at: number; readonly text: string }>()
    return HttpClient.make((request, url) =>
      Effect.gen(function* () {
        if (url.pathname.endsWith("save-ad") && ++created === 2) {
          return yield* Effect.andThen(httpClient.execute(request), Effect.never)
        }
        if (!url.pathname.endsWith("/adverts")) return yield* httpClient.execute(request)
        const now = yield* Clock.currentTimeMillis
        const last = answers.get(url.href)
        const text =
          last !== undefined && now < last.at + 180_000 ? last.text : yield* (yield* httpClient.execute(request)).text
        if (text !== last?.text) answers.set(url.href, { at: now, text })
        return HttpClientResponse.fromWeb(request, new Response(text))
      })
    )
  })
)

describe("a rollback", () => {
  it.effect("finds the campaign that an interrupted apply has created", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* twins
      const error = yield* Effect.flip(inTime(plans.apply(id, { maxSeconds: 20 })))
      assert.deepInclude(error, { reason: "AdsOutcomeUnknown" })
      assert.lengthOf(yield* names, 4)
      const back = yield* inTime(plans.rollback(id))
      assert.include(back.blocked[0]?.reason, "it does not show yet whether it was created")
      yield* inTime(apply(back.id))
      yield* TestClock.adjust("5 minutes")
      const again = yield* inTime(plans.rollback(id))
      yield* inTime(apply(again.id))
      assert.deepStrictEqual(yield* names, ["Goods 0", "Goods 1"])
    }).pipe(
      Effect.provide(plansOver({}, losingTheSecond).pipe(Layer.provideMerge(EmbeddedMarketplace.layer({ account }))))
    )
  )

  it.effect("expires when its plan is applied further after the rollback was planned", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const world = yield* EmbeddedMarketplace
      const before = yield* world.account
      const { id } = yield* phrases
      assert.deepInclude(yield* inTime(plans.apply(id, { maxSeconds: 1 })), { state: "in progress" })
      const early = yield* inTime(plans.rollback(id))
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied" })
      assert.strictEqual((yield* Effect.flip(apply(early.id)))._tag, "PlanExpired")
      const back = yield* inTime(plans.rollback(id))
      yield* inTime(apply(back.id))
      assert.deepStrictEqual(yield* world.account, before)
    }).pipe(Effect.provide(marketplace({}, { account: bigAccount({ campaigns: 1, articles: 20 }) })))
  )

  it.effect("is applied once, also where two rollbacks of the plan are planned", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* phrases
      yield* inTime(apply(id))
      const one = yield* inTime(plans.rollback(id))
      yield* TestClock.adjust("1 second")
      const other = yield* inTime(plans.rollback(id))
      yield* inTime(apply(one.id))
      assert.deepInclude(yield* Effect.flip(apply(other.id)), { _tag: "PlanSpent", state: "rolled back" })
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("deletes no campaign that holds money, and warns of what is deleted with the other campaigns", () => {
    const budget = { advertId: 7003, total: 5000 }
    return Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* twins
      yield* inTime(apply(id))
      const back = yield* inTime(plans.rollback(id))
      const reason =
        "the campaign holds 5000.00 rub (500000 kopecks), and is not deleted: take them out in the cabinet, then do this again"
      assert.deepStrictEqual(back.blocked, [{ what: "delete 7003", reason, later: true }])
      assert.match(back.warnings.join(), /^Campaigns that the plan created are deleted \(1\)/)
      yield* inTime(apply(back.id))
      assert.lengthOf(yield* names, 3)
      budget.total = 0
      const again = yield* inTime(plans.rollback(id))
      yield* inTime(apply(again.id))
      assert.lengthOf(yield* names, 2)
      assert.strictEqual((yield* Effect.flip(plans.rollback(id)))._tag, "PlanSpent")
    }).pipe(
      Effect.provide(
        intercepted(
          (path) =>
            path.endsWith("v2/budget") ? { body: { adverts: [{ advertId: 7002, total: 0 }, budget] } } : undefined,
          {},
          { account }
        )
      )
    )
  })

  it.effect.each([
    [
      "has got money",
      { status: 200, body: { adverts: [{ advertId: 1, total: 900 }] } },
      "holds 900.00 rub (90000 kopecks)"
    ],
    ["cannot be asked for its money", { status: 503 }, "its budget cannot be read"],
    ["shows no budget", { status: 404 }, "its budget cannot be read"]
  ] as const)("deletes no campaign that %s since the rollback was planned", ([, answer, problem]) => {
    let isLater = false
    return Effect.gen(function* () {
      const { back, report } = yield* rolledBackAfter(() => (isLater = true))
      assert.deepInclude(report, { state: "refused", done: 0 })
      assert.include(report.refused[0]?.problem, problem)
      assert.deepStrictEqual(yield* names, ["New"])
      isLater = false
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied", done: 1 })
      assert.deepStrictEqual(yield* names, [])
    }).pipe(
      Effect.provide(
        intercepted((path) => (isLater && path.endsWith("/budget") ? answer : undefined), {}, { account: noCampaigns })
      )
    )
  })

  it.effect(
    "reads the budgets of all campaigns at once when it is planned, and each one again before its campaign is deleted",
    () => {
      const bodies: Array<string> = []
      return Effect.gen(function* () {
        const plans = yield* Plans
        const { id } = yield* twins
        yield* inTime(apply(id))
        const back = yield* inTime(plans.rollback(id))
        assert.deepStrictEqual(bodies, ['{"advertIds":[7002,7003]}'])
        yield* inTime(apply(back.id))
        assert.deepStrictEqual(bodies.slice(1), ['{"advertIds":[7002]}', '{"advertIds":[7003]}'])
        assert.lengthOf(yield* names, 2)
      }).pipe(
        Effect.provide(
          intercepted(
            (path, body) => {
              if (path.endsWith("/budget")) bodies.push(body)
              return undefined
            },
            {},
            { account }
          )
        )
      )
    }
  )

  it.effect("does not delete a campaign with money that does not show yet", () => {
    let isLater = false
    return Effect.gen(function* () {
      const { report } = yield* rolledBackAfter(() => (isLater = true))
      assert.deepInclude(report, { state: "refused", done: 0 })
      assert.include(report.refused[0]?.problem, "holds 1.00 rub")
    }).pipe(
      Effect.provide(
        intercepted(
          (path) => {
            if (!isLater) return undefined
            if (path.endsWith("/adverts")) return { body: { adverts: [] } }
            return path.endsWith("/budget") ? { body: { adverts: [{ advertId: 1, total: 1 }] } } : undefined
          },
          {},
          { account: noCampaigns }
        )
      )
    )
  })

  it.effect.each([
    [9, "has been started"],
    [7, "in status 7"]
  ] as const)("deletes no campaign that has got status %i since", ([status, problem]) => {
    let isLater = false
    const settings = { name: "New", payment_type: "cpm" }
    const adverts = [{ id: 1, bid_type: "manual", status, settings, nm_settings: [{ nm_id: 1 }] }]
    return Effect.gen(function* () {
      const { report } = yield* rolledBackAfter(() => (isLater = true))
      assert.deepInclude(report, { state: "refused", done: 0 })
      assert.include(report.refused[0]?.problem, problem)
      assert.deepStrictEqual(yield* names, ["New"])
    }).pipe(
      Effect.provide(
        intercepted(
          (path) => (isLater && path.endsWith("/adverts") ? { body: { adverts } } : undefined),
          {},
          { account: noCampaigns }
        )
      )
    )
  })

  it.effect("does not report a campaign as deleted that the marketplace keeps", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* newCampaign
      yield* inTime(apply(id))
      const back = yield* inTime(plans.rollback(id))
      const report = yield* inTime(apply(back.id))
      assert.deepInclude(report, { state: "refused" })
      assert.include(report.refused[0]?.problem, "campaign has money on it")
    }).pipe(
      Effect.provide(
        intercepted((path) =>
          path.endsWith("/delete") ? { status: 400, body: { error: "campaign has money on it" } } : undefined
        )
      )
    )
  )
})

describe("a new campaign", () => {
  it.effect("is known not to exist where its creation was refused with a 429", () => {
    let isBusy = true
    return Effect.gen(function* () {
      const { id } = yield* twins
      assert.deepInclude(yield* Effect.flip(inTime(apply(id))), { reason: "AdsRateLimited" })
      isBusy = false
      yield* TestClock.adjust("100 seconds")
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied" })
      assert.lengthOf(yield* names, 4)
    }).pipe(
      Effect.provide(
        intercepted(
          (path) =>
            isBusy && path.endsWith("save-ad") ? { status: 429, headers: { "x-ratelimit-retry": "90" } } : undefined,
          {},
          { account }
        )
      )
    )
  })

  it.effect.each([
    ["by itself", newCampaign],
    ["as a twin", twins]
  ] as const)("is not created %s where the guards of the apply allow only other campaigns", ([, make]) =>
    Effect.gen(function* () {
      const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
      const { id } = yield* make.pipe(Effect.provide(plansOver({}, embeddedClient, kept), { local: true }))
      const strict = plansOver({ guards: { allowedCampaigns: [1002] } }, embeddedClient, kept)
      const error = yield* Effect.flip(apply(id)).pipe(Effect.provide(strict, { local: true }))
      assert.strictEqual(error._tag, "GuardViolation")
      assert.lengthOf(yield* names, 2)
    }).pipe(Effect.provide(Layer.merge(EmbeddedMarketplace.layer({ account }), PlanJournal.layerMemory)))
  )
})

describe("a campaign whose creation got no answer", () => {
  const created = {
    id: 78,
    bid_type: "manual",
    status: 4,
    settings: { name: "New", payment_type: "cpm" },
    timestamps: { created: "1970-01-01T03:00:01+03:00" },
    nm_settings: [{ nm_id: 1 }]
  }

  /** The creation is answered with 502 and was not carried out; from then on these campaigns show. */
  const lostAmong = (adverts: ReadonlyArray<object>) => {
    let isLost = false
    return intercepted(
      (path) => {
        if (path.endsWith("/adverts") && isLost) return { body: { adverts } }
        if (path.endsWith("v2/budget")) return { body: { adverts: [{ advertId: 78, total: 0 }] } }
        if (!path.endsWith("save-ad")) return undefined
        isLost = true
        return { status: 502 }
      },
      {},
      { account: noCampaigns }
    )
  }

  const strangers: ReadonlyArray<readonly [string, object]> = [
    ["it is in status 9, a new one in 4", { status: 9 }],
    ["it has other articles", { nm_settings: [{ nm_id: 900 }, { nm_id: 901 }] }],
    ["it has other articles", { nm_settings: [{ nm_id: 1 }, { nm_id: 2 }] }],
    ["it is of another kind", { bid_type: "unified" }],
    ["it is of another kind", { settings: { name: "New", payment_type: "cpc" } }],
    ["it was there before", { timestamps: { created: "1969-12-31T23:00:00Z" } }]
  ]

  it.effect.each(strangers)("is not identified with another campaign of its name: %s", ([difference, other]) =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* newCampaign
      yield* Effect.flip(inTime(plans.apply(id, { maxSeconds: 1 })))
      const unsure = yield* Effect.flip(inTime(apply(id)))
      assert.include(unsure.message, `campaign 78 has this name, but is not the one: ${difference}`)
      yield* TestClock.adjust("4 minutes")
      const { message } = yield* Effect.flip(inTime(plans.rollback(id)))
      assert.include(message, `create New: campaign 78 has this name, but is not the one: ${difference}`)
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "refused", created: {} })
      assert.include(report.refused[0]?.problem, `${difference}: rename it in the cabinet`)
      assert.strictEqual((yield* Effect.flip(plans.rollback(id)))._tag, "NothingToRollBack")
    }).pipe(Effect.provide(lostAmong([{ ...created, ...other }])))
  )

  it.effect.each([
    ["alone", [created]],
    ["beside one of its name", [{ ...created, id: 77, status: 9 }, created]],
    ["where it does not tell its age", [{ ...created, timestamps: { created: "1969-12-31T23:00:00" } }]]
  ] as const)("is found in the same call by its name, articles, kind and status %s", ([, adverts]) =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* newCampaign
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", created: { "create New": 78 } })
      const { steps } = yield* inTime(plans.rollback(id))
      assert.deepStrictEqual(
        steps.map((step) => step.id),
        ["delete 78"]
      )
    }).pipe(Effect.provide(lostAmong(adverts)))
  )

  it.effect("is not made a second time by a process whose clock was put forward meanwhile", () => {
    let sent = 0
    const client = interceptedClient((path) => {
      if (path.endsWith("/adverts")) return { body: { adverts: [] } }
      if (!path.endsWith("save-ad")) return undefined
      sent += 1
      return { status: 502 }
    })
    return Effect.gen(function* () {
      const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
      const process = <A, E>(program: Effect.Effect<A, E, Layer.Success<ReturnType<typeof plansOver>>>) =>
        inTime(Effect.provide(program, Layer.fresh(plansOver({}, client, kept)), { local: true }))
      const { id } = yield* process(newCampaign)
      const applied = Effect.flip(Plans.use((plans) => plans.apply(id, { maxSeconds: 1 })))
      yield* process(applied)
      const { clock, putForward } = yield* movedClock
      putForward(600_000)
      const later = process(Effect.provideService(applied, Clock.Clock, clock))
      assert.deepInclude(yield* later, { reason: "AdsOutcomeUnknown" })
      assert.strictEqual(sent, 1)
      yield* TestClock.adjust("4 minutes")
      yield* later
      assert.strictEqual(sent, 2)
    }).pipe(Effect.provide(Layer.merge(EmbeddedMarketplace.layer({ account: noCampaigns }), PlanJournal.layerMemory)))
  })

  it.effect("is reported with the time to wait, and what the next call looks for, where it does not show in time", () =>
    Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* newCampaign
      const error = yield* Effect.flip(inTime(plans.apply(id, { maxSeconds: 30 })))
      assert.deepInclude(error, { reason: "AdsOutcomeUnknown", retryAfterSeconds: 170 })
      assert.include(error.message, "It may have happened all the same, and was not sent again.")
      assert.include(error.message, "looks for a new campaign of that name with the same articles")
      assert.include(error.message, "After 170 seconds, apply the same plan again")
      assert.notInclude(error.message, "settled, apply")
    }).pipe(Effect.provide(lostAmong([])))
  )
})

describe("a change whose answer was lost", () => {
  /** The marketplace, on which the first answers to a change are lost, with or without its being carried out. */
  const losing = (path: string, answers: number, isSet: boolean, answer: Canned) => {
    const lost = { answers, sent: 0 }
    const client = Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
      HttpClient.make((request, url) =>
        Effect.gen(function* () {
          if (!url.pathname.endsWith(path)) return yield* httpClient.execute(request)
          lost.sent += 1
          if (--lost.answers < 0) return yield* httpClient.execute(request)
          if (isSet) yield* httpClient.execute(request)
          return HttpClientResponse.fromWeb(
            request,
            new Response(answer.text ?? "{}", { status: answer.status ?? 200 })
          )
        })
      )
    )
    const layer = plansOver({}, Layer.effect(HttpClient.HttpClient, client)).pipe(
      Layer.provideMerge(smallMarketplace())
    )
    return { lost, layer }
  }
  const losingBids = (answers: number, isSet: boolean, answer: Canned) => losing("v1/bids", answers, isSet, answer)

  it.effect.each([
    ["with status 502 and that was carried out", true, { status: 502 }, 1],
    ["as a web page and that was carried out", true, { text: "<html>" }, 1],
    ["with status 502 and that was not carried out", false, { status: 502 }, 2]
  ] as const)("%s is read back in the same call, and the apply goes on", ([, isSet, answer, calls]) => {
    const { layer, lost } = losingBids(1, isSet, answer)
    return Effect.gen(function* () {
      const { id } = yield* bidPlan()
      assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2 })
      assert.deepStrictEqual(((yield* bidsNow) ?? []).slice(0, 2), [30_000, 30_000])
      assert.strictEqual(lost.sent, calls)
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["was carried out", true, { state: "applied", done: 1 }],
    ["was not carried out", false, { state: "applied", done: 1 }]
  ] as const)("is settled in the same call where it adds an article: it %s", ([, isSet, expected]) => {
    const { layer, lost } = losing("auction/nms", 1, isSet, { status: 502 })
    return Effect.gen(function* () {
      const { guards } = yield* MarketplaceConfig
      const plans = yield* Plans
      const input = { campaign: yield* only(1001), add: [500104], delete: [], phrases: [], clusterBids: [], guards }
      const { id } = yield* plans.keep(planProducts(input))
      const program = Effect.catch(plans.apply(id, { maxSeconds: 30 }), Effect.succeed)
      assert.deepInclude(yield* inTime(program), expected)
      assert.strictEqual(lost.sent, isSet ? 1 : 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is sent once more in a rollback, as the bid that shows may be the one from before the plan", () => {
    const { layer, lost } = losingBids(0, false, { status: 502 })
    return Effect.gen(function* () {
      const plans = yield* Plans
      const { id } = yield* bidPlan()
      yield* inTime(apply(id))
      const back = yield* inTime(plans.rollback(id))
      lost.answers = 1
      assert.deepInclude(yield* inTime(apply(back.id)), { state: "applied", done: 2 })
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "is reported as one that may have happened where the second answer is lost, too, with what the next call does",
    () => {
      const { layer, lost } = losingBids(2, false, { status: 502 })
      return Effect.gen(function* () {
        const { id } = yield* bidPlan()
        const error = yield* Effect.flip(inTime(apply(id)))
        assert.deepInclude(error, { _tag: "ApplyStopped", reason: "AdsOutcomeUnknown", done: 0 })
        assert.strictEqual(lost.sent, 2)
        assert.include(error.message, "It may have happened all the same")
        assert.include(
          error.message,
          "first reads what is there, and sends only what is not as wanted. Now, apply the same"
        )
        assert.deepInclude(yield* inTime(apply(id)), { state: "applied", done: 2 })
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("is told apart from a read that failed", () => {
    let isDown = false
    return Effect.gen(function* () {
      const { id } = yield* bidPlan()
      isDown = true
      const { message } = yield* Effect.flip(inTime(apply(id)))
      assert.include(message, "When that is settled, apply the same plan again")
      assert.notInclude(message, "may have happened")
    }).pipe(Effect.provide(intercepted((path) => (isDown && path.endsWith("/adverts") ? { status: 503 } : undefined))))
  })
})

describe("an article that went inactive after it was set", () => {
  it.effect.each([2, 3])("does not stop the plan where read %i is refused", (refused) => {
    let reads = 0
    return Effect.gen(function* () {
      const { id, steps } = yield* phrases
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "applied", done: steps.length })
      assert.isNotEmpty(report.unconfirmed)
    }).pipe(
      Effect.provide(
        intercepted((path, body) => {
          if (!path.endsWith("get-minus")) return undefined
          reads += 1
          if (reads < refused) return reads === 2 ? { body: { items: [] } } : undefined
          return body.includes("500101")
            ? { status: 400, body: { detail: "nm 500101 not found or inactive" } }
            : undefined
        })
      )
    )
  })
})
