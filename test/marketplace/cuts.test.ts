import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"

import { Kopecks, percentOf } from "../../src/marketplace/client/money.ts"
import { stateOf } from "../../src/marketplace/embedded/State.ts"
import { aboveFloor } from "../../src/marketplace/plan/floors.ts"
import { Elicitation } from "../../src/mcp/Elicitation.ts"
import { call } from "./offered.ts"
import { kopecks } from "./planned.ts"
import { inTime, marketplace } from "./support.ts"

/** The lowest bid for searches at the embedded marketplace is 250 rubles: the last ten articles stand below it. */
const bids = Array.from({ length: 30 }, (_, index) => (index < 20 ? 40_000 + index * 1000 : 20_000))
const account = stateOf([
  {
    id: 1,
    name: "Mugs",
    bid_type: "manual",
    status: 9,
    payment_type: "cpm",
    search: true,
    recommendations: false,
    created: "2026-01-01T00:00:00+03:00",
    budget: 0,
    rows: bids.map((search, index) => ({ nm_id: index + 1, search: kopecks(search), recommendations: kopecks(0) }))
  }
])
const changed = (percent: ReadonlyArray<number>) =>
  percent.map((change_percent, index) => ({ advert_id: 1, nm_id: index + 1, change_percent }))
const cut = { changes: changed(bids.map(() => -20)), on_below_floor: "raise" }

describe("a cut of bids", () => {
  it.effect("raises no bid that stands below the lowest one, and says of each why it stays", () =>
    Effect.gen(function* () {
      const plan = yield* call("ads_plan_bids", cut)
      assert.deepInclude(plan, { steps: 20, blocked_count: 10 })
      assert.strictEqual(plan?.["digest"], "20 bids fall, the most bid 1/1/search from 400.00 to 320.00 rub (-20%).")
      assert.include(JSON.stringify(plan?.["blocked"]), "a cut never raises a bid, so it stays at 200.00 rub")
      const { steps } = Object(yield* call("show_plan", { plan_id: plan?.["plan_id"], limit: 100 }))
      for (const { after, before } of steps) assert.isBelow(after.kopecks, before.kopecks)
    }).pipe(Effect.provide(marketplace({}, { account })))
  )

  it.effect("goes down to the lowest bid where that is a cut still", () =>
    Effect.gen(function* () {
      const plan = yield* call("ads_plan_bids", { changes: changed([-50]), on_below_floor: "raise" })
      assert.deepInclude(Object(plan).first_steps[0].after, { rubles: "250.00" })
    }).pipe(Effect.provide(marketplace({}, { account })))
  )

  it("never ends above the present bid, whatever the lowest one is", () => {
    const amount = fc.integer({ min: 1, max: 100_000 }).map((it) => Kopecks.make(it))
    fc.assert(
      fc.property(amount, amount, amount, (wish, floor, before) => {
        fc.pre(wish < before)
        const allowed = Object(aboveFloor(wish, floor, "raise", { before, isCut: false }))
        assert.isTrue("problem" in allowed || allowed.bid < before)
      })
    )
  })

  it("never ends above the present bid, by however few percent or kopecks", () => {
    const amount = fc.integer({ min: 1, max: 100_000 }).map((it) => Kopecks.make(it))
    const percent = fc.double({ min: 0, max: 100, noNaN: true, maxExcluded: true })
    fc.assert(
      fc.property(amount, amount, percent, (floor, before, percent) => {
        const wish = percentOf(before, percent)
        const allowed = Object(aboveFloor(wish, floor, "raise", { before, isCut: true }))
        assert.isTrue("problem" in allowed || allowed.bid <= before)
      })
    )
  })

  it.effect("raises none that it would leave as it is, because the cut is less than a kopeck", () =>
    Effect.gen(function* () {
      const changes = bids.map((_, index) => ({ advert_id: 1, nm_id: index + 1, change_percent: -0.0001 }))
      const plan = yield* call("ads_plan_bids", { changes, on_below_floor: "raise" })
      assert.deepInclude(plan, { steps: 0, blocked_count: 10 })
    }).pipe(Effect.provide(marketplace({}, { account })))
  )
})

describe("a plan that raises and cuts", () => {
  const changes = changed([-5, 50, -30, ...Array.from({ length: 27 }, () => -10)])

  it.effect("begins with how many rise and fall, and shows the riskiest steps first", () =>
    Effect.gen(function* () {
      const plan = Object(yield* call("ads_plan_bids", { changes, check_floors: false }))
      assert.strictEqual(
        plan.digest,
        "1 bid rises, bid 1/2/search from 410.00 to 615.00 rub (+50%); " +
          "29 bids fall, the most bid 1/3/search from 420.00 to 294.00 rub (-30%)."
      )
      assert.deepStrictEqual(
        plan.first_steps.slice(0, 2).map(({ step }: { readonly step: string }) => step),
        ["bid 1/2/search", "bid 1/3/search"]
      )
      assert.strictEqual(Object(yield* call("show_plan", { plan_id: plan.plan_id })).digest, plan.digest)
      const back = Object(yield* applied(plan.plan_id))
      assert.match(
        back.digest,
        /^19 bids rise, the most bid 1\/3\/search from 294\.00 to 420\.00 rub \(\+43%\); 1 bid falls, bid 1\/2\/search/
      )
    }).pipe(Effect.provide(marketplace({}, { account })))
  )

  const applied = Effect.fnUntraced(function* (plan_id: unknown) {
    yield* inTime(call("apply_plan", { plan_id, confirm: true }))
    return yield* call("plan_rollback", { plan_id })
  })

  it.effect("tells the same to the person who has to agree", () => {
    const questions: Array<string> = []
    const person = Layer.succeed(Elicitation, {
      ask: ({ message }) => Effect.sync(() => questions.push(message)).pipe(Effect.as({ _tag: "Declined" as const }))
    })
    return Effect.gen(function* () {
      const plan = Object(yield* call("ads_plan_bids", { changes, check_floors: false }))
      yield* Effect.exit(Effect.provide(call("apply_plan", { plan_id: plan.plan_id, confirm: true }), person))
      const [title, order, first, second] = questions[0]?.split("\n") ?? []
      assert.strictEqual(title, `This plan (bids) makes 30 changes of campaigns and what they spend: ${plan.digest}`)
      assert.strictEqual(order, "The riskiest first:")
      assert.include(first, "bid 1/2/search: 410.00 rub → 615.00 rub")
      assert.include(second, "bid 1/3/search: 420.00 rub → 294.00 rub")
    }).pipe(Effect.provide(marketplace({}, { account })))
  })
})
