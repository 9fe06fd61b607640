import { Effect, Option, Schema } from "effect"

import type { PlanState } from "../../../changes/PlanState.ts"
import { recordOf } from "../../../changes/PlanState.ts"
import { reads } from "../../../mcp/annotations.ts"
import { optional } from "../../../mcp/parameters.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { Plans } from "../../apply/Plans.ts"
import { budgetsOf } from "../../apply/running.ts"
import { Purse } from "../../client/Account.ts"
import { type Campaign, ManualPlacement, status, Visible } from "../../client/Campaign.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { rublesToKopecks, RublesGiven } from "../../client/money.ts"
import type { Change } from "../../plan/Change.ts"
import { findTwin } from "../../plan/migrateCampaign.ts"
import { planMoney } from "../../plan/planMoney.ts"
import { type Pairing, planState } from "../../plan/planState.ts"
import { KeptStatistics } from "../../report/KeptStatistics.ts"
import { count, kopecks } from "../../report/metrics.ts"
import { orRefuse } from "../errors.ts"
import { advertIds, id, notEmpty, numberOrText, shownAs, shownIds, words } from "../parameters.ts"
import { checkSelection, nothingSelected, selected, selectionLike } from "../selection.ts"
import { anyPlan, campaignsOf, keep, littleRoom, withWarnings } from "./planning.ts"

/** The campaigns that a pause of several has paused and that are paused still. */
const pausedBy = Effect.fnUntraced(function* (pause: string, campaigns: ReadonlyArray<Campaign>) {
  const entries = yield* Plans.use((plans) => plans.entries)
  const outcomes = new Map(
    entries.flatMap((entry) =>
      entry.type === "action" && entry["pause"] === pause ? [[entry["advert_id"], entry.outcome] as const] : []
    )
  )
  // One that was begun by a process that was killed may have been paused, and counts where it is.
  const ids = new Set([...outcomes].flatMap(([id, outcome]) => (outcome === "done" || outcome === "begun" ? [id] : [])))
  if (ids.size === 0) {
    const problem = "must be the pause_id that ads_pause_campaign returned for several campaigns"
    return yield* new InvalidArgument({ argument: "undo_pause", problem })
  }
  return campaigns.filter((campaign) => ids.has(campaign.id) && campaign.status === status.paused).map((one) => one.id)
})

/** The pairs of a migration: each old campaign with its twin. */
const pairingsOf = (state: PlanState<Change>, campaigns: ReadonlyArray<Campaign>): ReadonlyArray<Pairing> => {
  const touched = new Set(state.plan.steps.map(({ change }) => ("target" in change ? change.target : undefined)))
  const made = state.plan.steps.flatMap(({ change, id: step }) => {
    const created = recordOf(state, step).created
    return change.kind === "create" && change.twin_of !== undefined && typeof created === "number"
      ? [{ from: change.twin_of, to: created }]
      : []
  })
  const before = campaigns
    .filter(({ bid_type }) => bid_type === "auto")
    .flatMap((campaign) => {
      const twin = findTwin(campaigns, campaign)
      return twin !== undefined && touched.has(twin.id) ? [{ from: campaign.id, to: twin.id }] : []
    })
  return [...new Map([...before, ...made].map((pair) => [pair.from, pair])).values()]
}

/** The statuses in which settings can change. */
const changeable: ReadonlyArray<number> = [status.ready, status.active, status.paused]

const namedId = (description: string) =>
  Schema.NonEmptyString.annotate({ inputSchema: { type: "string", description } })

export const planStateTool = Tool.make("ads_plan_state", {
  title: "Plan states",
  description: "Plan to start, pause or end many campaigns, to place (места показа) or rename (переименовать) them",
  annotations: reads,
  arguments: {
    pause: optional(selectionLike("To pause")),
    start: optional(selectionLike("To start")),
    end: optional(advertIds.annotate(shownIds("Ends for good"))),
    campaigns: optional(selectionLike("For placements, name")),
    placements: optional(words(ManualPlacement, "All that they get")),
    name: optional(Visible.annotate({ inputSchema: { type: "string", description: "New name of one" } })),
    switch_over: optional(namedId("plan_id of a migration")),
    undo_pause: optional(namedId("pause_id"))
  },
  result: anyPlan,
  run: Effect.fn("ads_plan_state")(function* ({
    campaigns: chosen,
    end = [],
    name,
    pause,
    placements,
    start,
    ...more
  }) {
    const { switch_over, undo_pause } = more
    const isOfSettings = name !== undefined || placements !== undefined
    if (isOfSettings !== (chosen !== undefined)) {
      const problem = isOfSettings
        ? "must say whose name or placements: nothing never means all"
        : "must come with placements or name; start, pause and end name their own"
      return yield* new InvalidArgument({ argument: "campaigns", problem })
    }
    if (end.length === 0 && [chosen, pause, start, switch_over, undo_pause].every((one) => one === undefined)) {
      const problem = "must be given, or pause, end, campaigns, switch_over or undo_pause: nothing never means all"
      return yield* new InvalidArgument({ argument: "start", problem })
    }
    yield* checkSelection("pause", pause)
    yield* checkSelection("start", start)
    yield* checkSelection("campaigns", chosen)
    const ads = yield* MarketplaceAds
    const { adverts: campaigns, unreadable } = yield* ads.getAdvertsV2()
    const idsOf = (selection: typeof start, from: ReadonlyArray<number>) => {
      if (selection === undefined) return []
      const some = new Set(selected(campaigns, selection).map((one) => one.id))
      const isThere = (one: number) => campaigns.some(({ id: other }) => other === one)
      // An id that names no campaign is told, not left out.
      if (selection.ids !== undefined) return selection.ids.filter((one) => some.has(one) || !isThere(one))
      return campaigns.filter((one) => some.has(one.id) && from.includes(one.status)).map((one) => one.id)
    }
    const settings = { ids: idsOf(chosen, changeable), ...(name && { name }), ...(placements && { placements }) }
    if (name !== undefined && settings.ids.length !== 1) {
      const problem = `must be for one campaign, and campaigns names ${settings.ids.length}`
      return yield* new InvalidArgument({ argument: "name", problem })
    }
    const switchOver = switch_over === undefined ? [] : yield* switchOf(switch_over, campaigns)
    const starting = [
      ...idsOf(start, [status.ready, status.paused]),
      ...(undo_pause === undefined ? [] : yield* pausedBy(undo_pause, campaigns))
    ]
    const budgets = yield* budgetsOf(ads, [...starting, ...end, ...switchOver.map(({ to }) => to)])
    const { guards } = yield* MarketplaceConfig
    const moves = { pause: idsOf(pause, [status.active]), start: starting, end, switchOver }
    const draft = planState({ campaigns, unreadable, budgets, ...moves, settings, guards })
    const warnings = [
      ...nothingSelected("pause", pause, moves.pause.length),
      ...nothingSelected("start", start, starting.length),
      ...nothingSelected("campaigns", chosen, settings.ids.length)
    ]
    return yield* keep(withWarnings(draft, warnings), littleRoom)
  }, orRefuse)
})

const switchOf = Effect.fnUntraced(function* (plan: string, campaigns: ReadonlyArray<Campaign>) {
  const pairings = pairingsOf(yield* Plans.use((plans) => plans.state(plan)), campaigns)
  if (pairings.length > 0) return pairings
  const problem = "must be an applied plan of ads_plan_migration with target new-manual-campaign"
  return yield* new InvalidArgument({ argument: "switch_over", problem })
})

const positive = numberOrText(
  Schema.Number.check(
    Schema.isInt({ message: "must be whole rubles" }),
    Schema.isGreaterThan(0, { message: "must be above 0" })
  )
)

const topUps = Schema.Array(Schema.Struct({ advert_id: id, rubles: positive, from: Schema.optionalKey(Purse) }))
  .check(notEmpty)
  .annotate(
    shownAs(
      "For good",
      {
        advert_id: { type: "integer", description: "Campaign" },
        rubles: { type: "number", description: "Whole rubles" },
        from: { type: "string", enum: Purse.literals, description: "Default account" }
      },
      ["advert_id", "rubles"]
    )
  )

const dailyLimits = Schema.Array(Schema.Struct({ advert_id: id, rubles: Schema.NullOr(RublesGiven) }))
  .check(notEmpty)
  .annotate(
    shownAs(
      "Only with pay per click",
      {
        advert_id: { type: "integer", description: "Campaign" },
        rubles: { type: "number", description: "0: no limit" }
      },
      ["advert_id", "rubles"]
    )
  )

export const planMoneyTool = Tool.make("ads_plan_money", {
  title: "Plan money",
  description: "Plan top-ups (пополнить бюджет) and daily limits (дневной лимит)",
  annotations: reads,
  arguments: { top_up: optional(topUps), daily_limits: optional(dailyLimits) },
  result: anyPlan,
  run: Effect.fn("ads_plan_money")(function* ({ daily_limits = [], top_up = [] }) {
    if (daily_limits.length + top_up.length === 0) {
      return yield* new InvalidArgument({ argument: "top_up", problem: "must be given, or daily_limits" })
    }
    const ads = yield* MarketplaceAds
    const { guards } = yield* MarketplaceConfig
    const { campaigns, unreadable } = yield* campaignsOf([...daily_limits, ...top_up])
    const budgets = yield* budgetsOf(
      ads,
      top_up.map(({ advert_id }) => advert_id)
    )
    const config = yield* KeptStatistics.use((statistics) => statistics.config)
    // The marketplace refuses what is not there in any case.
    const balance = top_up.length === 0 ? undefined : Option.getOrUndefined(yield* Effect.option(ads.getAdvBalance()))
    const draft = planMoney({
      campaigns,
      unreadable,
      guards,
      topUps: top_up.map(({ advert_id, from = "account", rubles }) => ({ advert_id, from, rubles })),
      limits: daily_limits.map(({ advert_id, rubles }) => ({
        advert_id,
        to: rubles === null || Number(rubles) === 0 ? null : rublesToKopecks(rubles)
      })),
      budgets,
      dailyLimits: daily_limits.length === 0 ? [] : yield* ads.getDailyLimits(),
      purses: {
        account: kopecks(balance?.balance),
        balance: kopecks(balance?.net),
        bonus: kopecks(balance?.bonus)
      },
      least: { topUp: count(config?.minTopUp), dailyLimit: count(config?.minDailyLimit) }
    })
    return yield* keep(draft)
  }, orRefuse)
})
