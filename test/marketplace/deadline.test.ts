import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"

import { readTools } from "../../src/marketplace/tools/catalog.ts"
import { toolNamed } from "./offered.ts"
import { intercepted, inTime } from "./support.ts"

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
  const day = { from: "2026-01-01", to: "2026-01-07" }
  const pair = { advert_id: 1003, nm_id: 500301 }
  const requests: Readonly<Record<string, object>> = {
    ads_check_key: {},
    ads_overview: {},
    ads_plan_rules: { rules: [{ when: ["spent > 1"], at_least: { clicks: 1 }, do: "pause" }] },
    ads_plan_state: { start: { ids: [1004] } },
    ads_plan_money: { top_up: [{ advert_id: 1001, rubles: 1000 }] },
    ads_list_campaigns: {},
    ads_get_campaign: { advert_id: 1001 },
    ads_report: { campaigns: { ids: [1001] }, ...day },
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
    assert.sameMembers(
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
