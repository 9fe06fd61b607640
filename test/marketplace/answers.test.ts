import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Predicate } from "effect"

import { ChangesToolset } from "../../src/changes/toolset.ts"
import { readTools, writeTools } from "../../src/marketplace/tools/catalog.ts"
import { toolNamed } from "./offered.ts"
import { inTime, marketplace } from "./support.ts"

const ajv = new Ajv2020({ strict: false })

/** Fields that answers of plans have from their upstream alone, which the shapes of the core do not name. */
const ofUpstream = [
  "apply_plan.rounded",
  "apply_plan.rounded_count",
  "audit_log.entries[].advert_id",
  "audit_log.entries[].status_before"
]

/** The places of an answer that its schema does not name; a record's names are free. */
const unnamed = (value: unknown, schema: unknown, at: string): ReadonlyArray<string> => {
  if (!Predicate.isObject(schema)) return []
  if (Array.isArray(value)) {
    return value.flatMap((item) => unnamed(item, "items" in schema ? schema.items : undefined, `${at}[]`))
  }
  if (!Predicate.isObject(value)) return []
  const branches = "anyOf" in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  const properties = Object.assign({}, ...branches.map((branch) => Object(branch)["properties"] ?? {}))
  if (Object.keys(properties).length === 0) return []
  return Object.entries(value).flatMap(([name, one]) =>
    name in properties ? unnamed(one, properties[name], `${at}.${name}`) : [`${at}.${name}`]
  )
}

describe("the answers of the marketplace's tools", () => {
  it.each([...readTools, ...writeTools, ...ChangesToolset.tools])(
    "$name lists a shape of its answer, open to further fields",
    ({ outputSchema }) => {
      assert.isDefined(outputSchema)
      assert.strictEqual(outputSchema?.()["type"], "object")
    }
  )

  const day = { from: "2026-01-01", to: "2026-01-07" }
  const calls: ReadonlyArray<readonly [string, object]> = [
    ["ads_check_key", {}],
    ["ads_list_campaigns", { limit: 1 }],
    ["ads_get_campaign", { advert_id: 1001 }],
    ["ads_report", { campaigns: { ids: [1001, 99] }, ...day, by_day: true, limit: 3 }],
    ["ads_report", { campaigns: { ids: [1001, 1002] }, ...day, compare: true, limit: 1 }],
    ["ads_report", { level: "cluster", campaigns: { ids: [1001] }, ...day }],
    ["ads_report", { level: "keyword", campaigns: { ids: [1001] }, ...day }],
    ["ads_get_minus_phrases", { advert_id: 1003 }],
    ["ads_min_bids", { advert_id: 1001 }],
    ["ads_pause_campaign", { advert_id: 1001, confirm: true }]
  ]

  /** Fails where the answer is not as its schema says, or where it says more. */
  const ask = Effect.fnUntraced(function* (name: string, args: object) {
    const tool = yield* toolNamed(name)
    const { structured } = yield* inTime(tool.call(args))
    const shape = tool.outputSchema?.() ?? false
    assert.isTrue(ajv.validate(shape, structured), `${name}: ${ajv.errorsText()}`)
    assert.deepStrictEqual(
      unnamed(structured, shape, name).filter((place) => !ofUpstream.includes(place)),
      []
    )
    return structured ?? {}
  })

  it.effect.each(calls)("%s %o answers with no field that its shape leaves out", ([name, args]) =>
    Effect.gen(function* () {
      yield* ask(name, args)
    }).pipe(Effect.provide(marketplace()))
  )

  const snapshot = [{ advert_id: 1001, bid_rubles: 300, minus_phrases: ["toy"] }]
  const cluster = { advert_id: 1003, nm_id: 500301, norm_query: "diary", bid_rubles: 300 }
  const manyArticles = Array.from({ length: 52 }, (_, index) => 600_000 + index)
  const plans: ReadonlyArray<readonly [string, object]> = [
    ["ads_plan_bids", { changes: [{ advert_id: 1001, nm_id: 500101, bid_rubles: 255.5 }] }],
    ["ads_plan_bids", { changes: [{ advert_id: 5, nm_id: 5, bid_rubles: 255.5 }] }],
    ["ads_plan_bids", { changes: [{ advert_id: 1001, nm_id: 500101, bid_kopecks: 100 }], check_floors: false }],
    ["ads_plan_minus_phrases", { advert_id: 1001, phrases: ["toy"], mode: "merge" }],
    ["ads_plan_products", { advert_id: 1001, add_nms: [5], delete_nms: [500101] }],
    ["ads_plan_cluster_bids", { changes: [cluster] }],
    ["ads_plan_campaign", { name: "New", nms: manyArticles, bid_rubles: 400 }],
    ["ads_plan_migration", { snapshot }],
    ["ads_plan_migration", { snapshot, target: "new-manual-campaign" }]
  ]

  it.effect("a plan of a campaign whose name is too long shows the beginning of it alone", () =>
    Effect.gen(function* () {
      const plan = yield* ask("ads_plan_campaign", { name: "x".repeat(400_000), nms: [500_101] })
      assert.deepNestedPropertyVal(plan, "blocked[0]", {
        what: `create ${"x".repeat(100)}…(+399900)`,
        reason: "a name has at most 100 characters"
      })
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect.each(plans)(
    "%s %o, and apply and rollback after it, answer with no field that their shapes leave out",
    ([name, args]) =>
      Effect.gen(function* () {
        const { plan_id } = yield* ask(name, args)
        yield* ask("show_plan", { plan_id })
        const { done } = yield* ask("apply_plan", { plan_id, confirm: true, max_seconds: 600 })
        yield* ask("show_plan", { plan_id })
        if (done !== 0) {
          const { plan_id: back } = yield* ask("plan_rollback", { plan_id })
          yield* ask("apply_plan", { plan_id: back, confirm: true, max_seconds: 600 })
          yield* ask("show_plan", { plan_id: back })
        }
        yield* ask("ads_pause_campaign", { advert_id: 1003, confirm: true })
        yield* ask("audit_log", { limit: 100 })
      }).pipe(Effect.provide(marketplace()))
  )
})
