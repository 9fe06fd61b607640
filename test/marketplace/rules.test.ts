import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"

import { status } from "../../src/marketplace/client/Campaign.ts"
import { Guards } from "../../src/marketplace/client/MarketplaceConfig.ts"
import type { Rule } from "../../src/marketplace/client/Rule.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import type { State } from "../../src/marketplace/embedded/State.ts"
import type { NamedRule } from "../../src/marketplace/plan/judging.ts"
import { planRules, type RulesInput } from "../../src/marketplace/plan/planRules.ts"
import { parse } from "../../src/marketplace/report/conditions.ts"
import { noMetrics } from "../../src/marketplace/report/metrics.ts"
import { bigAccount } from "./accounts.ts"
import { call, toolNamed } from "./offered.ts"
import { type Given, inTime, plansOver } from "./support.ts"

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength

const shop = (given: Given = {}, options: Parameters<typeof EmbeddedMarketplace.layer>[0] = {}) => {
  const requests: Array<string> = []
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
      HttpClient.tapRequest(httpClient, (request) =>
        Effect.sync(() => requests.push(`${request.method} ${request.url}`))
      )
    )
  )
  const layer = plansOver({ wire: "spec", ...given, guards: { maxChangePercent: 50, ...given.guards } }, client).pipe(
    Layer.provideMerge(EmbeddedMarketplace.layer({ limits: "none", ...options })),
    Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(Date.parse("2026-11-20T07:00:00Z"))))
  )
  return { requests, layer }
}

const account = Effect.flatMap(EmbeddedMarketplace, (world) => world.account)

const Plan = Schema.Struct({
  plan_id: Schema.String,
  digest: Schema.optionalKey(Schema.String),
  steps: Schema.Int,
  by_kind: Schema.Record(Schema.String, Schema.Int),
  first_steps: Schema.Array(Schema.Struct({ step: Schema.String, reason: Schema.String })),
  blocked: Schema.Array(Schema.Struct({ what: Schema.String, reason: Schema.String })),
  blocked_count: Schema.Int,
  warnings: Schema.Array(Schema.String),
  rules: Schema.Array(Schema.Struct({ rule: Schema.String, matches: Schema.Int, steps: Schema.Int })),
  check: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
const plan = (args: object) => Effect.flatMap(call("ads_plan_rules", args), Schema.decodeUnknownEffect(Plan))
const applied = (plan_id: string) => call("apply_plan", { plan_id, confirm: true, max_seconds: 600 })
const refused = (args: object) =>
  Effect.gen(function* () {
    const tool = yield* toolNamed("ads_plan_rules")
    return String(yield* Effect.flip(inTime(tool.call(args))))
  })

const lower = { when: ["drr_percent > 15"], at_least: { clicks: 50 }, do: "bid", percent: -20 }
const vain = { name: "vain", when: ["orders = 0", "spent > 5"], at_least: { clicks: 1 }, do: "exclude" }
const burning = { when: ["orders = 0", "spent > 5000"], at_least: { days: 7 }, do: "pause" }
const wasteful = [1010, 1017, 1024, 1031, 1038, 1045, 1050]

const bidsIn = ({ adverts }: State, id: number) => adverts.get(id)?.rows.map(({ search }) => Number(search)) ?? []

describe("a plan by rules", () => {
  it.effect(
    "takes the step above a lowest bid that is between two, for rules, bids, migrations and new campaigns",
    () => {
      const { layer } = shop({ tokenKind: "personal" }, { steps: { cpm: 5000, cpc: 100 }, offStep: "refused" })
      return Effect.gen(function* () {
        const place = { advert_id: 1005, nm_id: 500_501 }
        const plans: ReadonlyArray<readonly [tool: string, args: object]> = [
          ["ads_plan_rules", { rules: [lower] }],
          ["ads_plan_bids", { changes: [{ ...place, bid_rubles: 120 }], on_below_floor: "raise" }],
          ["ads_plan_migration", { target: "new-manual-campaign", advert_ids: [1002], on_below_floor: "raise" }],
          ["ads_plan_campaign", { name: "Новая", nms: [1], bid_rubles: 333 }]
        ]
        for (const [tool, args] of plans) {
          const { plan_id, steps } = Object(yield* call(tool, args))
          assert.isAbove(steps, 0, tool)
          assert.deepInclude(yield* applied(plan_id), { state: "applied", refused_count: 0 }, tool)
        }
        const { adverts } = yield* account
        assert.strictEqual(Number(adverts.get(1005)?.rows[0]?.search), 20_000)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("warns where no campaign meets the selection, as nothing to change is then no good news", () => {
    const { layer } = shop()
    return Effect.gen(function* () {
      const { steps, warnings } = yield* plan({ rules: [lower], campaigns: { name: "zzz" } })
      assert.strictEqual(steps, 0)
      assert.deepStrictEqual(warnings, ['No campaign meets campaigns: {"name":"zzz"}'])
      const state = Object(yield* call("ads_plan_state", { pause: { name: "zzz" } }))
      assert.deepStrictEqual(state.warnings, ['No campaign meets pause: {"name":"zzz"}'])
    }).pipe(Effect.provide(layer))
  })

  it.effect("lowers bids by a fifth where the ДРР is over 15 %, in three calls of 6 kB out and 0.6 kB in", () => {
    const { layer } = shop({ guards: { maxDailyChangePercent: 100 } })
    return Effect.gen(function* () {
      const before = yield* account
      const given = { rules: [lower] }
      const planned = yield* call("ads_plan_rules", given)
      const { plan_id, rules, steps } = yield* Schema.decodeUnknownEffect(Plan)(planned)
      assert.deepInclude(rules[0], { rule: "1", matches: 7, steps })
      const answer = yield* applied(plan_id)
      const shown = yield* call("show_plan", { plan_id, limit: 1 })
      assert.deepInclude(answer, { state: "applied", done: steps })
      assert.isAtMost(bytes(planned) + bytes(answer) + bytes(shown), 6000)
      assert.isAtMost(bytes(given) + bytes({ plan_id, confirm: true }) + bytes({ plan_id, limit: 1 }), 600)
      const after = yield* account
      for (const id of before.adverts.keys()) {
        const [old, now] = [bidsIn(before, id), bidsIn(after, id)]
        if (!wasteful.includes(id)) assert.deepStrictEqual(now, old)
        else for (const [at, bid] of now.entries()) assert.isBelow(bid, old[at] ?? 0)
      }
      const back = yield* call("plan_rollback", { plan_id })
      yield* applied(String(Object(back)["plan_id"]))
      assert.deepStrictEqual((yield* account).adverts, before.adverts)
    }).pipe(Effect.provide(layer))
  })

  it.effect("gives its evidence with each step, and lowers no bid below the lowest", () => {
    const { layer } = shop()
    return Effect.gen(function* () {
      const { blocked, first_steps } = yield* plan({ rules: [{ ...lower, name: "dear" }], campaigns: { ids: [1010] } })
      assert.match(
        first_steps[0]?.reason ?? "",
        /^rule dear \(drr_percent > 15\): spent [\d.]+, orders \d+, clicks \d+, drr_percent [\d.]+, 2026-11-13 to 2026-11-19, by -20%/
      )
      for (const { reason } of blocked) assert.include(reason, "a cut never raises a bid")
    }).pipe(Effect.provide(layer))
  })

  it.effect("moves bids towards a ДРР, as far as the guards allow at once, and raises none unasked", () => {
    const { layer } = shop({ guards: { maxChangePercent: 30 } })
    const towards = { when: ["spent > 0"], at_least: { clicks: 20 }, do: "bid", target_drr: 10 }
    return Effect.gen(function* () {
      const before = yield* account
      const { plan_id } = yield* plan({ rules: [towards] })
      yield* applied(plan_id)
      const after = yield* account
      let cuts = 0
      for (const id of before.adverts.keys()) {
        for (const [at, bid] of bidsIn(after, id).entries()) {
          const old = bidsIn(before, id)[at] ?? 0
          assert.isAtMost(bid, old)
          assert.isAtLeast(bid, Math.floor(old * 0.7))
          if (bid < old) cuts++
        }
      }
      assert.isAbove(cuts, 20)
      const raising = yield* plan({
        rules: [{ ...towards, target_drr: 60, may_raise: true }],
        campaigns: { ids: [1043] }
      })
      assert.match(raising.digest ?? "", /bids rise/)
    }).pipe(Effect.provide(layer))
  })

  it.effect("excludes clusters without orders, with their own bids, in two calls and the apply, below 4 kB", () => {
    const { layer } = shop()
    return Effect.gen(function* () {
      const campaigns = { ids: [1043] }
      const report = yield* call("ads_report", { level: "cluster", campaigns, where: vain.when, limit: 7 })
      const planned = yield* call("ads_plan_rules", { rules: [vain], campaigns })
      const { by_kind, plan_id } = yield* Schema.decodeUnknownEffect(Plan)(planned)
      assert.deepStrictEqual(by_kind, { phrases: 7, cluster: 1 })
      const answer = yield* applied(plan_id)
      assert.isAtMost(bytes(report) + bytes(planned) + bytes(answer), 4000)
      assert.deepInclude(answer, { state: "applied", done: 8 })
      const { clusterBids, phrases } = yield* account
      assert.include(phrases.get("1043:504301")?.join(), "блокнот своими руками")
      assert.isFalse(clusterBids.has("1043:504301:блокнот своими руками"))
      const again = yield* plan({ rules: [vain], campaigns })
      assert.strictEqual(again.steps, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("pauses what burns, and changes nothing else in it", () => {
    const { layer } = shop()
    return Effect.gen(function* () {
      const { by_kind, plan_id, rules } = yield* plan({
        rules: [burning, { ...lower, when: ["orders = 0"] }],
        campaigns: { ids: [1010, 1050, 1051] }
      })
      assert.deepStrictEqual(by_kind, { state: 1 })
      assert.deepStrictEqual(
        rules.map(({ matches, steps }) => [matches, steps]),
        [
          [1, 1],
          [1, 0]
        ]
      )
      yield* applied(plan_id)
      assert.strictEqual((yield* account).adverts.get(1050)?.status, status.paused)
    }).pipe(Effect.provide(layer))
  })

  it.effect("never pauses over half of the spend, also of the account where only some campaigns are chosen", () => {
    const { layer } = shop()
    const all = { ...burning, when: ["spent > 0"] }
    return Effect.gen(function* () {
      const { blocked, steps } = yield* plan({ rules: [all] })
      assert.strictEqual(steps, 0)
      assert.match(
        blocked[0]?.reason ?? "",
        /it would pause \d+ campaigns with \d+% of what was spent: over half is never paused/
      )
      assert.strictEqual((yield* plan({ rules: [all], campaigns: { ids: [1010] } })).steps, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("never excludes all clusters of an article", () => {
    const { layer } = shop()
    return Effect.gen(function* () {
      const { blocked, steps } = yield* plan({
        rules: [{ ...vain, when: ["views > 0"], at_least: { spent: 0.01 } }],
        campaigns: { ids: [1043] }
      })
      assert.strictEqual(steps, 0)
      assert.match(blocked[0]?.reason ?? "", /would exclude all 12 clusters of the article/)
    }).pipe(Effect.provide(layer))
  })

  it.effect("judges a bid that was changed only by what came after", () => {
    const { layer } = shop()
    return Effect.gen(function* () {
      const first = yield* plan({ rules: [lower] })
      yield* applied(first.plan_id)
      const second = yield* plan({ rules: [lower] })
      assert.strictEqual(second.steps, 0)
      assert.include(second.blocked[0]?.reason, "a plan has changed it on 2026-11-20")
      yield* TestClock.adjust("3 days")
      const later = yield* plan({ rules: [{ ...lower, at_least: { clicks: 10 } }], from: "2026-11-21" })
      assert.isAbove(later.steps, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("tells what the days after have brought, judged by days before", () => {
    const { layer } = shop()
    return Effect.gen(function* () {
      const days = { from: "2026-11-06", to: "2026-11-19" }
      const { check } = yield* plan({ rules: [burning, lower], ...days, check_days: 7 })
      const after = { from: "2026-11-13", to: "2026-11-19" }
      const burnt = yield* call("ads_report", { ...after, campaigns: { ids: [1050] } })
      assert.deepInclude(check, { ...after, rubles_saved: Object(burnt).total.spent, orders_lost: 0 })
      const others = yield* call("ads_report", { ...after, campaigns: { ids: wasteful.slice(0, 6) } })
      assert.deepStrictEqual(Object(check)["with_other_bids"].spent, Object(others).total.spent)
    }).pipe(Effect.provide(layer))
  })

  it.effect("changes bids of clusters, which without a bid of their own have that of their article", () => {
    const { layer } = shop()
    return Effect.gen(function* () {
      const rule = { when: ["orders = 0", "spent > 5"], at_least: { spent: 5 }, do: "cluster_bid", percent: -30 }
      const { by_kind, plan_id } = yield* plan({ rules: [rule], campaigns: { ids: [1043] } })
      assert.deepStrictEqual(Object.keys(by_kind), ["cluster"])
      yield* applied(plan_id)
      const { clusterBids } = yield* account
      assert.strictEqual(clusterBids.get("1043:504301:блокнот своими руками"), 25_200)
    }).pipe(Effect.provide(layer))
  })

  it.effect("rounds to the marketplace's steps, and says so", () => {
    const { layer } = shop({ tokenKind: "personal" }, { steps: { cpm: 500, cpc: 100 }, offStep: "refused" })
    return Effect.gen(function* () {
      const { first_steps, plan_id } = yield* plan({ rules: [{ ...lower, percent: -7 }], campaigns: { ids: [1045] } })
      assert.match(first_steps[0]?.reason ?? "", /on a step of 5\.00 rub/)
      assert.deepInclude(yield* applied(plan_id), { state: "applied" })
      for (const bid of bidsIn(yield* account, 1045)) assert.strictEqual(bid % 500, 0)
      const changes = [{ advert_id: 1046, nm_id: 504601, placement: "search", bid_kopecks: 30_120 }]
      assert.include(JSON.stringify(yield* call("ads_plan_bids", { changes })), "asked for, on a step of 5.00 rub")
    }).pipe(Effect.provide(layer))
  })

  it.effect("takes rules of the configuration by their name", () => {
    const { layer } = shop({
      rules: { morning: [{ when: ["drr_percent > 15"], at_least: { clicks: 50 }, do: "bid", percent: -20 }] }
    })
    return Effect.gen(function* () {
      assert.deepInclude((yield* plan({ named: ["morning"] })).rules[0], { rule: "morning", matches: 7 })
      for (const name of ["evening", "constructor"]) {
        assert.include(
          yield* refused({ named: [name] }),
          "Invalid named.0: must be the name of rules in the configuration; there are morning"
        )
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("is not made from part of the statistics", () => {
    const { layer } = shop({}, { limits: "full", account: bigAccount({ campaigns: 450, articles: 1 }) })
    return Effect.gen(function* () {
      const problem = yield* refused({ rules: [lower] })
      assert.match(problem, /No plan yet\. Not complete: .* call again with the same arguments/i)
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    [{}, "Invalid rules: must be given, or named"],
    [{ rules: [] }, "Invalid rules: must not be empty"],
    [{ rules: Array.from({ length: 21 }, () => lower) }, "must be at most 20 rules"],
    [{ rules: [{ ...lower, when: [] }] }, "Invalid rules.0.when: must not be empty"],
    [{ rules: [{ ...lower, when: ["drr > 5", "drr < 5"] }] }, "can never be met together"],
    [{ rules: [{ ...lower, when: ["spend > x"] }] }, "Invalid rules.0.when.0: must be like"],
    [{ rules: [{ ...lower, at_least: {} }] }, "Invalid rules.0.at_least: must name spent, clicks or days"],
    [
      { rules: [{ ...lower, at_least: { click: 5 } }] },
      "Invalid rules.0.at_least.click: unknown argument. Did you mean clicks?"
    ],
    [{ rules: [{ ...lower, percent: 20 }] }, "Invalid rules.0.percent: must be below 0, or may_raise true"],
    [{ rules: [{ ...lower, percent: -100 }] }, "Invalid rules.0.percent: must be above -100"],
    [
      { rules: [{ ...lower, target_drr: 10 }] },
      "Invalid rules.0.percent: must be given for do bid, or target_drr, and not both"
    ],
    [{ rules: [{ ...burning, percent: -5 }] }, "Invalid rules.0.percent: must not be given for do pause"],
    [{ rules: [{ ...vain, level: "article" }] }, "Invalid rules.0.level: must be given for do bid alone"],
    [{ rules: [vain, vain] }, "Invalid rules.1.name: must not be that of another rule: vain"],
    [{ rules: [lower], from: "2026-11-09", to: "2026-11-01" }, "Invalid from: must not be after to"],
    [{ rules: [lower], campaigns: { ids: [] } }, "Invalid campaigns.ids: must not be empty"],
    [{ rules: [lower], check_days: 7 }, "Invalid check_days: must be below 7"],
    [{ rules: [{ ...lower, colour: "red" }] }, "Invalid rules.0.colour: unknown argument"]
  ] as const)("names what it cannot take: %o", ([args, problem]) =>
    Effect.gen(function* () {
      assert.include(yield* refused(args), problem)
    }).pipe(Effect.provide(shop().layer))
  )
})

describe("rules, as functions of statistics, state and guards,", () => {
  const guards = Schema.decodeUnknownSync(Guards)({})
  const named = (rule: Rule, name: string): NamedRule => ({
    ...rule,
    name,
    conditions: rule.when.map((text) => Result.getOrThrow(parse(text)))
  })
  const metrics = fc.record({
    spent: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: null }),
    orders: fc.option(fc.nat(20), { nil: null }),
    revenue: fc.option(fc.integer({ min: 0, max: 5_000_000 }), { nil: null }),
    clicks: fc.option(fc.nat(300), { nil: null }),
    views: fc.option(fc.nat(9000), { nil: null })
  })
  const queries = ["a", "b", "c", "d"]
  const world = fc.record({
    campaigns: fc.array(
      fc.record({
        isManual: fc.boolean(),
        status: fc.constantFrom(4, 7, 9, 11),
        bid: fc.integer({ min: 100, max: 90_000 }),
        own: metrics,
        clusters: fc.tuple(metrics, metrics, metrics, metrics),
        excluded: fc.subarray(queries),
        bids: fc.subarray(queries),
        days: fc.nat(7),
        changed: fc.boolean()
      }),
      { minLength: 1, maxLength: 5 }
    ),
    floor: fc.integer({ min: 1, max: 40_000 }),
    step: fc.constantFrom(1, 50, 500)
  })
  const evidence = fc.record({ clicks: fc.integer({ min: 1, max: 100 }), days: fc.integer({ min: 1, max: 5 }) })
  const bounds = fc.integer({ min: 1, max: 60 })
  const anyRule = fc.oneof(
    fc
      .record({ bound: bounds, at_least: evidence, percent: fc.integer({ min: -60, max: -1 }) })
      .map(({ at_least, bound, percent }): Rule => ({
        when: [`drr_percent > ${bound}`],
        at_least,
        do: "bid",
        percent
      })),
    fc
      .record({
        at_least: evidence,
        target_drr: bounds,
        level: fc.constantFrom("campaign" as const, "article" as const)
      })
      .map(({ at_least, level, target_drr }): Rule => ({
        when: ["spent > 0"],
        at_least,
        do: "bid",
        target_drr,
        level
      })),
    fc
      .record({ at_least: evidence, bound: bounds })
      .map(({ at_least, bound }): Rule => ({ when: ["orders = 0", `spent > ${bound}`], at_least, do: "exclude" })),
    fc
      .record({ at_least: evidence, percent: fc.integer({ min: -60, max: -1 }) })
      .map(({ at_least, percent }): Rule => ({ when: ["orders = 0"], at_least, do: "cluster_bid", percent })),
    fc
      .record({ at_least: evidence, bound: bounds })
      .map(({ at_least, bound }): Rule => ({ when: ["orders = 0", `spent > ${bound}`], at_least, do: "pause" }))
  )

  type World = typeof world extends fc.Arbitrary<infer W> ? W : never

  const inputOf = ({ campaigns, floor, step }: World, rules: ReadonlyArray<Rule>): RulesInput => {
    const kopecks = Schema.decodeUnknownSync(Guards.fields.maxBidKopecks)
    const own = campaigns.map(({ own }) => ({ ...noMetrics, ...own }))
    return {
      rules: rules.map((rule, at) => named(rule, `r${at}`)),
      period: { from: "2026-11-01", to: "2026-11-07" },
      lines: {
        campaign: own.map((one, at) => ({ id: at + 1, metrics: one })),
        article: own.map((one, at) => ({ id: at + 1, nm_id: 100 + at, metrics: one })),
        cluster: campaigns.flatMap(({ clusters }, at) =>
          clusters.map((one, place) => ({
            id: at + 1,
            nm_id: 100 + at,
            query: queries[place] ?? "",
            metrics: { ...noMetrics, ...one }
          }))
        )
      },
      daysShown: (id) => campaigns[id - 1]?.days ?? 0,
      spentByAll: own.reduce((sum, { spent }) => sum + (spent ?? 0), 0),
      campaigns: campaigns.map(({ bid, isManual, status: value }, at) => ({
        id: at + 1,
        bid_type: isManual ? "manual" : "auto",
        status: value,
        settings: { name: `C${at}`, payment_type: "cpm", placements: { search: true, recommendations: false } },
        nm_settings: [{ nm_id: 100 + at, bids_kopecks: { search: kopecks(bid), recommendations: kopecks(bid) } }]
      })),
      phrases: campaigns.map(({ excluded }, at) => ({ advert_id: at + 1, nm_id: 100 + at, norm_queries: excluded })),
      clusterBids: campaigns.flatMap(({ bid, bids, isManual }, at) =>
        isManual
          ? bids.map((norm_query) => ({
              advert_id: at + 1,
              nm_id: 100 + at,
              norm_query,
              bid: kopecks(bid),
              unit: "kopecks" as const
            }))
          : []
      ),
      floors: campaigns.flatMap((_, at) =>
        (["search", "combined"] as const).map((placement) => ({
          nm_id: 100 + at,
          placement,
          payment_type: "cpm",
          kopecks: kopecks(floor)
        }))
      ),
      steps: { cpm: step, cpc: step },
      wire: "spec",
      changedAt: new Map(
        campaigns.flatMap(({ changed }, at) =>
          changed ? [[`bid ${at + 1}/${100 + at}/search`, "2026-11-05"] as const] : []
        )
      ),
      guards
    }
  }

  /** The input after a plan was applied, with the same statistics. */
  const after = (input: RulesInput, steps: ReturnType<typeof planRules>["draft"]["steps"]): RulesInput => {
    const changes = steps.map(({ change }) => change)
    return {
      ...input,
      campaigns: input.campaigns.map((campaign) => {
        const state = changes.find((change) => change.kind === "state" && change.target === campaign.id)
        const bid = changes.find((change) => change.kind === "bid" && change.target === campaign.id)
        return {
          ...campaign,
          ...(state?.kind === "state" ? { status: state.after } : {}),
          ...(bid?.kind === "bid"
            ? { nm_settings: [{ nm_id: bid.nm_id, bids_kopecks: { search: bid.after, recommendations: bid.after } }] }
            : {})
        }
      }),
      phrases: input.phrases.map((item) => {
        const change = changes.find((one) => one.kind === "phrases" && one.target === item.advert_id)
        return change?.kind === "phrases" ? { ...item, norm_queries: change.after } : item
      }),
      clusterBids: [
        ...input.clusterBids.filter(
          (bid) =>
            !changes.some(
              (one) => one.kind === "cluster" && one.target === bid.advert_id && one.norm_query === bid.norm_query
            )
        ),
        ...changes.flatMap((one) =>
          one.kind === "cluster" && one.after !== null && typeof one.target === "number"
            ? [
                {
                  advert_id: one.target,
                  nm_id: one.nm_id,
                  norm_query: one.norm_query,
                  bid: one.after,
                  unit: "kopecks" as const
                }
              ]
            : []
        )
      ],
      changedAt: new Map([
        ...input.changedAt,
        ...steps.flatMap(({ change, id }) =>
          change.kind === "bid" || change.kind === "cluster" ? [[id, "now"] as const] : []
        )
      ])
    }
  }

  const given = fc.tuple(world, fc.array(anyRule, { minLength: 1, maxLength: 4 }))
  const runs = { numRuns: 400, seed: 11 }

  it("raise nothing unasked, keep to steps, floors and guards, and give each step its evidence", () => {
    fc.assert(
      fc.property(given, ([some, rules]) => {
        const input = inputOf(some, rules)
        for (const { change, reason } of planRules(input).draft.steps) {
          assert.match(reason, /^rule r\d/)
          if (change.kind !== "bid" && change.kind !== "cluster") continue
          if (change.after === null) continue
          const before = change.before ?? some.campaigns[Number(change.target) - 1]?.bid ?? 0
          assert.isBelow(change.after, before)
          assert.isAtMost(before - change.after, before / 2)
          if (change.kind === "bid") assert.isAtLeast(change.after, Math.min(some.floor, before))
          assert.isTrue(change.after % some.step === 0 || change.after === some.floor)
        }
      }),
      runs
    )
  })

  it("touch nothing without evidence, and nothing that has ended", () => {
    fc.assert(
      fc.property(given, ([some, rules]) => {
        const input = inputOf(some, rules)
        for (const { change } of planRules(input).draft.steps) {
          const one = "target" in change ? some.campaigns[Number(change.target) - 1] : undefined
          assert.notStrictEqual(one?.status, 7)
          assert.isTrue(rules.some(({ at_least: { clicks = 0, days = 0 } }) => (one?.days ?? 0) >= days && clicks > 0))
          const most = Math.max(one?.own.clicks ?? 0, ...(one?.clusters.map(({ clicks }) => clicks ?? 0) ?? []))
          assert.isTrue(rules.some(({ at_least: { clicks = 0 } }) => most >= clicks))
        }
      }),
      runs
    )
  })

  it("plan nothing more once their plan is applied", () => {
    fc.assert(
      fc.property(given, ([some, rules]) => {
        const input = inputOf(some, rules)
        const { draft } = planRules(input)
        assert.deepStrictEqual(
          planRules(after(input, draft.steps)).draft.steps.map(({ id }) => id),
          []
        )
      }),
      runs
    )
  })

  it("change no more where they are stricter", () => {
    fc.assert(
      fc.property(
        world,
        fc.array(anyRule, { minLength: 1, maxLength: 1 }),
        fc.integer({ min: 1, max: 80 }),
        (some, rules, more) => {
          const loose = planRules(inputOf(some, rules)).draft
          const stricter = rules.map((rule): Rule => ({
            ...rule,
            when: [...rule.when, `spent > ${more}`],
            at_least: { clicks: (rule.at_least.clicks ?? 0) + more, days: rule.at_least.days ?? 1 }
          }))
          const strict = planRules(inputOf(some, stricter)).draft
          // A rule that goes too far for an article or the account is blocked as a whole there.
          const isBlocked = loose.blocked.some(({ reason }) => /would exclude all|would pause/.test(reason))
          if (isBlocked) return
          const ids = new Set(loose.steps.map(({ id }) => id))
          for (const { id } of strict.steps) assert.isTrue(ids.has(id), id)
        }
      ),
      runs
    )
  })

  it("never pause over half of what was spent, and leave each article a cluster", () => {
    fc.assert(
      fc.property(given, ([some, rules]) => {
        const input = inputOf(some, rules)
        const { draft } = planRules(input)
        const spent = draft.steps.reduce(
          (sum, { change }) =>
            sum + (change.kind === "state" ? (some.campaigns[Number(change.target) - 1]?.own.spent ?? 0) : 0),
          0
        )
        assert.isAtMost(spent * 2, input.spentByAll)
        for (const { change } of draft.steps) {
          if (change.kind === "phrases")
            assert.isBelow(new Set([...change.after, ...change.before]).size, queries.length)
        }
      }),
      runs
    )
  })
})
