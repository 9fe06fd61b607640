import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { call } from "./offered.ts"
import { bidsNow } from "./planned.ts"
import { intercepted } from "./support.ts"

const Plan = Schema.Struct({
  plan_id: Schema.String,
  by_kind: Schema.Record(Schema.String, Schema.Int),
  blocked: Schema.Array(Schema.Struct({ what: Schema.String, reason: Schema.String }))
})

const plan = (args: object) =>
  Effect.flatMap(call("ads_plan_migration", args), (answer) => Schema.decodeUnknownEffect(Plan)(answer))

const forbidding = (detail: string) =>
  intercepted((path) => (path.includes("/normquery/") ? { status: 403, body: { detail, status: 403 } } : undefined))
const closed = forbidding("norm_query API not available")

const snapshot = [
  { advert_id: 1001, bid_rubles: 300, minus_phrases: ["toy"] },
  { advert_id: 1002, bid_rubles: 320 }
]
const support = "closed to this seller: ask the marketplace's support"

describe("a seller to whom phrases are closed", () => {
  it.effect("moves bids in place, while the phrases of every campaign are blocked and stay", () =>
    Effect.gen(function* () {
      const phrases = Effect.map(
        Effect.flatMap(EmbeddedMarketplace, ({ account }) => account),
        (account) => [...account.phrases]
      )
      const before = yield* phrases
      const { blocked, by_kind, plan_id } = yield* plan({ advert_ids: [1001, 1002], snapshot })
      assert.deepStrictEqual(by_kind, { bid: 5 })
      assert.deepStrictEqual(
        blocked.map(({ what }) => what),
        ["phrases 1001", "phrases 1002"]
      )
      for (const { reason } of blocked) {
        assert.include(reason, "cannot be read and stay as they are")
        assert.include(reason, support)
      }
      const report = yield* call("apply_plan", { plan_id, confirm: true })
      assert.nestedPropertyVal(report, "state", "applied")
      assert.deepStrictEqual(yield* bidsNow, [30_000, 30_000, 30_000])
      assert.deepStrictEqual(yield* phrases, before)
    }).pipe(Effect.provide(closed))
  )

  it.effect("is warned that a twin would run without phrases", () =>
    Effect.gen(function* () {
      const { blocked, by_kind } = yield* plan({ advert_ids: [1001], snapshot, target: "new-manual-campaign" })
      assert.deepStrictEqual(by_kind, { create: 1, bid: 6 })
      assert.deepStrictEqual(
        blocked.map(({ what }) => what),
        ["phrases 1001"]
      )
      assert.include(blocked[0]?.reason, "its twin gets none: give it phrases before it is started")
    }).pipe(Effect.provide(closed))
  )

  it.effect.each([
    ["ads_get_minus_phrases", { advert_id: 1001 }],
    ["ads_plan_minus_phrases", { advert_id: 1001, phrases: ["toy"], mode: "merge" }],
    ["ads_report", { level: "cluster", campaigns: { ids: [1001] }, from: "2026-01-01", to: "2026-01-07" }]
  ] as const)("is not advised by %s to get another key", ([name, args]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(call(name, args))
      assert.include(String(error), support)
      assert.notInclude(String(error), "Use a key")
    }).pipe(Effect.provide(closed))
  )

  it.effect("is told apart from one whose key is forbidden everything, which stops the plan", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(plan({ advert_ids: [1001], snapshot }))
      assert.include(String(error), "Use a key with the promotion right")
    }).pipe(Effect.provide(forbidding("access denied")))
  )
})

describe("campaign-wide phrases", () => {
  it.effect("that the marketplace does not show of one campaign are moved of the others, and it is named", () =>
    Effect.gen(function* () {
      const answer = Object(yield* call("ads_plan_migration", {}))
      assert.deepStrictEqual(answer.by_kind, { phrases: 3 })
      assert.include(
        answer.warnings.join(" "),
        "The marketplace does not show campaign-wide phrases of 1002: give the old ones as minus_phrases in the snapshot."
      )
    }).pipe(
      Effect.provide(
        intercepted((path, body) =>
          path.endsWith("get-minus") && body.includes('"advert_id":1002,"nm_id":0')
            ? { status: 400, body: { title: "invalid payload", detail: "nm 0 not found", status: 400 } }
            : undefined
        )
      )
    )
  )
})
