import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"

import {
  EmbeddedMarketplace,
  type EmbeddedMarketplaceOptions
} from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { Caller, CurrentAccess, GatheringSeconds } from "../../src/mcp/callContext.ts"
import { call, toolNamed } from "./offered.ts"
import { embeddedClient, type Given, inTime, plansOver } from "./support.ts"

const shopWith = (given: Given, options: EmbeddedMarketplaceOptions = {}) =>
  Layer.provideMerge(
    plansOver(given, embeddedClient).pipe(
      Layer.provideMerge(EmbeddedMarketplace.layer({ limits: "none", ...options }))
    ),
    Layer.effectDiscard(TestClock.setTime(Date.parse("2026-11-19T07:00:00Z")))
  )
const shop = shopWith({})
/** A shop whose phrases are told at a pace that leaves no time for all of them in a second. */
const slowShop = shopWith({ limits: { getMinusPhrases: { limit: 1, periodMs: 700, burst: 1 } } })

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength

const Log = Schema.Struct({
  total: Schema.Int,
  entries: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  next: Schema.String
})
const log = (args: object = {}) => Effect.flatMap(call("audit_log", args), Schema.decodeUnknownEffect(Log))

const client = { tool: undefined, client: "Assistant 3.1", reason: undefined, id: undefined }
/** Calls of a client in the name of somebody with a login. */
const as =
  (subject: string) =>
  <A, E, R>(program: Effect.Effect<A, E, R>) =>
    program.pipe(
      Effect.provideService(Caller, client),
      Effect.provideService(CurrentAccess, { subject, issuer: "https://login.example", mayChange: true })
    )

const lowered = Effect.gen(function* () {
  const rules = [{ when: ["drr_percent > 15"], at_least: { clicks: 50 }, do: "bid", percent: -20 }]
  const { plan_id, steps } = Object(yield* call("ads_plan_rules", { rules }))
  yield* call("apply_plan", { plan_id, confirm: true, max_seconds: 600 })
  return { plan_id, steps }
})

describe("the audit log", () => {
  it.effect("tells yesterday's changes and who made them in one call of 2 kB", () =>
    Effect.gen(function* () {
      const { plan_id, steps } = yield* as("anna@shop")(lowered)
      const { pause_id } = Object(
        yield* as("boris@shop")(call("ads_pause_campaign", { advert_ids: [1005, 1006, 1007], confirm: true }))
      )
      yield* as("boris@shop")(call("ads_pause_campaign", { advert_id: 1008, confirm: true }))
      yield* TestClock.adjust("24 hours")
      yield* call("ads_pause_campaign", { advert_id: 1009, confirm: true })
      const answer = yield* call("audit_log", { plans: true, since: "yesterday", until: "yesterday" })
      assert.isAtMost(bytes(answer), 2000)
      const { entries } = yield* Schema.decodeUnknownEffect(Log)(answer)
      assert.lengthOf(entries, 3)
      assert.deepInclude(entries[0], { advert_id: 1008, outcome: "done", who: "Assistant 3.1 as boris@shop" })
      assert.deepInclude(entries[1], { pause_id, done: 3, who: "Assistant 3.1 as boris@shop" })
      assert.deepInclude(entries[2], { plan_id, steps, done: steps, changed_by: "Assistant 3.1 as anna@shop" })
      assert.match(String(entries[2]?.["digest"]), /bids fall/)
    }).pipe(Effect.provide(shop))
  )

  it.effect("has one row for what was begun and done, with who has sent it", () =>
    Effect.gen(function* () {
      const { plan_id, steps } = yield* as("anna@shop")(lowered)
      const { entries } = yield* log({ plan_id, limit: 500 })
      const done = entries.filter(({ what }) => what === "done")
      assert.lengthOf(done, steps)
      assert.isTrue(done.every(({ who }) => who === "Assistant 3.1 as anna@shop"))
      assert.isEmpty(entries.filter(({ what }) => what === "begun"))
      yield* call("ads_pause_campaign", { advert_id: 1008, confirm: true })
      const pauses = yield* log({ subject: "1008" })
      assert.deepStrictEqual(
        pauses.entries.filter(({ what }) => what === "pause the campaign").map(({ outcome }) => outcome),
        ["done"]
      )
    }).pipe(Effect.provide(shop))
  )

  it.effect("counts days of Moscow, and takes an end", () =>
    Effect.gen(function* () {
      const pause = (advert_id: number) => call("ads_pause_campaign", { advert_id, confirm: true })
      yield* TestClock.setTime(Date.parse("2026-11-19T20:59:00Z"))
      yield* pause(1005)
      yield* TestClock.setTime(Date.parse("2026-11-19T21:05:00Z"))
      yield* pause(1006)
      const ids = (args: object) =>
        Effect.map(log(args), ({ entries }) =>
          entries.map(({ advert_id }) => Number(advert_id)).toSorted((a, b) => a - b)
        )
      assert.deepStrictEqual(yield* ids({ since: "2026-11-20" }), [1006])
      assert.deepStrictEqual(yield* ids({ until: "2026-11-19" }), [1005])
      assert.deepStrictEqual(yield* ids({ since: "today" }), [1006])
      assert.deepStrictEqual(yield* ids({ since: "Friday" }), [1006])
      assert.deepStrictEqual(yield* ids({ since: "thursday" }), [1005, 1006])
      assert.deepStrictEqual(yield* ids({ since: "2026-11-19", until: "2026-11-20" }), [1005, 1006])
      assert.deepStrictEqual(yield* ids({ until: "2026-11-19T21:00:00Z" }), [1005])
    }).pipe(Effect.provide(shop))
  )

  it.effect.each([
    [{ since: "soon" }, "Invalid since: must be a day or a moment, such as today, yesterday"],
    [{ until: "2026-11-19T10:00" }, "Invalid until: must be a day or a moment"],
    [{ since: "2026-11-20", until: "2026-11-18" }, "Invalid since: must not be after until"]
  ] as const)("names what it cannot take: %o", ([args, problem]) =>
    Effect.gen(function* () {
      const tool = yield* toolNamed("audit_log")
      assert.include(String(yield* Effect.flip(inTime(tool.call(args)))), problem)
    }).pipe(Effect.provide(shop))
  )
})

describe("what was changed elsewhere", () => {
  const elsewhere = (args: object = {}) => log({ changed_elsewhere: true, ...args })
  const places = (args: object = {}) =>
    Effect.map(elsewhere(args), ({ entries }) => entries.map(({ what }) => String(what)).toSorted())

  /** Somebody in the seller's cabinet, past this server. */
  const cabinet = Effect.fnUntraced(function* (method: "GET" | "PATCH" | "POST" | "PUT", path: string, body?: unknown) {
    const { apiKey, host, httpClient } = yield* EmbeddedMarketplace
    const bare = HttpClientRequest.make(method)(host + path, { headers: { authorization: Redacted.value(apiKey) } })
    yield* httpClient.execute(body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body))
  })
  const bid = (nm_id: number, bid_kopecks: number) => ({
    bids: [{ advert_id: 1005, nm_bids: [{ nm_id, bid_kopecks, placement: "combined" }] }]
  })

  it.effect("is told, and what plans and pauses of ours have changed is not", () =>
    Effect.gen(function* () {
      assert.isEmpty(yield* places())
      yield* TestClock.adjust("1 hour")
      yield* lowered
      yield* call("ads_pause_campaign", { advert_id: 1006, confirm: true })
      yield* call("ads_pause_campaign", { advert_ids: [1007, 1008], confirm: true })
      assert.isEmpty(yield* places())
      yield* TestClock.adjust("1 hour")
      yield* cabinet("PATCH", "/api/advert/v1/bids", bid(500_501, 39_900))
      yield* cabinet("GET", "/adv/v0/pause?id=1009")
      const { entries } = yield* elsewhere()
      assert.sameDeepMembers(
        entries.map(({ after, what }) => [what, after]),
        [
          ["bid 1005/500501/combined", "399.00 rub"],
          ["state 1009", "paused"]
        ]
      )
      assert.isEmpty(yield* places())
    }).pipe(Effect.provide(shop))
  )

  const setPhrases = (nm_id: number, norm_queries: ReadonlyArray<string>) =>
    cabinet("POST", "/adv/v0/normquery/set-minus", { advert_id: 1003, nm_id, norm_queries })
  const inCabinet = Effect.gen(function* () {
    yield* setPhrases(500_301, ["тетрадь", "ежедневник"])
    yield* cabinet("POST", "/adv/v0/normquery/bids", {
      bids: [{ advert_id: 1003, nm_id: 500_302, norm_query: "блокнот", bid: 41_000 }]
    })
    yield* cabinet("PUT", "/adv/v0/auction/placements", {
      placements: [{ advert_id: 1044, placements: { search: true, recommendations: false } }]
    })
    yield* cabinet("PUT", "/api/advert/v0/daily-limits", { advertIds: [1055], enabled: true, dailyLimit: 70_000 })
  })

  it.effect("is told of phrases, cluster bids, placements and daily limits, with what was before", () =>
    Effect.gen(function* () {
      yield* places()
      yield* TestClock.adjust("1 hour")
      yield* inCabinet
      const { entries } = yield* elsewhere()
      assert.sameDeepMembers(
        entries.map(({ after, before, what }) => [what, before, after]),
        [
          ["phrases 1003/500301", "1 phrase", '2 phrases: no longer shown for "тетрадь"'],
          ["cluster 1003/500302/блокнот", "none", "410.00 rub"],
          ["placements 1044", "search, recommendations", "search"],
          ["limit 1055", "none", "700.00 rub"]
        ]
      )
      assert.isEmpty(yield* places())
    }).pipe(Effect.provide(shop))
  )

  it.effect("is not told of what plans of ours have set there, and is told of what others have added to it", () =>
    Effect.gen(function* () {
      yield* places()
      const plans: ReadonlyArray<readonly [string, object]> = [
        [
          "ads_plan_minus_phrases",
          { advert_id: 1003, nm_ids: [500_301, 500_302], phrases: ["тетрадь"], mode: "merge" }
        ],
        [
          "ads_plan_cluster_bids",
          {
            changes: [
              { advert_id: 1003, nm_id: 500_302, norm_query: "блокнот", bid_rubles: 410 },
              { advert_id: 1003, nm_id: 500_302, norm_query: "блокнот в подарок", drop: true }
            ]
          }
        ],
        ["ads_plan_state", { campaigns: { ids: [1044] }, placements: ["search"] }],
        ["ads_plan_state", { campaigns: { ids: [1045] }, name: "Плед" }],
        ["ads_plan_money", { daily_limits: [{ advert_id: 1055, rubles: 700 }] }]
      ]
      for (const [tool, args] of plans) {
        const { plan_id } = Object(yield* call(tool, args))
        assert.deepInclude(yield* call("apply_plan", { plan_id, confirm: true }), { state: "applied" }, tool)
      }
      yield* setPhrases(500_302, ["тетрадь", "альбом"])
      const { entries } = yield* elsewhere()
      assert.deepStrictEqual(
        entries.map(({ after, what }) => [what, after]),
        [["phrases 1003/500302", '2 phrases: no longer shown for "альбом"']]
      )
    }).pipe(Effect.provide(shopWith({ wire: "spec", guards: { maxTopUpRublesPerDay: 1000 } })))
  )

  it.effect("says what was not compared, and comes to it with the next calls", () =>
    Effect.gen(function* () {
      const tool = yield* toolNamed("audit_log")
      const ask = Effect.map(
        Effect.provideService(inTime(tool.call({ changed_elsewhere: true })), GatheringSeconds, 1),
        ({ structured }) => String(Object(structured).next)
      )
      const left = yield* ask
      assert.match(left, /The phrases and cluster bids of \d+ articles are not compared: there was no time/)
      let last = left
      for (let calls = 0; calls < 8; calls++) last = yield* ask
      assert.include(last, "are not compared")
      yield* inCabinet
      const told = new Set<string>()
      for (let calls = 0; calls < 8; calls++) {
        const { entries } = yield* Effect.provideService(elsewhere(), GatheringSeconds, 1)
        for (const { what } of entries) told.add(String(what))
      }
      assert.include([...told], "phrases 1003/500301")
    }).pipe(Effect.provide(slowShop))
  )

  it.effect("says that phrases are closed to the seller where they are, and tells the rest", () =>
    Effect.gen(function* () {
      yield* places()
      yield* cabinet("GET", "/adv/v0/pause?id=1009")
      const { entries, next } = yield* elsewhere()
      assert.deepStrictEqual(
        entries.map(({ what }) => what),
        ["state 1009"]
      )
      assert.include(next, "are not compared: Could not read minus-phrases")
    }).pipe(Effect.provide(shopWith({}, { isPhrasesClosed: true })))
  )

  it.effect("is told where somebody has overwritten what a plan has set, page by page", () =>
    Effect.gen(function* () {
      yield* places()
      const changes = [500_501, 500_502].map((nm_id) => ({ advert_id: 1005, nm_id, bid_rubles: 200 }))
      const { plan_id } = Object(yield* call("ads_plan_bids", { changes }))
      yield* call("apply_plan", { plan_id, confirm: true })
      yield* cabinet("PATCH", "/api/advert/v1/bids", bid(500_501, 39_900))
      yield* cabinet("PATCH", "/api/advert/v1/bids", bid(500_503, 39_900))
      const pages = [yield* places({ limit: 1 }), yield* places({ limit: 1, offset: 1 })]
      assert.deepStrictEqual(pages.flat().toSorted(), ["bid 1005/500501/combined", "bid 1005/500503/combined"])
      const tool = yield* toolNamed("audit_log")
      const error = yield* Effect.flip(inTime(tool.call({ changed_elsewhere: true, since: "today" })))
      assert.include(String(error), "Invalid changed_elsewhere: must be given alone")
    }).pipe(Effect.provide(shop))
  )
})
