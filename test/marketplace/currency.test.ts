import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Schema } from "effect"

import { Elicitation } from "../../src/mcp/Elicitation.ts"
import { toolNamed } from "./offered.ts"
import { intercepted, inTime } from "./support.ts"

const ajv = new Ajv2020({ strict: false })
const Answer = Schema.Record(Schema.String, Schema.Unknown)

/** The answer of a tool, which is as its schema says. */
const call = Effect.fnUntraced(function* (name: string, args: object) {
  const tool = yield* toolNamed(name)
  const { structured } = yield* inTime(tool.call(args))
  assert.isTrue(ajv.validate(tool.outputSchema?.() ?? false, structured), `${name}: ${ajv.errorsText()}`)
  return yield* Schema.decodeUnknownEffect(Answer)(structured)
})

/** An account whose campaigns and answers name a currency, or none. */
const account = (currency: string | undefined) => {
  const named = currency === undefined ? {} : { currency }
  const campaign = (id: number, bid_type: string) => ({
    ...named,
    id,
    bid_type,
    status: 9,
    settings: { name: `c${id}`, payment_type: "cpm", placements: { search: true } },
    nm_settings: [100, 101].map((nm_id) => ({ nm_id, bids_kopecks: { search: 300_000 } }))
  })
  const replies = new Map<string, unknown>([
    ["/api/advert/v2/adverts", { adverts: [campaign(1, "manual"), campaign(2, "unified")] }],
    ["/api/advert/v2/budget", { adverts: [{ advertId: 1, total: 50, ...named }] }],
    ["/api/advert/v1/bids/min", { bids: [{ nm_id: 100, bids: [{ type: "search", value: 15_000, ...named }] }] }],
    ["/adv/v3/fullstats", [{ advertId: 1, cpc: 1.5, sum: 30, sum_price: 900, ...named }]],
    ["/adv/v1/balance", { balance: 100_000, net: 50_000, bonus: 0, ...named }],
    ["/adv/v0/normquery/get-minus", { items: [] }],
    ["/adv/v0/normquery/get-bids", { bids: [] }],
    [
      "/adv/v0/normquery/stats",
      { stats: [{ advert_id: 1, nm_id: 100, stats: [{ norm_query: "mug", clicks: 5, spend: 10, ...named }] }] }
    ]
  ])
  return intercepted((path) => ({ body: replies.get(path) }), { wire: "published" })
}

const days = { from: "2026-01-01", to: "2026-01-07" }
const reading: ReadonlyArray<readonly [string, object]> = [
  ["ads_get_campaign", { advert_id: 1 }],
  ["ads_min_bids", { advert_id: 1 }],
  ["ads_start_campaign", { advert_id: 1 }],
  ["ads_overview", {}],
  ["ads_report", { campaigns: { ids: [1] }, ...days }],
  ["ads_report", { level: "cluster", campaigns: { ids: [1] }, ...days }]
]

const bid = { advert_id: 1, nm_id: 100 }
const snapshot = [{ advert_id: 2, bid_rubles: 250 }]
const planning: ReadonlyArray<readonly [string, object]> = [
  ["ads_plan_bids", { changes: [{ ...bid, bid_rubles: 310 }], check_floors: false }],
  ["ads_plan_cluster_bids", { changes: [{ ...bid, norm_query: "mug", bid_rubles: 310 }] }],
  ["ads_plan_migration", { advert_ids: [2], snapshot, check_floors: false }],
  ["ads_plan_migration", { advert_ids: [2], snapshot, target: "new-manual-campaign", check_floors: false }],
  ["ads_plan_campaign", { name: "New", nms: [5], bid_rubles: 310 }]
]

describe("money in another currency than the ruble", () => {
  it.effect.each(reading)("is not shown as rubles by %s", ([name, args]) =>
    Effect.gen(function* () {
      const text = JSON.stringify(yield* call(name, args))
      assert.notMatch(text, /"rubles"|"kopecks"/)
      assert.include(text, '"currency":"KZT"')
    }).pipe(Effect.provide(account("KZT")))
  )

  it.effect("is shown in whole units and hundredths, with its name beside it", () =>
    Effect.gen(function* () {
      const amountOf = (amount: string, hundredths: number) => ({ amount, hundredths, currency: "KZT" })
      const campaign = yield* call("ads_get_campaign", { advert_id: 1 })
      assert.deepInclude(campaign, { currency: "KZT", budget: amountOf("50.00", 5000) })
      assert.deepNestedPropertyVal(campaign, "articles[0].bids", { search: amountOf("3000.00", 300_000) })
      const lowest = yield* call("ads_min_bids", { advert_id: 1 })
      assert.deepNestedPropertyVal(lowest, "articles[0].lowest", { search: amountOf("150.00", 15_000) })
    }).pipe(Effect.provide(account("KZT")))
  )

  it.effect("is named to the person who is asked whether a campaign may spend it", () => {
    const questions: Array<string> = []
    return Effect.gen(function* () {
      const tool = yield* toolNamed("ads_start_campaign")
      yield* Effect.flip(inTime(tool.call({ advert_id: 1, confirm: true })))
      assert.include(questions[0], "It then spends its budget, 50.00 KZT.")
    }).pipe(
      Effect.provideService(Elicitation, {
        ask: ({ message }) => Effect.sync(() => (questions.push(message), { _tag: "Declined" as const }))
      }),
      Effect.provide(account("KZT"))
    )
  })

  it.effect.each(planning)("is blocked in the plan of %s %o", ([name, args]) =>
    Effect.gen(function* () {
      const plan = yield* call(name, args)
      assert.deepInclude(plan, { steps: 0, blocked_count: 1 })
      assert.match(JSON.stringify(plan["blocked"]), /the money of (campaign \d|this account) is in KZT/)
    }).pipe(Effect.provide(account("KZT")))
  )

  it.effect("is warned of in a plan that deletes an article", () =>
    Effect.gen(function* () {
      const plan = yield* call("ads_plan_products", { advert_id: 1, delete_nms: [100] })
      assert.deepInclude(plan, { steps: 1 })
      assert.include(JSON.stringify(plan["warnings"]), "The money of campaign 1 is in KZT")
    }).pipe(Effect.provide(account("KZT")))
  )

  it.effect.each([undefined, "RUB"])("is not assumed where the currency is %s", (currency) =>
    Effect.gen(function* () {
      for (const [name, args] of reading) {
        const text = JSON.stringify(yield* call(name, args))
        assert.match(text, /"rubles"|"spent":/, name)
        assert.notInclude(text, '"currency"', name)
      }
      for (const [name, args] of planning) {
        const plan = yield* call(name, args)
        assert.notInclude(JSON.stringify(plan["blocked"]), "the money of", name)
        assert.notDeepInclude(plan, { steps: 0 }, name)
      }
    }).pipe(Effect.provide(account(currency)))
  )
})
