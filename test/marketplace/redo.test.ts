import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { apply, applyFails, bidPlan, bidsNow } from "./planned.ts"
import { embeddedClient, type Given, inTime, plansOver } from "./support.ts"

const world = Layer.merge(EmbeddedMarketplace.layer(), PlanJournal.layerMemory)

/** A server with these guards over the journal and the account of the test. */
const server = (guards: NonNullable<Given["guards"]> = {}) =>
  Layer.unwrap(
    Effect.map(PlanJournal, (store) => plansOver({ guards }, embeddedClient, Layer.succeed(PlanJournal, store)))
  )

const planBack = (id: string) => inTime(Plans.use((plans) => plans.rollback(id)))

const applied = Effect.fnUntraced(function* (amount: number) {
  const { id } = yield* bidPlan(amount)
  yield* inTime(apply(id))
  return id
})

const takenBack = Effect.fnUntraced(function* (id: string) {
  const back = yield* planBack(id)
  yield* inTime(apply(back.id))
  return back
})

const forbidden = [
  [{ maxBidKopecks: 28_000 }, "guard maxBidKopecks: 300.00 rub (30000 kopecks) is above"],
  [{ maxChangePercent: 10 }, "guard maxChangePercent: from 250.00 rub (25000 kopecks) to 300.00 rub"],
  [{ allowedCampaigns: [1002] }, "guard allowedCampaigns: campaign 1001"]
] as const

describe("a way back of a way back", () => {
  it.effect.each(forbidden)("is planned only as far as the guards allow: %o", ([guards, problem]) =>
    Effect.gen(function* () {
      const back = yield* Effect.flatMap(applied(30_000), takenBack).pipe(Effect.provide(server(), { local: true }))
      const error = yield* Effect.flip(planBack(back.id)).pipe(Effect.provide(server(guards), { local: true }))
      assert.strictEqual(error._tag, "NothingToRollBack")
      assert.include(error.message, problem)
      const { steps } = yield* planBack(back.id).pipe(Effect.provide(server(), { local: true }))
      assert.lengthOf(steps, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect.each(forbidden)("is applied only if the guards of then allow: %o", ([guards, problem]) =>
    Effect.gen(function* () {
      const forth = yield* applied(30_000).pipe(
        Effect.flatMap(takenBack),
        Effect.flatMap(({ id }) => planBack(id)),
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
      const back = yield* Effect.flatMap(applied(30_000), takenBack).pipe(Effect.provide(server(), { local: true }))
      const error = yield* Effect.flip(planBack(back.id)).pipe(
        Effect.provide(server({ maxItemsPerApply: 1 }), { local: true })
      )
      assert.include(error.message, "guard maxItemsPerApply: 2 changes are more than 1")
    }).pipe(Effect.provide(world))
  )

  it.effect("is taken back like any plan, whatever the guards", () =>
    Effect.gen(function* () {
      const forth = yield* applied(30_000).pipe(
        Effect.flatMap(takenBack),
        Effect.flatMap(({ id }) => takenBack(id)),
        Effect.provide(server(), { local: true })
      )
      assert.deepStrictEqual(yield* bidsNow, [30_000, 30_000, 25_000])
      const strict = { maxBidKopecks: 20_000, maxChangePercent: 1, maxItemsPerApply: 1 }
      yield* takenBack(forth.id).pipe(Effect.provide(server(strict), { local: true }))
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(world))
  )
})

describe("a way back that raises bids again", () => {
  it.effect.each([
    [{ maxBidKopecks: 21_000 }, "guard maxBidKopecks: 250.00 rub (25000 kopecks) is above"],
    [{ maxChangePercent: 10 }, "guard maxChangePercent: from 200.00 rub (20000 kopecks) to 250.00 rub"]
  ] as const)("past a guard does so, and says it beforehand: %o", ([guards, problem]) =>
    Effect.gen(function* () {
      const id = yield* applied(20_000).pipe(Effect.provide(server(), { local: true }))
      const { warnings } = yield* takenBack(id).pipe(Effect.provide(server(guards), { local: true }))
      assert.lengthOf(warnings, 1)
      assert.include(warnings[0], "Bids go up past the guards (2)")
      assert.include(warnings[0], `bid 1001/500101/combined: ${problem}`)
      assert.deepStrictEqual(yield* bidsNow, [25_000, 25_000, 25_000])
    }).pipe(Effect.provide(world))
  )

  it.effect("within the guards, or that lowers them past one, has nothing to say", () =>
    Effect.gen(function* () {
      const lowered = yield* applied(20_000).pipe(Effect.provide(server(), { local: true }))
      const up = yield* takenBack(lowered).pipe(Effect.provide(server({ maxChangePercent: 25 }), { local: true }))
      assert.deepStrictEqual(up.warnings, [])
      const raised = yield* applied(50_000).pipe(Effect.provide(server(), { local: true }))
      const down = yield* takenBack(raised).pipe(Effect.provide(server({ maxChangePercent: 10 }), { local: true }))
      assert.deepStrictEqual(down.warnings, [])
    }).pipe(Effect.provide(world))
  )
})
