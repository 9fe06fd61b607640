import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { planProducts } from "../../src/marketplace/plan/planProducts.ts"
import { apply, bidPlan, only } from "./planned.ts"
import { intercepted, inTime, marketplace } from "./support.ts"

const refusals = [
  [401, {}, "Check that the key is complete and not older than 180 days"],
  [401, { detail: "token scope not allowed" }, "Make a key with the promotion right."],
  [403, {}, "Use a key with the promotion right that is not read-only"],
  [402, {}, "Top up the account in the seller's cabinet"]
] as const

describe("an apply that the marketplace turns away", () => {
  it.effect.each(refusals)("stops with the advice of error %i %o to a write", ([status, body, advice]) =>
    Effect.gen(function* () {
      const { id } = yield* bidPlan()
      const { message } = yield* Effect.flip(inTime(apply(id)))
      assert.include(message, "At bid 1001/500101/combined and 1 more in the same call: Could not set bids: ")
      assert.include(message, advice)
      assert.include(message, "When that is settled, apply the same plan again")
    }).pipe(Effect.provide(intercepted((_path, _body, method) => (method === "PATCH" ? { status, body } : undefined))))
  )

  it.effect.each(refusals)("stops with the advice of error %i %o to a read", ([status, body, advice]) => {
    let isRefused = false
    return Effect.gen(function* () {
      const { id } = yield* bidPlan()
      isRefused = true
      const { message } = yield* Effect.flip(inTime(apply(id)))
      assert.include(message, advice)
    }).pipe(
      Effect.provide(intercepted((path) => (isRefused && path.endsWith("/adverts") ? { status, body } : undefined)))
    )
  })

  it.effect("names the setting that decides the form of a list of articles", () =>
    Effect.gen(function* () {
      const { guards } = yield* MarketplaceConfig
      const input = { campaign: yield* only(1001), add: [500104], delete: [], phrases: [], clusterBids: [], guards }
      const { id } = yield* Plans.use((plans) => plans.keep(planProducts(input)))
      const report = yield* inTime(apply(id))
      assert.deepInclude(report, { state: "refused" })
      assert.include(
        report.refused[0]?.problem,
        'marketplace.wire decides it, "spec" (the default) or "published" (D1)'
      )
    }).pipe(Effect.provide(marketplace({}, { wire: "published" })))
  )
})
