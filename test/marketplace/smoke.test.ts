import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { EmbeddedMarketplace } from "../../src/embedded/marketplace/EmbeddedMarketplace.ts"
import { MarketplaceAds } from "../../src/marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/MarketplaceConfig.ts"
import { planMigration } from "../../src/marketplace/plan/planMigration.ts"
import { Plans } from "../../src/marketplace/plan/Plans.ts"
import { marketplace } from "./support.ts"

it.effect("smoke", () =>
  Effect.gen(function* () {
    const ads = yield* MarketplaceAds
    const plans = yield* Plans
    const { guards } = yield* MarketplaceConfig
    const world = yield* EmbeddedMarketplace
    const { adverts } = yield* ads.getAdvertsV2()
    assert.strictEqual(adverts.length, 4)
    const before = yield* world.account
    const { items } = yield* ads.getMinusPhrases({ items: adverts.map(({ id }) => ({ advert_id: id, nm_id: 0 })) })
    for (const target of ["in-place", "new-manual-campaign"] as const) {
      const draft = planMigration({
        campaigns: adverts.filter((a) => a.bid_type === "auto"),
        existing: adverts,
        snapshot: [],
        phrases: items,
        floors: [],
        guards,
        options: {
          target,
          percent: { combined: 100, search: 100, recommendations: 100 },
          onBelowFloor: "raise",
          phrases: "merge"
        }
      })
      console.log(JSON.stringify(draft, null, 1).slice(0, 1500))
      const plan = yield* plans.keep(draft)
      console.log(plan.id, plan.estimate, plan.steps.length)
      const go = (id: string) =>
        Effect.gen(function* () {
          const f = yield* Effect.forkChild(plans.apply(id))
          yield* TestClock.adjust("2 minutes")
          return yield* Fiber.join(f)
        })
      console.log(yield* go(plan.id))
      const undo = yield* plans.rollback(plan.id)
      console.log(yield* go(undo.id))
      const { nextId, ...after } = yield* world.account
      const { nextId: _, ...was } = before
      assert.deepStrictEqual(after, was)
    }
  }).pipe(Effect.provide(marketplace()))
)
