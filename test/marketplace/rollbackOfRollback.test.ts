import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { apply, applyFails, bidPlan, bidsNow } from "./planned.ts"
import { embeddedClient, type Given, inTime, plansOver, smallMarketplace } from "./support.ts"

const world = Layer.merge(smallMarketplace(), PlanJournal.layerMemory)

/** A server with these guards over the journal and the account of the test. */
const server = (guards: NonNullable<Given["guards"]> = {}) =>
  Layer.unwrap(
    Effect.map(PlanJournal, (store) => plansOver({ guards }, embeddedClient, Layer.succeed(PlanJournal, store)))
  )

const planRollback = (id: string) => inTime(Plans.use((plans) => plans.rollback(id)))

const applied = Effect.fnUntraced(function* (amount: number) {
  const { id } = yield* bidPlan(amount)
  yield* inTime(apply(id))
  return id
})

const rolledBack = Effect.fnUntraced(function* (id: string) {
  const back = yield* planRollback(id)
  yield* inTime(apply(back.id))
  return back
})

const forbidden = [
  [{ maxBidKopecks: 28_000 }, "guard maxBidKopecks: 300.00 rub (30000 kopecks) is above"],
  [{ maxChangePercent: 10 }, "guard maxChangePercent: from 250.00 rub (25000 kopecks) to 300.00 rub"],
  [{ allowedCampaigns: [1002] }, "guard allowedCampaigns: campaign 1001"]
] as const

describe("a rollback of a rollback", () => {
  it.effect.each(forbidden)("is planned only as far as the guards allow: %o", ([guards, problem]) =>
    Effect.gen(function* () {
      const back = yield* Effect.flatMap(applied(30_000), rolledBack).pipe(Effect.provide(server(), { local: true }))
      const error = yield* Effect.flip(planRollback(back.id)).pipe(Effect.provide(server(guards), { local: true }))
      assert.strictEqual(error._tag, "NothingToRollBack")
      assert.include(error.message, problem)
      const { steps } = yield* planRollback(back.id).pipe(Effect.provide(server(), { local: true }))
      assert.lengthOf(steps, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect.each(forbidden)("is applied only if the guards allow it at that time: %o", ([guards, problem]) =>
    Effect.gen(function* () {
      const forth = yield* applied(30_000).pipe(
        Effect.flatMap(rolledBack),
        Effect.flatMap(({ id }) => planRollback(id)),
        Effect.provide(server(), { local: true })
      )
      const error = yield* applyFails(forth.id).pipe(Effect.provide(server(guards), { local: true }))
      assert.strictEqual(error._tag, "GuardViolation")
      assert.include(error.message, problem)
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(world))
  )

  it.effect("holds no more changes than a plan may", () =>
    Effect.gen(function* () {
      const back = yield* Effect.flatMap(applied(30_000), rolledBack).pipe(Effect.provide(server(), { local: true }))
      const error = yield* Effect.flip(planRollback(back.id)).pipe(
        Effect.provide(server({ maxItemsPerApply: 1 }), { local: true })
      )
      assert.include(error.message, "guard maxItemsPerApply: 2 changes are more than 1")
    }).pipe(Effect.provide(world))
  )

  it.effect("is rolled back like any plan, whatever the guards", () =>
    Effect.gen(function* () {
      const forth = yield* applied(30_000).pipe(
        Effect.flatMap(rolledBack),
        Effect.flatMap(({ id }) => rolledBack(id)),
        Effect.provide(server(), { local: true })
      )
      assert.deepStrictEqual(yield* bidsNow, [30_000, 30_000, 25_000])
      const strict = { maxBidKopecks: 20_000, maxChangePercent: 1, maxItemsPerApply: 1 }
      yield* rolledBack(forth.id).pipe(Effect.provide(server(strict), { local: true }))
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(world))
  )
})

describe("a rollback that raises bids again", () => {
  it.effect.each([
    [{ maxBidKopecks: 21_000 }, "guard maxBidKopecks: 250.00 rub (25000 kopecks) is above"],
    [{ maxChangePercent: 10 }, "guard maxChangePercent: from 200.00 rub (20000 kopecks) to 250.00 rub"]
  ] as const)("goes past a guard, and warns of it beforehand: %o", ([guards, problem]) =>
    Effect.gen(function* () {
      const id = yield* applied(20_000).pipe(Effect.provide(server(), { local: true }))
      const { warnings } = yield* rolledBack(id).pipe(Effect.provide(server(guards), { local: true }))
      assert.lengthOf(warnings, 1)
      assert.include(warnings[0], "Bids go up past the guards (2)")
      assert.include(warnings[0], `bid 1001/500101/combined: ${problem}`)
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(world))
  )

  it.effect("gives no warning within the guards, or where it lowers bids past one", () =>
    Effect.gen(function* () {
      const lowered = yield* applied(20_000).pipe(Effect.provide(server(), { local: true }))
      const up = yield* rolledBack(lowered).pipe(Effect.provide(server({ maxChangePercent: 25 }), { local: true }))
      assert.deepStrictEqual(up.warnings, [])
      const raised = yield* applied(50_000).pipe(Effect.provide(server(), { local: true }))
      const down = yield* rolledBack(raised).pipe(Effect.provide(server({ maxChangePercent: 10 }), { local: true }))
      assert.deepStrictEqual(down.warnings, [])
    }).pipe(Effect.provide(world))
  )
})
