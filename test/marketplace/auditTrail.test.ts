import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { Caller, CurrentAccess } from "../../src/mcp/Caller.ts"
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
        Effect.map(log(args), ({ entries }) => entries.map(({ advert_id }) => Number(advert_id)).toSorted())
      assert.deepStrictEqual(yield* ids({ since: "2026-11-20" }), [1006])
      assert.deepStrictEqual(yield* ids({ until: "2026-11-19" }), [1005])
      assert.deepStrictEqual(yield* ids({ since: "today" }), [1006])
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
