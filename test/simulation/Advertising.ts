import { Context, Effect, Layer } from "effect"

import { PlanSources } from "../../src/changes/tools/PlanSource.ts"
import { ChangesToolset } from "../../src/changes/toolset.ts"
import { Journals } from "../../src/cli/plans/PlanJournalFile.ts"
import { Entry, PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { decode, MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { operations } from "../../src/marketplace/client/operations.ts"
import type { State } from "../../src/marketplace/embedded/State.ts"
import type { KeptStatistics } from "../../src/marketplace/report/KeptStatistics.ts"
import { LowestBids } from "../../src/marketplace/report/LowestBids.ts"
import { adsPlans } from "../../src/marketplace/tools/catalog.ts"
import { MarketplaceToolset } from "../../src/marketplace/toolset.ts"
import * as Server from "../../src/mcp/Server.ts"
import { provide } from "../../src/mcp/Toolset.ts"
import type { Json } from "../support/harness.ts"
import type { Caller } from "./Caller.ts"
import type { Hosting } from "./Fleet.ts"
import { isSameAccount, Market } from "./Market.ts"
import { applied, lifeOf, madeAtLast, operator } from "./planLife.ts"
import type { Call, PlanMade } from "./Stage.ts"
import { World } from "./World.ts"

type Services = KeptStatistics | LowestBids | MarketplaceAds | MarketplaceConfig | PlanJournal | Plans

const unlimited = { limit: 5000, periodMs: 1000, burst: 5000 }
const limits = Object.fromEntries(Object.keys(operations).map((name) => [name, unlimited]))
const guards = { maxTopUpRublesPerDay: 5000 }

/** Every bid of an account by its campaign, article and placement. */
const bidsOf = ({ adverts }: State): ReadonlyMap<string, number> =>
  new Map(
    [...adverts.values()].flatMap(({ id, rows }) =>
      rows.flatMap(({ nm_id, recommendations, search }): ReadonlyArray<readonly [string, number]> => [
        [`${id}:${nm_id}:search`, search],
        [`${id}:${nm_id}:recommendations`, recommendations]
      ])
    )
  )

/** Servers that manage the campaigns of one account. */
export class Advertising extends World<Services> {
  private readonly markets: Array<Market> = []

  get remotes(): ReadonlyArray<Market> {
    return this.markets
  }

  private get market(): Market {
    const [market] = this.markets
    if (market === undefined) throw new Error("there is no marketplace yet")
    return market
  }

  protected readonly prepared = Effect.suspend(() =>
    Effect.map(Market.make(this.schedule), (market) => void this.markets.push(market))
  )

  protected readonly serving: Hosting<Services>["serving"] = (client) => {
    const { apiKey, host } = this.market
    const settings = decode({ baseUrl: host, apiKey, readOnly: false, allowInsecureHttp: true, limits, guards })
    const journal = Layer.effect(
      PlanJournal,
      Journals.use(({ make }) => make("/ads", Entry))
    )
    const around = Layer.mergeAll(Layer.effect(MarketplaceConfig, Effect.orDie(settings)), client, journal)
    const services = Layer.merge(Plans.layer, LowestBids.layer).pipe(
      Layer.provideMerge(MarketplaceAds.layer),
      Layer.provideMerge(around),
      Layer.orDie
    )
    return Layer.unwrap(
      Effect.gen(function* () {
        const context = yield* Effect.context<Services>()
        const toolsets = [
          provide(MarketplaceToolset, context),
          provide(ChangesToolset, Context.make(PlanSources, [yield* adsPlans]))
        ]
        return Server.layer({ toolsets, version: "0.0.0-test" })
      })
    ).pipe(Layer.provideMerge(services))
  }

  protected readonly begin = () => Effect.void

  /** A plan of a caller, or a deed of a person beside. */
  private get wish(): Effect.Effect<readonly [tool: string, args: Json]> {
    const { random } = this.schedule
    return Effect.map(this.market.account, ({ adverts }) => {
      const all = [...adverts.values()]
      const advert = all[random.below(all.length)]
      const rows = advert?.rows ?? []
      const { nm_id = 1 } = rows[random.below(rows.length)] ?? {}
      const advert_id = advert?.id ?? 1
      const places = advert?.bid_type === "auto" ? [undefined] : ["search", "recommendations"]
      const percent =
        random.pick([
          [2, -1],
          [1, 1]
        ]) *
        (5 + random.below(40))
      const changes = rows.map((row) => {
        const placement = places[random.below(places.length)]
        return {
          advert_id,
          nm_id: row.nm_id,
          change_percent: percent,
          ...(placement === undefined ? {} : { placement })
        }
      })
      const phrase = `phrase ${this.fresh()}`
      const rule = random.pick([
        [1, "raise"],
        [1, "skip"],
        [1, "block"]
      ] as const)
      const name = `New ${this.fresh()}`
      return random.pick<readonly [string, Json]>([
        [6, ["ads_plan_bids", { changes, on_below_floor: rule }]],
        [3, ["ads_plan_minus_phrases", { pairs: [{ advert_id, nm_id }], phrases: [phrase], mode: "merge" }]],
        [2, ["ads_plan_products", { advert_id, add_nms: [200_000 + this.fresh()] }]],
        [1, ["ads_plan_products", { advert_id, delete_nms: [nm_id] }]],
        [3, ["ads_plan_campaign", { name, nms: [nm_id], placements: ["search"] }]],
        [2, ["ads_plan_migration", { target: "new-manual-campaign", on_below_floor: rule }]],
        [1, ["ads_plan_migration", { target: "in-place", on_below_floor: rule }]]
      ])
    })
  }

  protected readonly acting = (caller: Caller) =>
    Effect.gen({ self: this }, function* () {
      const { random } = this.schedule
      const { adverts } = yield* this.market.account
      const all = [...adverts.values()]
      const advert = all[random.below(all.length)]
      if (advert === undefined) return
      switch (random.below(10)) {
        case 0:
          yield* this.call(caller, "ads_pause_campaign", { advert_id: advert.id, confirm: true })
          break
        case 1:
          yield* this.call(caller, "ads_start_campaign", { advert_id: advert.id, confirm: true })
          break
        case 2:
          yield* this.call(caller, "audit_log", {})
          break
        case 3: {
          const [row] = advert.rows
          const placement = advert.bid_type === "auto" ? "combined" : "search"
          const nm_bids = [{ nm_id: row?.nm_id, bid_kopecks: 30_000 + this.fresh(), placement }]
          this.schedule.note(`a person sets a bid of ${advert.id}`)
          yield* this.market.send("PATCH", "/api/advert/v1/bids", { bids: [{ advert_id: advert.id, nm_bids }] })
          break
        }
        default: {
          const [tool, args] = yield* this.wish
          yield* lifeOf({ world: this, caller, at: "" }, tool, args)
        }
      }
    })

  /** Applies a plan while nobody else changes anything, and rolls it back. */
  protected readonly afterwards = Effect.suspend(() =>
    Effect.gen({ self: this }, function* () {
      const [tool, args] = yield* this.wish
      const before = yield* this.market.account
      const from = this.schedule.now
      const plan = yield* madeAtLast(this, operator, tool, args, "")
      if (plan === undefined || plan.steps === 0 || plan.blocked_count !== 0) return
      if ((yield* applied(this, operator, plan.plan_id, "")) === undefined) return
      // What is shown is what is there by then.
      yield* Effect.sleep("10 minutes")
      const back = yield* madeAtLast(this, operator, "plan_rollback", { plan_id: plan.plan_id }, "")
      if (back === undefined) return
      if (back.blocked_count !== 0) return
      if ((yield* applied(this, operator, back.plan_id, "")) === undefined) return
      yield* Effect.sleep("1 hour")
      const after = yield* this.market.account
      if (!isSameAccount(before, after) && !this.isClockSetAfter(from)) {
        this.found.push(`${tool} is rolled back, and the account is not what it was`)
      }
    })
  )

  protected readonly looked = Effect.void

  problems(): ReadonlyArray<string> {
    return [
      ...this.found,
      ...this.calls.flatMap((call) => this.judge(call)),
      ...this.plans.flatMap((plan) => this.judgePlan(plan))
    ]
  }

  /** Only the clock tells for how long an answer has been lost, once the server that sent something was killed. */
  private isClockSetAfter(moment: number): boolean {
    return this.fleet.machines.some(({ clockSet }) => clockSet.some((at) => at > moment))
  }

  private ownOf(calls: ReadonlyArray<Call>) {
    const ids = new Set<number | undefined>(calls.map(({ id }) => id))
    return this.market.changes.filter(({ call }) => ids.has(call))
  }

  /** The problems of how a single call has ended. */
  private judge(call: Call): ReadonlyArray<string> {
    const { outcome, tool } = call
    const own = this.ownOf([call])
    const problems: Array<string> = []
    if (/^(audit_log|ads_plan|plan_|show_)/.test(tool) && own.length > 0)
      problems.push("only plans, and has changed something")
    if (outcome._tag === "Refused") {
      if (outcome.message.startsWith("Internal error")) problems.push("has failed with a defect")
      if (/nothing was (changed|sent)/i.test(outcome.message) && own.length > 0)
        problems.push(`says ${outcome.message}`)
    }
    if (outcome._tag === "Answered" && /^ads_(pause|start)/.test(tool)) {
      const wanted = tool === "ads_pause_campaign" ? 11 : 9
      const during = [
        this.market.accountAt(call.from),
        ...this.market.changes.filter(({ at }) => at >= call.from && at <= call.to).map(({ after }) => after)
      ]
      const isSo = during.some(({ adverts }) => adverts.get(Number(call.args["advert_id"]))?.status === wanted)
      if (!isSo) problems.push("says that it is done, which was never so")
    }
    return problems.map((problem) => `${tool} ${call.id} of ${call.server} ${problem}`)
  }

  /** The problems of all that was done for a plan. */
  private judgePlan(plan: PlanMade): ReadonlyArray<string> {
    const applies = this.calls.filter(({ args, tool }) => tool === "apply_plan" && args["plan_id"] === plan.id)
    const own = this.ownOf(applies)
    const problems: Array<string> = []
    const once = { create: "save-ad", deposit: "budget/deposit" }
    for (const [kind, end] of Object.entries(once)) {
      const made = own.filter(({ path, sent, at }) => path.endsWith(end) && at - sent < 200_000)
      const planned = plan.kinds[kind] ?? 0
      if (made.length > planned) problems.push(`has done ${kind} ${made.length} times, where ${planned} were planned`)
    }
    const end = Math.min(
      ...applies
        .filter(({ outcome }) => outcome._tag === "Answered" && outcome.answer["state"] === "applied")
        .map(({ to }) => to)
    )
    if (own.some(({ sent }) => sent > end)) problems.push("has gone on although it was at its end")
    if (isCut(plan)) {
      const before = bidsOf(this.market.accountAt(plan.from))
      const raised = own.flatMap(({ after, before: then }) => {
        const now = bidsOf(then)
        return [...bidsOf(after)].filter(([key, bid]) => bid > (now.get(key) ?? bid) && bid > (before.get(key) ?? bid))
      })
      if (raised.length > 0) problems.push(`was to lower bids, and has raised ${raised.map(([key]) => key).join(", ")}`)
    }
    return problems.map((problem) => `plan ${plan.id} of ${plan.tool} ${problem}`)
  }
}

const isCut = ({ args, tool }: PlanMade): boolean => {
  const { changes } = args
  return tool === "ads_plan_bids" && Array.isArray(changes) && changes.every((one) => Object(one).change_percent < 0)
}
