import { Clock, DateTime, Effect, Schema } from "effect"

import { next, whole } from "../../../changes/tools/results.ts"
import { reads } from "../../../mcp/annotations.ts"
import { optional, shownNumber } from "../../../mcp/parameters.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { Plans } from "../../apply/Plans.ts"
import { articlesOf, type Campaign, hasClusterBids, pairsOf } from "../../client/Campaign.ts"
import { Day, distinctPairs, type Pair } from "../../client/ids.ts"
import { clusterWire } from "../../client/keyRules.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import type { RuleAction } from "../../client/Rule.ts"
import { bidsChangedSince } from "../../plan/guards.ts"
import { levelOf, lineKey, linesMeeting, type NamedRule } from "../../plan/judging.ts"
import { planRules, type Touched } from "../../plan/planRules.ts"
import type { Patience } from "../../report/gathering.ts"
import { articleLines, campaignLine, type Line } from "../../report/lines.ts"
import { noMetrics, plus, shownValue } from "../../report/metrics.ts"
import { beginOf, dayAfter, daysOf, lengthOf, type Period } from "../../report/period.ts"
import { readReport, type Report } from "../../report/Reports.ts"
import { patience } from "../deadline.ts"
import { orRefuse, StatisticsPending } from "../errors.ts"
import { notEmpty } from "../parameters.ts"
import { goOn } from "../report.ts"
import { checkPeriod, periodOf } from "../reportLines.ts"
import { checkSelection, nothingSelected, selected, selectionLike } from "../selection.ts"
import { floorRule, unaskedFloors } from "./floorRule.ts"
import { bidSteps, keep, littleRoom, phrasesOf, withWarnings } from "./planning.ts"
import { invalid, rules, rulesIn } from "./ruleArguments.ts"

const rulesPlan = Schema.Struct({
  plan_id: Schema.String,
  steps: whole,
  rules: Schema.Array(Schema.Struct({ rule: Schema.String, matches: whole, steps: whole })),
  check: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  next
})

const namedShown = {
  inputSchema: { type: "array", items: { type: "string" }, description: "Configured rules" }
}

export const planRulesTool = Tool.make("ads_plan_rules", {
  title: "Plan by rules",
  description:
    "Plan by rules: lower bids (снизить ставки) where ДРР is high, exclude clusters (кластеры без заказов), pause what burns",
  annotations: reads,
  arguments: {
    rules: optional(rules),
    named: optional(Schema.Array(Schema.String).check(notEmpty).annotate(namedShown)),
    campaigns: optional(selectionLike("Default all")),
    from: optional(Day.annotate({ description: "First day judged" })),
    to: optional(Day.annotate({ description: "Last day" })),
    check_days: optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }, { message: "must be between 1 and 60" })).annotate(
        shownNumber("Judge by days before")
      )
    )
  },
  result: rulesPlan,
  run: Effect.fn("ads_plan_rules")(function* ({
    campaigns: chosen,
    check_days,
    named = [],
    rules: given = [],
    ...days
  }) {
    const reading = yield* patience
    const checked = yield* rulesIn(given, named)
    yield* checkSelection("campaigns", chosen)
    const whole = periodOf(yield* Clock.currentTimeMillis, days)
    yield* checkPeriod(whole)
    if (check_days !== undefined && check_days >= lengthOf(whole)) {
      return yield* invalid("check_days", `must be below ${lengthOf(whole)}: the days before them are judged`)
    }
    const period: Period = check_days === undefined ? whole : { from: whole.from, to: dayAfter(whole.to, -check_days) }
    const after: Period | undefined = check_days === undefined ? undefined : { from: dayAfter(period.to), to: whole.to }
    // Read at once, so that the two parts need no reads of their own.
    if (after !== undefined) yield* complete("campaign", whole, chosen, reading)
    const evidence = yield* readEvidence(checked, period, chosen, reading)
    const involved = evidence.involved(checked)
    const state = yield* readState(involved, evidence)
    const entries = yield* Plans.use((plans) => plans.entries)
    const since = beginOf(period.from) ?? 0
    const changedAt = new Map(
      [...bidsChangedSince(entries, since)].map(([place, at]) => [
        place,
        DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at))
      ])
    )
    const settings = yield* MarketplaceConfig
    const result = planRules({
      rules: checked,
      period,
      lines: evidence.lines,
      daysShown: evidence.daysShown,
      spentByAll: evidence.spentByAll,
      ...state.account,
      steps: yield* bidSteps,
      wire: clusterWire(settings),
      changedAt,
      guards: settings.guards
    })
    const check =
      after === undefined ? {} : { check: yield* checkOf(result.touched, after, evidence.lines, chosen, reading) }
    const warnings = [...state.warnings, ...nothingSelected("campaigns", chosen, evidence.campaigns)]
    const plan = yield* keep(withWarnings(result.draft, warnings), littleRoom)
    const watching = settings.watchMayPause ? { watch_may_pause: true } : {}
    return { ...plan, rules: result.rules, ...check, ...watching }
  }, orRefuse)
})

type Chosen = Parameters<typeof checkSelection>[1]

/** A report that is complete; fails with how to go on where it is not. */
const complete = Effect.fnUntraced(function* (
  level: "article" | "campaign" | "cluster",
  period: Period,
  chosen: Chosen,
  reading: Patience
) {
  const report = yield* readReport(
    { level, period, ...(chosen === undefined ? {} : { choose: (all) => selected(all, chosen) }) },
    reading
  )
  const { unread } = report
  if (unread === undefined || unread.reads === 0) return report
  return yield* new StatisticsPending({ problem: goOn(yield* MarketplaceConfig, unread) })
})

/** The statistics that rules judge. */
const readEvidence = Effect.fnUntraced(function* (
  checked: ReadonlyArray<NamedRule>,
  period: Period,
  chosen: Chosen,
  reading: Patience
) {
  const has = (level: ReturnType<typeof levelOf>) => checked.some((rule) => levelOf(rule) === level)
  const report = yield* complete("campaign", period, chosen, reading)
  const dates = daysOf(period)
  // A pause is held against what the whole account has spent.
  const isOfAll = chosen === undefined || !checked.some((rule) => rule.do === "pause")
  const account = isOfAll ? report : yield* complete("campaign", period, undefined, reading)
  const cluster = has("cluster") ? (yield* complete("cluster", period, chosen, reading)).lines : []
  const lines = {
    campaign: report.lines,
    article: has("article") ? report.campaigns.flatMap((one) => articleLines(one, report.days, dates)) : [],
    cluster
  }
  const daysShown = (advert_id: number) =>
    dates.filter((day) => (report.days.dayOf(advert_id, day)?.metrics.views ?? 0) > 0).length
  return {
    lines,
    /** The number of campaigns that are judged. */
    campaigns: report.campaigns.length,
    daysShown,
    spentByAll: account.lines.reduce(
      (sum, { currency, metrics }) => sum + (currency === undefined ? (metrics.spent ?? 0) : 0),
      0
    ),
    /** The campaigns that some rule is about, with what it does. */
    involved: (some: ReadonlyArray<NamedRule>) =>
      some.flatMap((rule) => linesMeeting(rule, { daysShown, lines }).map((line) => ({ rule, line })))
  }
})

type Evidence = Effect.Success<ReturnType<typeof readEvidence>>

/** The present state of what rules are about. */
const readState = Effect.fnUntraced(function* (involved: ReturnType<Evidence["involved"]>, { lines }: Evidence) {
  const ads = yield* MarketplaceAds
  const rule = yield* floorRule({})
  const ids = [...new Set(involved.map(({ line }) => line.id ?? 0))]
  const { adverts: campaigns } = ids.length === 0 ? { adverts: [] } : yield* ads.getAdvertsV2({ ids })
  const idsOf = (action: RuleAction) =>
    new Set(involved.flatMap((one) => (one.rule.do === action ? [one.line.id ?? 0] : [])))
  const pairsFor = (some: ReadonlySet<number>) => {
    const named = new Set(lines.cluster.filter(({ id = 0 }) => some.has(id)).map(({ nm_id }) => nm_id))
    return pairsOf(campaigns.filter(({ id }) => some.has(id))).filter(({ nm_id }) => named.has(nm_id))
  }
  const excluding = distinctPairs(pairsFor(idsOf("exclude")))
  const { items: phrases, warnings: phraseWarnings } = excluding.length === 0 ? noPhrases : yield* phrasesOf(excluding)
  const manual = new Set(campaigns.filter(hasClusterBids).map(({ id }) => id))
  const clustered = distinctPairs([...excluding, ...pairsFor(idsOf("cluster_bid"))]).filter((pair: Pair) =>
    manual.has(pair.advert_id)
  )
  const { bids: clusterBids } =
    clustered.length === 0 ? { bids: [] } : yield* ads.getNormqueryBids({ items: clustered })
  const bidding = campaigns.filter(({ id }) => idsOf("bid").has(id))
  const requests = bidding.map((campaign: Campaign) => ({
    campaign,
    nm_ids: articlesOf(campaign).map(({ nm_id }) => nm_id)
  }))
  const isAsking = bidding.length > 0 && rule.isAsking(bidding.length)
  const floors = isAsking
    ? yield* rule.ask(requests)
    : { floors: [], warnings: bidding.length === 0 ? [] : [unaskedFloors] }
  return {
    account: { campaigns, phrases, clusterBids, floors: floors.floors },
    warnings: [...phraseWarnings, ...floors.warnings]
  }
})

const noPhrases = { items: [], warnings: [] }

/** The results of what a rule touches, in the days after those that it was judged by. */
const checkOf = Effect.fnUntraced(function* (
  { bid, stopped }: Touched,
  after: Period,
  judged: Evidence["lines"],
  chosen: Chosen,
  reading: Patience
) {
  const report: Report = yield* complete("campaign", after, chosen, reading)
  const dates = daysOf(after)
  const isOfClusters = judged.cluster.length > 0
  const clusters = isOfClusters ? (yield* complete("cluster", after, chosen, reading)).lines : []
  const later = new Map<string, Line>(
    [
      ...report.campaigns.flatMap((one) => [
        ...campaignLine(one, report.days, dates),
        ...articleLines(one, report.days, dates)
      ]),
      ...clusters
    ].map((line) => [lineKey(line), line])
  )
  const sumOf = (lines: ReadonlyArray<Line>) =>
    lines.reduce((sum, line) => plus(sum, later.get(lineKey(line))?.metrics ?? noMetrics), noMetrics)
  const [saved, changed] = [sumOf(stopped), sumOf(bid)]
  return {
    ...after,
    rubles_saved: shownValue(saved, "spent") ?? 0,
    orders_lost: shownValue(saved, "orders") ?? 0,
    with_other_bids: {
      spent: shownValue(changed, "spent") ?? 0,
      orders: shownValue(changed, "orders") ?? 0,
      drr_percent: shownValue(changed, "drr_percent")
    }
  }
})
