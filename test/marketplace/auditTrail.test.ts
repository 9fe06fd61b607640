import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"

import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { Caller, CurrentAccess } from "../../src/mcp/callContext.ts"
import { call, toolNamed } from "./offered.ts"
import { embeddedClient, inTime, plansOver } from "./support.ts"

const shop = Layer.provideMerge(
  plansOver({}, embeddedClient).pipe(Layer.provideMerge(EmbeddedMarketplace.layer({ limits: "none" }))),
  Layer.effectDiscard(TestClock.setTime(Date.parse("2026-11-19T07:00:00Z")))
)

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength

const Log = Schema.Struct({ total: Schema.Int, entries: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
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
  const cabinet = Effect.fnUntraced(function* (method: "GET" | "PATCH", path: string, body?: unknown) {
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
