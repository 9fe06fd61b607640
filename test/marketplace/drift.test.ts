import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { call } from "./offered.ts"
import { intercepted, marketplace } from "./support.ts"

const Answer = Schema.Record(Schema.String, Schema.Unknown)
const Refused = Schema.Struct({ refused: Schema.Array(Schema.Struct({ problem: Schema.String })) })

const place = { advert_id: 1003, nm_id: 500301 }
const plans = [
  ["ads_plan_bids", { changes: [{ ...place, bid_rubles: 310 }], check_floors: false }],
  ["ads_plan_minus_phrases", { advert_id: 1003, nm_ids: [500301], phrases: ["toy"], mode: "merge" }],
  ["ads_plan_cluster_bids", { changes: [{ ...place, norm_query: "diary", bid_rubles: 310 }] }]
] as const

const campaign = { id: 1003, bid_type: "manual", status: 9, settings: { placements: { search: true } } }
const settings = [{ nm_id: 500301, bids_kopecks: { search: 77_700 } }]

/** The state that someone else has left, and the text about it. */
const states = [
  ["campaign 1003 is not there any more", []],
  ["campaign 1003 is not there any more, or has ended", [{ ...campaign, status: 7, nm_settings: settings }]],
  ["article 500301 is not in campaign 1003 any more", [{ ...campaign, nm_settings: [{ nm_id: 500302 }] }]],
  ["someone else has changed it since, and it stays as it is", [{ ...campaign, nm_settings: settings }]]
] as const

describe("a change whose place has changed since it was planned", () => {
  it.effect.each(plans.flatMap(([tool, args]) => states.map(([words, adverts]) => ({ tool, args, words, adverts }))))(
    "is left as it is, with the reason, by a plan of $tool: $words",
    ({ adverts, args, tool, words }) => {
      let isLater = false
      const bids = [{ ...place, norm_query: "diary", bid: 77_700 }]
      return Effect.gen(function* () {
        const { plan_id, steps } = yield* Schema.decodeUnknownEffect(Answer)(yield* call(tool, args))
        assert.strictEqual(steps, 1)
        isLater = true
        const report = yield* call("apply_plan", { plan_id, confirm: true })
        const { refused } = yield* Schema.decodeUnknownEffect(Refused)(report)
        assert.lengthOf(refused, 1)
        assert.include(refused[0]?.problem, words)
      }).pipe(
        Effect.provide(
          intercepted((path) => {
            if (!isLater) return undefined
            if (path.endsWith("/adverts")) return { body: { adverts } }
            if (path.endsWith("get-minus")) return { body: { items: [{ ...place, norm_queries: ["other"] }] } }
            return path.endsWith("get-bids") ? { body: { bids } } : undefined
          })
        )
      )
    }
  )

  it.effect("is left as it is also where the campaigns cannot be read at that moment", () => {
    let isLater = false
    return Effect.gen(function* () {
      const { plan_id } = yield* Schema.decodeUnknownEffect(Answer)(yield* call(...plans[1]))
      isLater = true
      const report = yield* call("apply_plan", { plan_id, confirm: true })
      const { refused } = yield* Schema.decodeUnknownEffect(Refused)(report)
      assert.include(refused[0]?.problem, "someone else has changed it since")
    }).pipe(
      Effect.provide(
        intercepted((path) => {
          if (!isLater) return undefined
          if (path.endsWith("get-minus")) return { body: { items: [{ ...place, norm_queries: ["other"] }] } }
          return path.endsWith("/adverts") ? { status: 503 } : undefined
        })
      )
    )
  })
})

describe("the advice after an apply", () => {
  it.effect.each([
    ["ads_plan_campaign", { name: "New", nms: [1] }, true],
    [...plans[0], false]
  ] as const)("of a plan of %s names new campaigns only where some were created", ([tool, args, isCreation]) =>
    Effect.gen(function* () {
      const { plan_id } = yield* Schema.decodeUnknownEffect(Answer)(yield* call(tool, args))
      const { next } = yield* Schema.decodeUnknownEffect(Answer)(yield* call("apply_plan", { plan_id, confirm: true }))
      assert.strictEqual(/new campaigns wait for money and a start/.test(String(next)), isCreation, String(next))
      const back = yield* Schema.decodeUnknownEffect(Answer)(yield* call("plan_rollback", { plan_id }))
      const after = yield* Schema.decodeUnknownEffect(Answer)(
        yield* call("apply_plan", { plan_id: back["plan_id"], confirm: true })
      )
      assert.notInclude(String(after["next"]), "new campaigns")
    }).pipe(Effect.provide(marketplace()))
  )
})
