import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"

import { Plans } from "../../src/marketplace/apply/Plans.ts"
import { LowestBids } from "../../src/marketplace/report/LowestBids.ts"
import { Progress } from "../../src/mcp/callContext.ts"
import { ToolError } from "../../src/mcp/ToolError.ts"
import { bigAccount } from "./accounts.ts"
import { toolNamed } from "./offered.ts"
import { campaignsOf } from "./planned.ts"
import { intercepted, inTime, marketplace } from "./support.ts"

/** The lowest bid of a one-bid campaign, in kopecks, at the marketplace of these tests. */
const lowest = 15_500

const campaigns = 60
const account = bigAccount({ campaigns, articles: 2 })

/** Too low for every article. */
const snapshot = [...account.adverts.keys()].map((advert_id) => ({ advert_id, bid_rubles: 1 }))
const changes = snapshot.map(({ advert_id }, campaign) => ({
  advert_id,
  nm_id: 100_000 + campaign * 100,
  bid_kopecks: 100
}))

const Answer = Schema.Record(Schema.String, Schema.Unknown)

const call = Effect.fnUntraced(function* (name: string, args: unknown) {
  const tool = yield* toolNamed(name)
  return yield* Schema.decodeUnknownEffect(Answer)((yield* tool.call(args)).structured)
})

/** Calls until there is a plan; returns it with what was said before. */
const persist = Effect.fnUntraced(function* (name: string, args: unknown) {
  const said: Array<ToolError> = []
  while (true) {
    const begun = yield* Clock.currentTimeMillis
    const answer = yield* Effect.result(inTime(call(name, args), 1000))
    assert.isAtMost((yield* Clock.currentTimeMillis) - begun, 51_000)
    if (answer._tag === "Success") return { plan: answer.success, said }
    const error = answer.failure
    assert.instanceOf(error, ToolError)
    if (error instanceof ToolError) said.push(error)
    assert.isBelow(said.length, 10)
  }
})

const bidsOf = Effect.fnUntraced(function* (plan_id: unknown) {
  const { plan } = yield* Plans.use((plans) => plans.state(String(plan_id)))
  return plan.steps.flatMap(({ change }) => (change.kind === "bid" ? [Number(change.after)] : []))
})

describe("the lowest bids of 60 campaigns", () => {
  const tools: ReadonlyArray<readonly [string, object, number]> = [
    ["ads_plan_bids", { changes }, campaigns],
    ["ads_plan_migration", { snapshot }, campaigns * 2]
  ]
  const all = (amount: number, bids: number) => Array.from({ length: bids }, () => amount)

  it.effect.each(tools)("are read by %s in several calls where on_below_floor is given", ([name, args, bids]) =>
    Effect.gen(function* () {
      const { plan, said } = yield* persist(name, { ...args, on_below_floor: "raise" })
      assert.isAbove(said.length, 1)
      for (const { blame, code, message } of said) {
        assert.deepStrictEqual([blame, code], ["upstream", "ADS_FLOORS_PENDING"])
        assert.match(message, /of 60 campaigns are read.*kept for 15 minutes: call again with the same arguments/)
      }
      const read = said.map(({ details }) => Number(details["read"]))
      assert.deepStrictEqual(
        read,
        read.toSorted((a, b) => a - b)
      )
      // One article bids exactly that already.
      assert.deepStrictEqual(yield* bidsOf(plan["plan_id"]), all(lowest, bids - 1))
      assert.notInclude(JSON.stringify(plan["warnings"]), "not asked for")
    }).pipe(Effect.provide(marketplace({}, { account })))
  )

  it.effect.each(tools)(
    "are not read by %s where nothing asks for them, and the plan warns of it",
    ([name, args, bids]) =>
      Effect.gen(function* () {
        const plan = yield* inTime(call(name, args))
        assert.include(JSON.stringify(plan["warnings"]), "The lowest bids were not asked for")
        assert.deepStrictEqual(yield* bidsOf(plan["plan_id"]), all(100, bids))
      }).pipe(Effect.provide(marketplace({}, { account })))
  )

  it.effect.each(tools)("are reported as progress of %s, campaign by campaign", ([name, args]) => {
    const steps: Array<unknown> = []
    return Effect.gen(function* () {
      yield* Effect.flip(inTime(call(name, { ...args, check_floors: true }), 1000))
      assert.deepStrictEqual(
        steps,
        steps.map((_, index) => ({ progress: index + 1, total: campaigns }))
      )
      assert.isAtLeast(steps.length, 20)
    }).pipe(
      Effect.provideService(Progress, (step) => Effect.sync(() => void steps.push(step))),
      Effect.provide(marketplace({}, { account }))
    )
  })

  it.effect("are read again after 15 minutes", () =>
    Effect.gen(function* () {
      const { of } = yield* LowestBids
      const [campaign] = yield* campaignsOf(7000)
      assert.isDefined(campaign)
      if (campaign === undefined) return
      const request = { campaign, nm_ids: [100_000] }
      yield* of(request)
      yield* TestClock.adjust("14 minutes")
      yield* of(request)
      yield* TestClock.adjust("2 minutes")
      const failure = yield* Effect.flip(of(request))
      assert.strictEqual(failure.reason._tag, "AdsRateLimited")
    }).pipe(
      Effect.provide(marketplace({ limits: { getBidsMin: { limit: 1, periodMs: 3_600_000, burst: 1 } } }, { account }))
    )
  )
})

describe("a plan with bids", () => {
  it.effect.each([
    ["ads_plan_bids", { changes }],
    ["ads_plan_migration", {}]
  ] as const)("is refused by %s where arguments contradict each other", ([name, args]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(call(name, { ...args, on_below_floor: "skip", check_floors: false }))
      assert.include(
        String(error),
        "Invalid check_floors: must not be false with on_below_floor skip: the lowest bids are not known until they are asked for"
      )
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("is checked against the lowest bids by default where it has few campaigns", () =>
    Effect.gen(function* () {
      const plan = yield* call("ads_plan_bids", { changes: changes.slice(1, 4) })
      assert.deepInclude(plan, { steps: 0, blocked_count: 3, warnings: [] })
      const raised = yield* call("ads_plan_bids", { changes: changes.slice(1, 4), on_below_floor: "raise" })
      assert.deepStrictEqual(yield* bidsOf(raised["plan_id"]), [lowest, lowest, lowest])
    }).pipe(Effect.provide(marketplace({}, { account })))
  )

  it.effect("is refused for more campaigns than can be read while the first answers are kept", () => {
    const limits = { getBidsMin: { limit: 3, periodMs: 60_000, burst: 1 } }
    return Effect.gen(function* () {
      const error = yield* Effect.flip(call("ads_plan_bids", { changes, on_below_floor: "raise" }))
      assert.include(String(error), "would take 60 calls for the lowest bids, and only 45 can be made")
    }).pipe(Effect.provide(marketplace({ limits }, { account })))
  })
})

describe("lowest bids that cannot be read", () => {
  const gone = intercepted((path) => (path.endsWith("/bids/min") ? { status: 404, body: {} } : undefined))
  const few = { snapshot: [{ advert_id: 1001, bid_rubles: 300 }] }

  it.effect("become a warning of the plan where they were not asked for", () =>
    Effect.gen(function* () {
      const plan = yield* inTime(call("ads_plan_migration", few))
      assert.deepInclude(plan["by_kind"], { bid: 3 })
      assert.include(JSON.stringify(plan["warnings"]), "Could not read the lowest bids")
    }).pipe(Effect.provide(gone))
  )

  it.effect.each([{ check_floors: true }, { on_below_floor: "raise" }])(
    "are an error where they were asked for: %o",
    (asked) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(inTime(call("ads_plan_migration", { ...few, ...asked })))
        assert.deepInclude(Object(error), { code: "ADS_NOT_FOUND" })
      }).pipe(Effect.provide(gone))
  )
})
