import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"

import { offered, readTools } from "../../src/tools/marketplace/toolset.ts"
import { ToolsetError } from "../../src/tools/ToolError.ts"
import { intercepted, inTime, marketplace } from "./support.ts"

const call = Effect.fnUntraced(function* (name: string, args: object) {
  const tool = (yield* offered).find((one) => one.name === name)
  return tool === undefined ? yield* Effect.die(`no tool ${name}`) : yield* tool.call(args)
})

const secondsOf = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    const result = yield* inTime(program, 1000)
    return { result, seconds: ((yield* Clock.currentTimeMillis) - begun) / 1000 }
  })

/** A marketplace that lets everybody wait for nearly a minute, once each operation, from when the test says so. */
const slow = (isSlow = () => true) => {
  const seen = new Set<string>()
  return intercepted((path) => {
    if (!isSlow() || seen.has(path)) return undefined
    seen.add(path)
    return { status: 429, headers: { "x-ratelimit-retry": "58" } }
  })
}

describe("a caller does not wait in vain", () => {
  it.effect("for the statistics of a year, and hears how to get them", () =>
    Effect.gen(function* () {
      const year = { ids: [1001], from: "2025-01-01", to: "2025-12-31" }
      const { result, seconds } = yield* secondsOf(Effect.flip(call("ads_campaign_stats", year)))
      assert.instanceOf(result, ToolsetError)
      assert.deepInclude(Object(result), { blame: "upstream", code: "ADS_TOO_LONG", details: { seconds: 55 } })
      assert.match(String(result), /^.*within 55 seconds.*Ask for fewer days, campaigns or articles at once/)
      assert.isAtMost(seconds, 56)
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("and has the statistics of a month", () =>
    Effect.gen(function* () {
      const month = { ids: [1001], from: "2025-01-01", to: "2025-01-31" }
      const { structured } = yield* call("ads_campaign_stats", month)
      assert.deepInclude(Object(structured), { total: 1 })
    }).pipe(Effect.provide(marketplace()))
  )

  const day = { from: "2026-01-01", to: "2026-01-07" }
  const pair = { advert_id: 1003, nm_id: 500301 }
  const asked: Readonly<Record<string, object>> = {
    ads_check_key: {},
    ads_list_campaigns: {},
    ads_get_campaign: { advert_id: 1001 },
    ads_campaign_stats: { ids: [1001], ...day },
    ads_cluster_stats: { items: [pair], ...day },
    ads_keyword_stats: { advert_id: 1001, ...day },
    ads_get_minus_phrases: { items: [pair] },
    ads_min_bids: { advert_id: 1001 },
    ads_plan_bids: { changes: [{ ...pair, bid_rubles: 300 }] },
    ads_plan_minus_phrases: { advert_id: 1001, phrases: ["toy"], mode: "merge" },
    ads_plan_products: { advert_id: 1001, add_nms: [5] },
    ads_plan_cluster_bids: { changes: [{ ...pair, norm_query: "diary", bid_rubles: 300 }] },
    ads_plan_migration: {},
    ads_plan_campaign: { name: "New", nms: [1] }
  }
  const ofPlans = ["ads_show_plan", "ads_rollback", "ads_audit_log"]

  it("with any tool that reads from the marketplace", () => {
    assert.deepStrictEqual(
      readTools.map(({ name }) => name),
      [...Object.keys(asked), ...ofPlans]
    )
  })

  it.effect.each(Object.entries(asked))("for %s", ([name, args]) =>
    Effect.gen(function* () {
      const { result, seconds } = yield* secondsOf(Effect.flip(call(name, args)))
      assert.deepInclude(Object(result), { code: "ADS_TOO_LONG" })
      assert.isAtMost(seconds, 56)
    }).pipe(Effect.provide(slow()))
  )

  it.effect("but a way back, which cannot be asked for in parts, takes the time that it needs", () => {
    let isSlow = false
    return Effect.gen(function* () {
      const changes = [{ advert_id: 1001, nm_id: 500101, bid_rubles: 260 }]
      const { plan_id } = Object((yield* call("ads_plan_bids", { changes })).structured)
      yield* inTime(call("ads_apply_plan", { plan_id, confirm: true }))
      isSlow = true
      const { result, seconds } = yield* secondsOf(call("ads_rollback", { plan_id }))
      assert.deepInclude(Object(result.structured), { reverses: plan_id, steps: 1 })
      assert.isAbove(seconds, 57)
    }).pipe(Effect.provide(slow(() => isSlow)))
  })

  it.effect("but a write is not cut off: it goes on until it is done", () =>
    Effect.gen(function* () {
      const { result, seconds } = yield* secondsOf(call("ads_pause_campaign", { advert_id: 1001, confirm: true }))
      assert.deepInclude(Object(result.structured), { done: true })
      assert.isAbove(seconds, 100)
    }).pipe(Effect.provide(slow()))
  )
})
