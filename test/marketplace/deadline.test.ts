import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"

import type { KeyKind } from "../../src/marketplace/client/ApiKey.ts"
import { readTools } from "../../src/marketplace/tools/catalog.ts"
import { ToolError } from "../../src/mcp/ToolError.ts"
import { toolNamed } from "./offered.ts"
import { intercepted, inTime, marketplace } from "./support.ts"

const call = Effect.fnUntraced(function* (name: string, args: object) {
  const tool = yield* toolNamed(name)
  return yield* tool.call(args)
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

describe("the deadline of the marketplace's tools", () => {
  const manyIds = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
  const manyPairs = (count: number) => manyIds(count).map((nm_id) => ({ advert_id: 1003, nm_id }))
  const year = { from: "2025-01-01", to: "2025-12-31" }
  const month = { from: "2025-01-01", to: "2025-01-30" }

  const tooMuch: ReadonlyArray<readonly [string, object, KeyKind, string]> = [
    [
      "ads_campaign_stats",
      { ids: manyIds(400), ...year },
      "personal",
      "96 calls, and the marketplace's limits allow 3 within 50 seconds; nothing was sent. " +
        "Ask for at most 93 days of 50 campaigns, or 31 days of 150 at once."
    ],
    ["ads_campaign_stats", { ids: [1001], ...year }, "base", "Ask for at most 31 days of 50 campaigns at once."],
    ["ads_cluster_stats", { items: manyPairs(1001), ...month }, "personal", "Ask for at most 1000 articles at once."],
    ["ads_cluster_stats", { items: manyPairs(101), ...month }, "base", "Ask for at most 100 articles at once."],
    [
      "ads_keyword_stats",
      { advert_id: 1001, from: "2020-01-01", to: "2025-12-31" },
      "personal",
      "Ask for at most 1428 days at once."
    ]
  ]

  it.effect.each(tooMuch)(
    "refuses %s %o with a %s key before the first call, and says how much fits",
    ([name, args, tokenKind, words]) => {
      let calls = 0
      const watched = () => {
        calls += 1
        return undefined
      }
      return Effect.gen(function* () {
        const refused = yield* Effect.flip(call(name, args))
        assert.instanceOf(refused, ToolError)
        assert.deepInclude(Object(refused), { blame: "caller", code: "ADS_TOO_LONG" })
        assert.include(refused.message, words)
        assert.strictEqual(calls, 0)
      }).pipe(Effect.provide(intercepted(watched, { tokenKind })))
    }
  )

  const fitting: ReadonlyArray<readonly [string, object]> = [
    ["ads_campaign_stats", { ids: manyIds(150), from: "2025-01-01", to: "2025-01-31" }],
    ["ads_campaign_stats", { ids: manyIds(50), from: "2025-01-01", to: "2025-04-03" }],
    ["ads_cluster_stats", { items: manyPairs(1000), ...month }],
    ["ads_keyword_stats", { advert_id: 1001, from: "2021-02-03", to: "2024-12-31" }]
  ]

  it.effect.each(fitting)("lets %s answer where its calls just fit", ([name, args]) =>
    Effect.gen(function* () {
      const { result, seconds } = yield* secondsOf(call(name, args))
      assert.property(result.structured, "next")
      assert.isAtMost(seconds, 52)
    }).pipe(Effect.provide(marketplace()))
  )

  const day = { from: "2026-01-01", to: "2026-01-07" }
  const pair = { advert_id: 1003, nm_id: 500301 }
  const requests: Readonly<Record<string, object>> = {
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
  it("covers every tool that reads from the marketplace", () => {
    assert.deepStrictEqual(
      readTools.map(({ name }) => name),
      Object.keys(requests)
    )
  })

  it.effect.each(Object.entries(requests))(
    "ends %s with ADS_TOO_LONG when the marketplace keeps it waiting",
    ([name, args]) =>
      Effect.gen(function* () {
        const { result, seconds } = yield* secondsOf(Effect.flip(call(name, args)))
        assert.deepInclude(Object(result), { code: "ADS_TOO_LONG" })
        assert.isAtMost(seconds, 56)
      }).pipe(Effect.provide(slow()))
  )

  it.effect("does not cut off a rollback, which cannot be asked for in parts", () => {
    let isSlow = false
    return Effect.gen(function* () {
      const changes = [{ advert_id: 1001, nm_id: 500101, bid_rubles: 260 }]
      const { plan_id } = Object((yield* call("ads_plan_bids", { changes })).structured)
      yield* inTime(call("apply_plan", { plan_id, confirm: true }))
      isSlow = true
      const { result, seconds } = yield* secondsOf(call("plan_rollback", { plan_id }))
      assert.deepInclude(Object(result.structured), { reverses: plan_id, steps: 1 })
      assert.isAbove(seconds, 57)
    }).pipe(Effect.provide(slow(() => isSlow)))
  })

  it.effect("does not cut off a write", () =>
    Effect.gen(function* () {
      const { result, seconds } = yield* secondsOf(call("ads_pause_campaign", { advert_id: 1001, confirm: true }))
      assert.deepInclude(Object(result.structured), { done: true })
      assert.isAbove(seconds, 100)
    }).pipe(Effect.provide(slow()))
  )
})
