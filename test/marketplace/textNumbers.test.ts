import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"

import { Plans } from "../../src/marketplace/apply/Plans.ts"
import { readTools } from "../../src/marketplace/tools/catalog.ts"
import { toolNamed } from "./offered.ts"
import { marketplace } from "./support.ts"

const call = Effect.fnUntraced(function* (name: string, args: unknown) {
  const tool = yield* toolNamed(name)
  return (yield* tool.call(args)).structured
})

const stepsOf = Effect.fnUntraced(function* (name: string, args: unknown) {
  const answer = yield* Schema.decodeUnknownEffect(Schema.Struct({ plan_id: Schema.String }))(yield* call(name, args))
  return (yield* Plans.use((plans) => plans.state(answer.plan_id))).plan.steps.map(({ change }) => change)
})

/** The same arguments with every number as text. */
const asText = (value: unknown): unknown => {
  if (typeof value === "number") return String(value)
  if (Array.isArray(value)) return value.map(asText)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asText(one)]))
    : value
}

const at = { advert_id: 1001, nm_id: 500101 }
const cluster = { advert_id: 1003, nm_id: 500301, norm_query: "diary" }

describe("a number inside a list that comes as text", () => {
  const plans: ReadonlyArray<readonly [string, object]> = [
    ["ads_plan_bids", { changes: [{ ...at, bid_kopecks: 30_000 }] }],
    ["ads_plan_bids", { changes: [{ ...at, bid_rubles: 300.5 }] }],
    ["ads_plan_bids", { changes: [{ ...at, change_percent: 20.5 }] }],
    ["ads_plan_bids", { changes: [{ ...at, change_percent: -1 }] }],
    ["ads_plan_cluster_bids", { changes: [{ ...cluster, bid_kopecks: 30_000 }] }],
    ["ads_plan_minus_phrases", { advert_id: 1001, nm_ids: [500101], phrases: ["toy"], mode: "merge" }],
    ["ads_plan_products", { advert_id: 1001, add_nms: [5], delete_nms: [500101] }],
    [
      "ads_plan_migration",
      { snapshot: [{ advert_id: 1001, bid_rubles: 300, nm_ids: [500101], bids: [{ nm_id: 500102, rubles: 310.5 }] }] }
    ]
  ]

  it.effect.each(plans)("gives the same plan in %s: %o", ([name, args]) =>
    Effect.gen(function* () {
      const steps = yield* stepsOf(name, args)
      assert.isNotEmpty(steps)
      assert.deepStrictEqual(yield* stepsOf(name, asText(args)), steps)
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("gives the same answer in the reads", () =>
    Effect.gen(function* () {
      const items = [{ advert_id: 1001, nm_id: 0 }, at]
      for (const [name, args] of [
        ["ads_get_minus_phrases", { items }],
        ["ads_list_campaigns", { ids: [1001], statuses: [9] }]
      ] as const) {
        assert.deepStrictEqual(yield* call(name, asText(args)), yield* call(name, args))
      }
    }).pipe(Effect.provide(marketplace()))
  )

  const kopecks = "must be a whole number of kopecks, not negative"
  const wrong: ReadonlyArray<readonly [string, object, string]> = [
    ["ads_plan_bids", { changes: [{ ...at, bid_kopecks: "3 00" }] }, `Invalid changes.0.bid_kopecks: ${kopecks}`],
    ["ads_plan_bids", { changes: [{ ...at, bid_kopecks: "" }] }, `Invalid changes.0.bid_kopecks: ${kopecks}`],
    ["ads_plan_bids", { changes: [{ ...at, bid_kopecks: "12.5" }] }, `Invalid changes.0.bid_kopecks: ${kopecks}`],
    ["ads_plan_bids", { changes: [{ ...at, bid_kopecks: 12.5 }] }, `Invalid changes.0.bid_kopecks: ${kopecks}`],
    ["ads_plan_bids", { changes: [{ ...at, bid_kopecks: "-1" }] }, `Invalid changes.0.bid_kopecks: ${kopecks}`],
    ["ads_plan_bids", { changes: [{ ...at, bid_kopecks: "0x10" }] }, `Invalid changes.0.bid_kopecks: ${kopecks}`],
    ["ads_plan_bids", { changes: [{ ...at, bid_kopecks: "1e400" }] }, `Invalid changes.0.bid_kopecks: ${kopecks}`],
    [
      "ads_plan_bids",
      {
        changes: [
          { ...at, bid_kopecks: 1 },
          { ...at, change_percent: "a lot" }
        ]
      },
      "Invalid changes.1.change_percent: must be a number of percent"
    ],
    [
      "ads_plan_bids",
      { changes: [{ ...at, change_percent: "-100" }] },
      "Invalid changes.0.change_percent: must be above -100"
    ],
    [
      "ads_plan_bids",
      { changes: [{ ...at, nm_id: "", bid_kopecks: 1 }] },
      "Invalid changes.0.nm_id: must be a positive integer"
    ],
    [
      "ads_get_minus_phrases",
      { items: [{ advert_id: 1001, nm_id: "" }] },
      "Invalid items.0.nm_id: must be an article id or 0"
    ],
    [
      "ads_plan_migration",
      { snapshot: [{ advert_id: "10 01" }] },
      "Invalid snapshot.0.advert_id: must be a positive integer"
    ],
    ["ads_list_campaigns", { statuses: [9, 5] }, "Invalid statuses.1: must be "],
    ["ads_list_campaigns", { statuses: ["active"] }, "Invalid statuses.0: must be "]
  ]

  it.effect.each(wrong)("is refused by %s with its place where it is no number: %o", ([name, args, expected]) =>
    Effect.gen(function* () {
      assert.include(String(yield* Effect.flip(call(name, args))), expected)
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("keeps every kopeck at any size", () =>
    Effect.forEach(
      fc.sample(fc.integer({ min: 20_000, max: Number.MAX_SAFE_INTEGER }), { numRuns: 20, seed: 3 }),
      (amount) =>
        Effect.gen(function* () {
          const guards = { maxBidKopecks: Number.MAX_SAFE_INTEGER }
          const args = { changes: [{ ...at, bid_kopecks: String(amount) }] }
          const [step] = yield* stepsOf("ads_plan_bids", args).pipe(
            Effect.provide(marketplace({ guards }), { local: true })
          )
          assert.deepInclude(Object(step), { after: amount })
        })
    )
  )

  it("is listed for callers as a number", () => {
    for (const tool of readTools) {
      const schema = JSON.stringify(tool.inputSchema())
      assert.notMatch(schema, /"(advert_id|nm_id|bid_kopecks)":\{"type":"(?!integer)/, tool.name)
      assert.notMatch(schema, /"(bid_rubles|rubles|change_percent)":\{"type":"(?!number)/, tool.name)
    }
  })
})
