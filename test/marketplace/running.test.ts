import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import type { State } from "../../src/marketplace/embedded/State.ts"
import { Progress } from "../../src/mcp/callContext.ts"
import { Elicitation } from "../../src/mcp/Elicitation.ts"
import { bigAccount } from "./accounts.ts"
import { call, toolNamed } from "./offered.ts"
import { type Given, inTime, intercepted, plansOver } from "./support.ts"

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength

interface Sent {
  readonly path: string
  readonly id: number
  readonly at: number
}

/** The embedded shop, and the requests that start, pause and pay, each with its campaign and its time; some starts it refuses. */
const watchedShop = (
  options: Parameters<typeof EmbeddedMarketplace.layer>[0] = {},
  given: Given = {},
  isRefused: (start: number) => boolean = () => false
) => {
  const sent: Array<Sent> = []
  const reads: Array<string> = []
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
      HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const id = Number(url.searchParams.get("id"))
          if (/start|pause|deposit/.test(url.pathname)) {
            sent.push({ path: url.pathname.split("/").at(-1) ?? "", id, at })
          } else reads.push(url.pathname)
          if (url.pathname.endsWith("start") && isRefused(id)) {
            const body = JSON.stringify({ error: "AdvertChangeStatus: Low Budget: not enough budget" })
            return HttpClientResponse.fromWeb(request, new Response(body, { status: 400 }))
          }
          return yield* httpClient.execute(request)
        })
      )
    )
  )
  const layer = plansOver(given, client).pipe(
    Layer.provideMerge(EmbeddedMarketplace.layer(options)),
    Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(Date.parse("2026-11-20T07:00:00Z"))))
  )
  return { sent, reads, layer }
}

const statuses = Effect.map(
  Effect.flatMap(EmbeddedMarketplace, ({ account }) => account),
  ({ adverts }) => new Map([...adverts].map(([id, advert]) => [id, advert.status]))
)
const running = Effect.map(statuses, (all) => [...all].filter(([, status]) => status === 9).map(([id]) => id))
const budgetOf = (id: number) =>
  Effect.map(
    Effect.flatMap(EmbeddedMarketplace, ({ account }) => account),
    ({ adverts }) => adverts.get(id)?.budget
  )

const Plan = Schema.Struct({
  plan_id: Schema.String,
  digest: Schema.optionalKey(Schema.String),
  steps: Schema.Int,
  blocked_count: Schema.Int,
  blocked: Schema.Array(Schema.Struct({ what: Schema.String, reason: Schema.String })),
  warnings: Schema.Array(Schema.String)
})
const plan = (name: string, args: object) => Effect.flatMap(call(name, args), Schema.decodeUnknownEffect(Plan))
const applied = (plan_id: string, max_seconds = 600) => call("apply_plan", { plan_id, confirm: true, max_seconds })
const refused = (name: string, args: object) =>
  Effect.gen(function* () {
    const tool = yield* toolNamed(name)
    return String(yield* Effect.flip(inTime(tool.call(args))))
  })

describe("a plan of starts and pauses", () => {
  it.effect("changes many campaigns with one agreement, and its rollback brings the former statuses back", () => {
    const { layer, sent } = watchedShop()
    return Effect.gen(function* () {
      const before = yield* statuses
      const { blocked, digest, plan_id, steps } = yield* plan("ads_plan_state", {
        start: { ids: [1004, 1057, 1060] },
        pause: { name: "кружка" }
      })
      assert.strictEqual(digest, "2 campaigns start and spend their money; 3 campaigns pause.")
      assert.strictEqual(steps, 5)
      assert.deepStrictEqual(blocked, [{ what: "state 1060", reason: "it is finished, and cannot start" }])
      assert.isEmpty(sent)
      assert.deepInclude(yield* applied(plan_id), { state: "applied", done: 5 })
      const after = yield* statuses
      assert.deepStrictEqual(
        [1004, 1057, 1001, 1021, 1041].map((id) => after.get(id)),
        [9, 9, 11, 11, 11]
      )
      const back = yield* plan("plan_rollback", { plan_id })
      assert.deepInclude(yield* applied(back.plan_id), { state: "applied", done: 5 })
      assert.deepStrictEqual(yield* statuses, before)
    }).pipe(Effect.provide(layer))
  })

  /** Manual twins of some campaigns, of which all but two get money; pairs of the old campaign and its twin. */
  const twins = Effect.fnUntraced(function* (count: number) {
    const account = Effect.flatMap(EmbeddedMarketplace, (world) => world.account)
    const before = yield* account
    const old = [...before.adverts.values()]
      .filter(({ bid_type, status }) => bid_type === "auto" && status === 9)
      .slice(0, count)
    const advert_ids = old.map(({ id }) => id)
    const migration = yield* plan("ads_plan_migration", {
      advert_ids,
      target: "new-manual-campaign",
      search_percent: 200,
      recommendations_percent: 200,
      check_floors: false
    })
    yield* applied(migration.plan_id, 3600)
    const made = [...(yield* account).adverts.values()].filter(({ id }) => !before.adverts.has(id))
    const pairs = old.map(
      ({ id, name }) => [id, made.find((twin) => twin.name.startsWith(`${name} `))?.id ?? 0] as const
    )
    yield* TestClock.adjust("1 minute")
    const top_up = pairs.slice(2).map(([, advert_id]) => ({ advert_id, rubles: 1000 }))
    const money = yield* plan("ads_plan_money", { top_up })
    assert.deepInclude(yield* applied(money.plan_id), { state: "applied", done: count - 2 })
    return { pairs, migration: migration.plan_id }
  })
  /** Twins are made at once here, as this is not about them. */
  const atOnce = { limit: 100, periodMs: 1000, burst: 100 }
  const paying: Given = {
    guards: { maxTopUpRublesPerDay: 50_000 },
    limits: { createSeacatSaveAd: atOnce, setMinusPhrases: atOnce, createBudgetDeposit: atOnce }
  }

  it.effect(
    "pauses each old campaign of a switch-over once its twin runs, and leaves alone those whose twin has no money",
    () => {
      const { layer, sent } = watchedShop(
        { lagMs: 20_000, limits: "none", account: bigAccount({ campaigns: 24, articles: 2 }) },
        paying
      )
      return Effect.gen(function* () {
        const { migration, pairs } = yield* twins(8)
        yield* TestClock.adjust("5 minutes")
        sent.length = 0
        const { blocked_count, plan_id, steps } = yield* plan("ads_plan_state", { switch_over: migration })
        assert.deepStrictEqual([steps, blocked_count], [12, 4])
        assert.deepInclude(yield* applied(plan_id), { state: "applied", done: 12 })
        const after = yield* statuses
        for (const [index, [old, twin]] of pairs.entries()) {
          assert.deepStrictEqual([after.get(old), after.get(twin)], index < 2 ? [9, 4] : [11, 9])
          const pause = sent.find(({ id, path }) => path === "pause" && id === old)
          const start = sent.find(({ id, path }) => path === "start" && id === twin)
          if (index >= 2) assert.isAtLeast((pause?.at ?? 0) - (start?.at ?? Infinity), 20_000)
        }
        assert.lengthOf(sent, 12)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("leaves an old campaign running whose twin is not started", () => {
    const refusedStarts: Array<number> = []
    const { layer, sent } = watchedShop(
      { limits: "none", account: bigAccount({ campaigns: 15, articles: 1 }) },
      paying,
      (id) => refusedStarts.includes(id)
    )
    return Effect.gen(function* () {
      const { migration, pairs } = yield* twins(5)
      const [old = 0, twin = 0] = pairs[3] ?? []
      refusedStarts.push(twin)
      const { plan_id } = yield* plan("ads_plan_state", { switch_over: migration })
      const report = yield* applied(plan_id)
      assert.deepInclude(report, { state: "partly applied", done: 4, refused_count: 2 })
      assert.strictEqual((yield* statuses).get(old), 9)
      assert.isUndefined(sent.find(({ id, path }) => path === "pause" && id === old))
      refusedStarts.length = 0
      assert.deepInclude(yield* applied(plan_id), { state: "applied", done: 6 })
      assert.strictEqual((yield* statuses).get(old), 11)
      const back = yield* plan("plan_rollback", { plan_id })
      assert.deepInclude(yield* applied(back.plan_id), { state: "applied" })
      assert.deepStrictEqual(
        (yield* running).filter((id) => pairs.flat().includes(id)),
        pairs.map(([id]) => id)
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("goes on after lost answers, and starts and pauses nothing twice that was done", () => {
    const { layer, sent } = watchedShop({
      lose: ({ count, operation }) =>
        /start|pause/.test(operation) && count === 1 ? (operation.includes("start") ? "after" : "before") : undefined
    })
    return Effect.gen(function* () {
      const { plan_id } = yield* plan("ads_plan_state", { start: { ids: [1004, 1057] }, pause: { ids: [1005, 1006] } })
      assert.deepInclude(yield* applied(plan_id), { state: "applied", done: 4 })
      const after = yield* statuses
      assert.deepStrictEqual(
        [1004, 1057, 1005, 1006].map((id) => after.get(id)),
        [9, 9, 11, 11]
      )
      assert.lengthOf(
        sent.filter(({ path }) => path === "start"),
        2
      )
      assert.lengthOf(
        sent.filter(({ path }) => path === "pause"),
        3
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("ends campaigns for good, says so before, and a rollback does not pretend to bring them back", () => {
    const { layer } = watchedShop()
    return Effect.gen(function* () {
      const { blocked, digest, plan_id, steps, warnings } = yield* plan("ads_plan_state", {
        end: [1005, 1058, 1060, 1059]
      })
      assert.strictEqual(steps, 2)
      assert.strictEqual(digest, "2 campaigns end, for good.")
      assert.include(
        warnings.join(),
        "A rollback cannot undo state 1005 and 1 more: a campaign that has ended never runs"
      )
      assert.deepStrictEqual(blocked, [{ what: "state 1059", reason: "it is ready to start, and cannot end" }])
      const shown = yield* call("show_plan", { plan_id })
      assert.match(JSON.stringify(shown), /it ends for good, with [\d.]+ rub/)
      assert.deepInclude(yield* applied(plan_id), { state: "applied", done: 2 })
      const after = yield* statuses
      assert.deepStrictEqual([after.get(1005), after.get(1058)], [7, 7])
      assert.include(yield* refused("plan_rollback", { plan_id }), "never runs again")
    }).pipe(Effect.provide(layer))
  })

  it.effect("changes the placements of many campaigns and the name of one, and its rollback brings both back", () => {
    const { layer } = watchedShop()
    return Effect.gen(function* () {
      const account = Effect.flatMap(EmbeddedMarketplace, (world) => world.account)
      const placesOf = Effect.map(account, ({ adverts }) =>
        [1003, 1044, 1055].map((id) => {
          const { recommendations = false, search = false } = adverts.get(id) ?? {}
          return [search, recommendations]
        })
      )
      const before = yield* placesOf
      const places = yield* plan("ads_plan_state", {
        campaigns: { ids: [1003, 1044, 1055, 1001, 9] },
        placements: ["recommendations"]
      })
      assert.strictEqual(places.digest, "2 campaigns change their placements.")
      assert.deepStrictEqual(
        places.blocked.map(({ what }) => what),
        ["placements 1001", "placements 1055", "placements 9"]
      )
      assert.deepInclude(yield* applied(places.plan_id), { state: "applied", done: 2 })
      assert.deepStrictEqual(yield* placesOf, [[false, true], [false, true], before[2]])
      const same = { campaigns: { ids: [1003] }, placements: ["recommendations"] }
      assert.strictEqual((yield* plan("ads_plan_state", same)).steps, 0)

      const taken = { campaigns: { ids: [1003] }, name: "Кружка, основная" }
      assert.include((yield* plan("ads_plan_state", taken)).blocked[0]?.reason, "campaign 1001 has this name already")
      const broken = yield* plan("ads_plan_state", { campaigns: { ids: [1003] }, name: "a\nb" })
      assert.include(broken.blocked[0]?.reason, "a name is a single line")
      const named = yield* plan("ads_plan_state", { campaigns: { name: "блокнот, основная" }, name: "Тетрадь" })
      assert.deepInclude(yield* applied(named.plan_id), { state: "applied", done: 1 })
      assert.strictEqual((yield* account).adverts.get(1003)?.name, "Тетрадь")
      for (const { plan_id } of [places, named]) {
        const back = yield* plan("plan_rollback", { plan_id })
        assert.deepInclude(yield* applied(back.plan_id), { state: "applied" })
      }
      assert.deepStrictEqual(yield* placesOf, before)
      assert.strictEqual((yield* account).adverts.get(1003)?.name, "Блокнот, основная")
    }).pipe(Effect.provide(layer))
  })

  it.effect("warns that a twin of a migration is not known any more by another name", () => {
    const { layer } = watchedShop()
    return Effect.gen(function* () {
      const moved = yield* plan("ads_plan_migration", {
        advert_ids: [1001],
        target: "new-manual-campaign",
        search_percent: 200,
        recommendations_percent: 200
      })
      yield* applied(moved.plan_id)
      const { warnings } = yield* plan("ads_plan_state", { campaigns: { name: "(manual, 1001)" }, name: "Кружки" })
      assert.include(warnings.join(), "a migration of 1001 creates another")
    }).pipe(Effect.provide(layer))
  })

  it.effect("takes only the campaigns that meet all of a selection, ids included", () => {
    const { layer } = watchedShop()
    return Effect.gen(function* () {
      const { blocked, steps } = yield* plan("ads_plan_state", { pause: { ids: [1001, 1002, 9], name: "лампа" } })
      assert.strictEqual(steps, 1)
      assert.deepStrictEqual(blocked, [{ what: "state 9", reason: "there is no such campaign" }])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    [{}, "Invalid start: must be given"],
    [{ placements: ["search"] }, "Invalid campaigns: must say whose name or placements"],
    [{ campaigns: { ids: [1003] } }, "Invalid campaigns: must come with placements or name"],
    [{ campaigns: { ids: [1003, 1004] }, name: "x" }, "Invalid name: must be for one campaign, and campaigns names 2"],
    [{ campaigns: { ids: [1003] }, name: " " }, "Invalid name: must not be blank"],
    [{ campaigns: { ids: [1003] }, placements: [] }, "Invalid placements: must not be empty"],
    [{ end: [] }, "Invalid end: must not be empty"],
    [{ start: {} }, "Invalid start: must name campaigns"],
    [{ pause: { ids: [] } }, "Invalid pause.ids: must not be empty"],
    [{ pause: { ids: Array.from({ length: 10_000 }, (_, id) => id + 1) } }, "must be at most 3000"],
    [{ pause: { name: "x", colour: "red" } }, "Invalid pause.colour"],
    [{ switch_over: "bids-1-1" }, "There is no plan bids-1-1"],
    [{ undo_pause: "pause-x" }, "Invalid undo_pause: must be the pause_id"]
  ] as const)("needs something to do: %o", ([args, problem]) =>
    Effect.gen(function* () {
      assert.include(yield* refused("ads_plan_state", args), problem)
    }).pipe(Effect.provide(watchedShop().layer))
  )
})

/** An account of so many campaigns that are paused. */
const paused = (campaigns: number): State => {
  const { adverts, ...rest } = bigAccount({ campaigns, articles: 1 })
  return { ...rest, adverts: new Map([...adverts].map(([id, advert]) => [id, { ...advert, status: 11 }])) }
}

describe("the brake", () => {
  it.effect(
    "pauses everything that runs in one call of 2 kB, the first within a second, and undoes that by a plan",
    () => {
      const { layer, reads, sent } = watchedShop()
      const steps: Array<number> = []
      return Effect.gen(function* () {
        const before = yield* running
        const begun = yield* Clock.currentTimeMillis
        const shown = yield* call("ads_pause_campaign", { all: true })
        assert.deepInclude(shown, { done: false, still_running: before.length })
        assert.isEmpty(sent)
        reads.length = 0
        const answer = yield* call("ads_pause_campaign", { all: true, confirm: true })
        assert.deepInclude(answer, { done: true, paused: before.length, still_running: 0 })
        assert.isAtMost(bytes(answer), 2000)
        assert.isEmpty(yield* running)
        assert.deepStrictEqual(reads, ["/api/advert/v2/adverts"])
        assert.isAtMost((sent[0]?.at ?? Infinity) - begun, 1000)
        assert.isAtMost((sent.at(-1)?.at ?? Infinity) - (sent[0]?.at ?? 0), (before.length / 5) * 1000 + 1000)
        assert.lengthOf(steps, before.length)
        const { pause_id } = Object(answer)
        // As where a server was killed before it had answered.
        const again = Object(yield* call("ads_pause_campaign", { all: true, confirm: true }))
        assert.deepInclude(again, { done: true, paused: 0, pause_id })
        assert.include(again.next, pause_id)
        const undo = yield* plan("ads_plan_state", { undo_pause: pause_id })
        assert.strictEqual(undo.steps, before.length)
        yield* applied(undo.plan_id)
        assert.deepStrictEqual(yield* running, before)
      }).pipe(
        Effect.provideService(Progress, ({ progress }) => Effect.sync(() => void steps.push(progress))),
        Effect.provide(layer)
      )
    }
  )

  it.effect("goes on with the same call where there are thousands, five a second from the start, and asks once", () => {
    const { layer, sent } = watchedShop({ account: bigAccount({ campaigns: 1200, articles: 1 }) })
    let asked = 0
    const ask = () => Effect.sync(() => (asked++, { _tag: "Accepted" as const, content: { agree: true } }))
    return Effect.gen(function* () {
      const total = (yield* running).length
      const ids = new Set<unknown>()
      let answer = Object(yield* call("ads_pause_campaign", { all: true, confirm: true }))
      assert.isAbove(answer.paused, 200)
      assert.deepInclude(answer, { done: false, still_running: total - answer.paused })
      for (; !answer.done; answer = Object(yield* call("ads_pause_campaign", { all: true, confirm: true }))) {
        ids.add(answer.pause_id)
      }
      assert.isEmpty(yield* running)
      assert.lengthOf(sent, total)
      assert.strictEqual(ids.size, 1)
      assert.strictEqual(asked, 1)
      assert.isAtMost((sent.at(-1)?.at ?? Infinity) - (sent[0]?.at ?? 0), (total / 5) * 1000 * 1.15)
    }).pipe(Effect.provideService(Elicitation, { ask }), Effect.provide(layer))
  })

  it.effect("tells what it could not pause and what it may not, and is recorded for each campaign", () => {
    const allowedCampaigns = [1001, 1002, 1003]
    const { layer } = watchedShop(
      {
        lose: ({ count, operation }) =>
          operation.endsWith("/pause") && (count === 3 || count === 4) ? "before" : undefined
      },
      { guards: { allowedCampaigns } }
    )
    return Effect.gen(function* () {
      assert.include(yield* refused("ads_pause_campaign", { advert_ids: [1001, 1009] }), "guard allowedCampaigns")
      const answer = Object(yield* call("ads_pause_campaign", { all: true, confirm: true }))
      assert.deepInclude(answer, { done: false, paused: 2 })
      assert.lengthOf(answer.failed, 1)
      assert.include(answer.next, "guards.allowedCampaigns does not name")
      yield* call("ads_pause_campaign", { all: true, confirm: true })
      const left = yield* running
      for (const id of allowedCampaigns) assert.notInclude(left, id)
      assert.include(left, 1009)
    }).pipe(Effect.provide(layer))
  })

  it.effect("works amid an apply, which then leaves nothing undone", () => {
    const { layer } = watchedShop()
    return Effect.gen(function* () {
      const changes = Array.from({ length: 7 }, (_, at) => ({ advert_id: 1005, nm_id: 500_501 + at, bid_rubles: 200 }))
      const { plan_id } = yield* plan("ads_plan_bids", { changes })
      const applying = yield* Effect.forkChild(applied(plan_id))
      assert.deepInclude(yield* call("ads_pause_campaign", { all: true, confirm: true }), { done: true })
      assert.deepInclude(yield* Fiber.join(applying), { state: "applied", done: 7 })
      assert.isEmpty(yield* running)
    }).pipe(Effect.provide(layer))
  })

  it.effect("stops the starts of a plan amid its apply, and whatever was started before", () => {
    const { layer, sent } = watchedShop({ lagMs: 20_000, account: paused(60) })
    return Effect.gen(function* () {
      const { plan_id, steps } = yield* plan("ads_plan_state", { start: { statuses: [11] } })
      assert.strictEqual(steps, 60)
      const applying = yield* Effect.forkChild(applied(plan_id))
      while (sent.length < 12) yield* TestClock.adjust(100)
      assert.deepInclude(yield* call("ads_pause_campaign", { all: true, confirm: true }), {
        done: true,
        still_running: 0
      })
      const report = Object(yield* Fiber.join(applying))
      assert.deepInclude(report, { state: "partly applied" })
      assert.include(JSON.stringify(report.refused), "it starts nothing more: plan it anew")
      const again = Object(yield* applied(plan_id))
      assert.strictEqual(again.refused_count, report.refused_count)
      yield* TestClock.adjust("5 minutes")
      assert.isEmpty(yield* running)
      const anew = yield* plan("ads_plan_state", { start: { ids: [7000] } })
      assert.deepInclude(yield* applied(anew.plan_id), { state: "applied", done: 1 })
    }).pipe(Effect.provide(layer))
  })

  it.effect("pauses where nobody may list the campaigns for an hour", () => {
    const { layer } = watchedShop({ limits: "base" }, { tokenKind: "base", maxWaitSeconds: 1 })
    return Effect.gen(function* () {
      yield* call("ads_list_campaigns")
      assert.deepInclude(yield* call("ads_pause_campaign", { advert_id: 1001, confirm: true }), { paused: 1 })
      assert.notInclude(yield* running, 1001)
      yield* TestClock.adjust("15 minutes")
      assert.deepInclude(yield* call("ads_pause_campaign", { all: true }), { still_running: 54 })
    }).pipe(Effect.provide(layer))
  })

  const anotherShape = { body: { adverts: [{ id: 1001, bid_type: "new" }] } }
  const noAnswer = { status: 500, text: "" }

  it.effect.each([
    [anotherShape, /adverts$/, { all: true }, [1001, 1002, 1003]],
    [anotherShape, /adverts$/, { advert_id: 1001 }, [1001]],
    [noAnswer, /adverts$|count$/, { advert_id: 1001 }, [1001]],
    [noAnswer, /adverts$|count$/, { advert_ids: [1001, 1004] }, [1001]]
  ] as const)(
    "pauses where %o comes for the campaigns, and undoes no more than that",
    ([reply, path, args, paused]) => {
      let isBroken = true
      const layer = intercepted((name) => (isBroken && path.test(name) ? reply : undefined), {}, { limits: "none" })
      return Effect.gen(function* () {
        const before = yield* statuses
        const { done, pause_id } = Object(yield* call("ads_pause_campaign", { ...args, confirm: true }))
        assert.isTrue(done)
        const after = yield* statuses
        const changed = [...after].filter(([id, now]) => before.get(id) !== now).map(([id]) => id)
        assert.deepStrictEqual(changed, [...paused])
        isBroken = false
        assert.strictEqual((yield* plan("ads_plan_state", { undo_pause: pause_id })).steps, paused.length)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect.each([
    [{}, "must have exactly one of advert_id, advert_ids, all true"],
    [{ all: false }, "must have exactly one of"],
    [{ all: true, advert_id: 1001 }, "must have exactly one of"],
    [{ advert_ids: [] }, "Invalid advert_ids: must not be empty"],
    [{ advert_ids: Array.from({ length: 10_000 }, (_, id) => id + 1) }, "must be at most 3000 ids: use all"]
  ] as const)("names what it cannot take: %o", ([args, problem]) =>
    Effect.gen(function* () {
      assert.include(yield* refused("ads_pause_campaign", { ...args, confirm: true }), problem)
    }).pipe(Effect.provide(watchedShop().layer))
  )
})

describe("a plan of money", () => {
  const guards = { maxTopUpRublesPerDay: 5000 }
  const topUp = (advert_id: number, rubles: number) => ({ top_up: [{ advert_id, rubles }] })

  it.effect("is not made until the configuration says how much it may move", () =>
    Effect.gen(function* () {
      const { blocked, steps } = yield* plan("ads_plan_money", topUp(1012, 1000))
      assert.strictEqual(steps, 0)
      assert.include(blocked[0]?.reason, "marketplace.guards.maxTopUpRublesPerDay")
    }).pipe(Effect.provide(watchedShop().layer))
  )

  it.effect("tops a budget up for good, and says so", () => {
    const { layer, sent } = watchedShop({}, { guards })
    return Effect.gen(function* () {
      const before = (yield* budgetOf(1059)) ?? 0
      const { digest, plan_id, warnings } = yield* plan("ads_plan_money", topUp(1059, 2000))
      assert.strictEqual(digest, "2000 rub go into the budget of 1 campaign, for good.")
      assert.include(warnings.join(" "), "A rollback cannot undo deposit 1059: money that is in a budget stays there")
      assert.isEmpty(sent)
      assert.deepInclude(yield* applied(plan_id), { state: "applied", done: 1 })
      assert.strictEqual(yield* budgetOf(1059), before + 2000)
      assert.include(yield* refused("plan_rollback", { plan_id }), "money that is in a budget stays there")
    }).pipe(Effect.provide(layer))
  })

  it.effect.each(["after", "before"] as const)(
    "sends nothing twice where the answer is lost %s it was carried out",
    (when) => {
      const { layer, sent } = watchedShop(
        { lose: ({ operation }) => (operation.includes("deposit") ? when : undefined) },
        { guards }
      )
      return Effect.gen(function* () {
        const { plan_id } = yield* plan("ads_plan_money", topUp(1059, 2000))
        const tool = yield* toolNamed("apply_plan")
        const apply = () => Effect.result(inTime(tool.call({ plan_id, confirm: true, max_seconds: 600 })))
        for (let times = 0; times < 4; times++) {
          yield* apply()
          yield* TestClock.adjust("5 minutes")
        }
        assert.lengthOf(sent, 1)
        assert.strictEqual(yield* budgetOf(1059), when === "after" ? 2000 : 0)
        assert.deepInclude(yield* call("show_plan", { plan_id }), when === "after" ? { state: "applied" } : { done: 0 })
        // What may have been sent counts for the day.
        const more = yield* plan("ads_plan_money", topUp(1012, 4000))
        assert.include(more.blocked[0]?.reason, "6000 rub within 24 hours are more than 5000")
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("counts all plans of a day, when it is made and again when it is applied", () => {
    const { layer, sent } = watchedShop({}, { guards })
    return Effect.gen(function* () {
      const [one, other] = yield* Effect.forEach([1012, 1026], (id) => plan("ads_plan_money", topUp(id, 3000)))
      yield* applied(one?.plan_id ?? "")
      assert.include(
        yield* refused("apply_plan", { plan_id: other?.plan_id, confirm: true }),
        "6000 rub within 24 hours are more than 5000"
      )
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust("25 hours")
      assert.strictEqual((yield* plan("ads_plan_money", topUp(1026, 5000))).steps, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("sets daily limits of campaigns that pay for clicks, and takes them back", () => {
    const { layer } = watchedShop({}, { guards })
    const limits = Effect.map(
      Effect.flatMap(EmbeddedMarketplace, ({ account }) => account),
      ({ dailyLimits }) => [1055, 1056].map((id) => dailyLimits.get(id))
    )
    return Effect.gen(function* () {
      const tooLow = yield* plan("ads_plan_money", { daily_limits: [{ advert_id: 1055, rubles: "0.004" }] })
      assert.include(tooLow.blocked[0]?.reason, "a daily limit must be above 0")
      const { blocked, plan_id, steps } = yield* plan("ads_plan_money", {
        daily_limits: [
          { advert_id: 1055, rubles: 700 },
          { advert_id: 1056, rubles: 10 },
          { advert_id: 1001, rubles: 700 }
        ]
      })
      assert.strictEqual(steps, 1)
      assert.deepStrictEqual(
        blocked.map(({ reason }) => reason),
        [
          "only campaigns that pay for clicks (cpc) have daily limits",
          "10.00 rub are below the least daily limit of 500.00 rub"
        ]
      )
      assert.deepInclude(yield* applied(plan_id), { state: "applied" })
      assert.deepInclude((yield* limits)[0], { enabled: true, dailyLimit: 70_000 })
      const back = yield* plan("plan_rollback", { plan_id })
      assert.deepInclude(yield* applied(back.plan_id), { state: "applied" })
      assert.deepInclude((yield* limits)[0], { enabled: false })
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    [{}, "Invalid top_up: must be given, or daily_limits"],
    [{ top_up: [] }, "Invalid top_up: must not be empty"],
    [topUp(1001, -1), "must be above 0"],
    [topUp(1001, 0.5), "must be whole rubles"],
    [{ top_up: [{ advert_id: 1001, rubles: 1000, purse: "x" }] }, "Invalid top_up.0.purse"]
  ] as const)("names what it cannot take: %o", ([args, problem]) =>
    Effect.gen(function* () {
      assert.include(yield* refused("ads_plan_money", args), problem)
    }).pipe(Effect.provide(watchedShop({}, { guards }).layer))
  )
})

describe("recommended bids", () => {
  it.effect("stand beside the lowest ones, with those of search clusters, for a few articles at once", () =>
    Effect.gen(function* () {
      const { articles } = Object(
        yield* call("ads_min_bids", { advert_id: 1043, nm_ids: [504_301], recommended: true })
      )
      const [{ lowest, recommended }] = articles
      assert.isAbove(Number(recommended.competitive), Number(lowest.search.rubles))
      assert.isAbove(Number(recommended.top), Number(recommended.competitive))
      assert.isAbove(Number(recommended.clusters[0].max), Number(recommended.clusters[0].min))
      assert.include(
        yield* refused("ads_min_bids", { advert_id: 1043, recommended: true }),
        "Invalid nm_ids: must name at most 5 articles with recommended"
      )
    }).pipe(Effect.provide(watchedShop().layer))
  )
})
