import type { ClusterWire } from "../client/Bids.ts"
import {
  articlesOf,
  bidOf,
  type Campaign,
  hasClusterBids,
  mayChange,
  paymentOf,
  placementsOf,
  status
} from "../client/Campaign.ts"
import { type ClusterBidFound, clusterKey, type MinusPhrases } from "../client/Clusters.ts"
import { pairKey } from "../client/ids.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import type { Line } from "../report/lines.ts"
import type { Period } from "../report/period.ts"
import { changeKey } from "./Change.ts"
import { draft, type Finding } from "./draft.ts"
import { aboveFloor, type BidSteps, type Floor, floorsOf } from "./floors.ts"
import { currencyProblem } from "./guards.ts"
import { type Judged, lineKey, linesMeeting, type NamedRule, onStepWithin, reasonFor, wishOf } from "./judging.ts"
import * as Phrases from "./phrases.ts"
import type { Blocked, Draft } from "./Plan.ts"
import { clusterFindings, type ClusterWish } from "./planClusterBids.ts"
import { phraseFinding } from "./planMinusPhrases.ts"

/** The input for planning by rules: statistics, and the account as it was read. */
export interface RulesInput extends Judged {
  readonly rules: ReadonlyArray<NamedRule>
  readonly period: Period
  /** Kopecks that all campaigns of the account have spent in the period. */
  readonly spentByAll: number
  readonly campaigns: ReadonlyArray<Campaign>
  readonly phrases: ReadonlyArray<MinusPhrases>
  readonly clusterBids: ReadonlyArray<ClusterBidFound>
  readonly floors: ReadonlyArray<Floor>
  readonly steps: BidSteps
  readonly wire?: ClusterWire | undefined
  /** The places whose bids were changed since the evidence began, in words for when. */
  readonly changedAt: ReadonlyMap<string, string>
  readonly guards: Guards
}

/** The lines that a plan by rules has touched, by what is done with them. */
export interface Touched {
  readonly stopped: ReadonlyArray<Line>
  readonly bid: ReadonlyArray<Line>
}

/** The result of planning by rules: besides the draft, how many lines each rule has met, and which were touched. */
interface RulesDraft {
  readonly draft: Draft
  readonly rules: ReadonlyArray<{ readonly rule: string; readonly matches: number; readonly steps: number }>
  readonly touched: Touched
}

/** Plans changes by rules, each with its evidence. Of several rules about one place, the first counts. */
export const planRules = (input: RulesInput): RulesDraft => {
  const campaigns = new Map(input.campaigns.map((campaign) => [campaign.id, campaign]))
  const floor = floorsOf(input.floors, input.steps)
  const present = Phrases.byPair(input.phrases)
  const findings: Array<Finding> = []
  const places = new Set<string>()
  const paused = new Set<number>()
  const excluded = new Map<string, { readonly lines: Array<Line>; readonly reasons: Set<string> }>()
  const wishes: Array<ClusterWish> = []
  const touched = { stopped: new Map<string, Line>(), bid: new Map<string, Line>() }
  const ownBids = new Map(input.clusterBids.map((bid) => [clusterKey(bid), bid.bid]))
  /** The rule of each step, by its place. */
  const ruleOf = new Map<string, string>()
  let spentByPaused = 0

  /** The campaign of a line, if it can change; what is wrong with it is told. */
  const campaignOf = ({ id = 0 }: Line, what: string): Campaign | undefined => {
    const campaign = campaigns.get(id)
    if (campaign === undefined || !mayChange(campaign)) return undefined
    const problem = currencyProblem(campaign)
    if (problem !== undefined) findings.push({ what, reason: problem })
    return problem === undefined ? campaign : undefined
  }
  const isTaken = (place: string): boolean => {
    const isBefore = places.has(place)
    places.add(place)
    return isBefore
  }
  const block = (what: string, reason: string, more: Partial<Blocked> = {}) => {
    findings.push({ what, reason, ...more })
  }
  const isRecent = (place: string): boolean => {
    const at = input.changedAt.get(place)
    if (at !== undefined) {
      block(
        place,
        `a plan has changed it on ${at}, and the statistics are of the bid before, too: judge it from then on`,
        {
          later: true
        }
      )
    }
    return at !== undefined
  }

  const pause = (rule: NamedRule, lines: ReadonlyArray<Line>) => {
    // What is paused already needs no other change either.
    for (const { id = 0 } of lines) if (campaigns.get(id)?.status === status.paused) paused.add(id)
    const some = lines.filter((line) => {
      const isRunning = campaigns.get(line.id ?? 0)?.status === status.active
      return isRunning && !paused.has(line.id ?? 0) && campaignOf(line, `state ${line.id}`) !== undefined
    })
    const spent = some.reduce((sum, { metrics }) => sum + (metrics.spent ?? 0), spentByPaused)
    if (some.length > 0 && spent * 2 > input.spentByAll) {
      const share = input.spentByAll > 0 ? Math.round((100 * spent) / input.spentByAll) : 100
      block(
        `rule ${rule.name}`,
        `it would pause ${some.length} campaigns with ${share}% of what was spent: over half is never paused by rules`
      )
      return
    }
    spentByPaused = spent
    for (const line of some) {
      const target = line.id ?? 0
      paused.add(target)
      touched.stopped.set(lineKey(line), line)
      const change = { kind: "state", target, before: status.active, after: status.paused } as const
      ruleOf.set(changeKey(change), rule.name)
      findings.push({ change, reason: reasonFor(rule, line, input.period) })
    }
  }

  const bid = (rule: NamedRule, line: Line) => {
    const campaign = campaignOf(line, `bid ${line.id}`)
    if (campaign === undefined) return
    const articles = articlesOf(campaign).filter(({ nm_id }) => line.nm_id === undefined || nm_id === line.nm_id)
    for (const article of articles) {
      for (const placement of placementsOf(campaign)) {
        const at = { kind: "bid", target: campaign.id, nm_id: article.nm_id, placement } as const
        const before = bidOf(article, placement)
        if (before === null) continue
        const wanted = wishOf(rule, before, line, input.guards)
        const place = changeKey({ ...at, before, after: before })
        if (wanted === undefined || isTaken(place) || isRecent(place)) continue
        const payment_type = paymentOf(campaign)
        const stepped = onStepWithin(wanted.wish, input.steps[payment_type], before, input.guards)
        const lowest = floor({ nm_id: article.nm_id, placement, payment_type })
        const allowed = aboveFloor(stepped.bid, lowest, "raise", { before, isCut: stepped.bid < before })
        if (allowed === undefined) continue
        if ("problem" in allowed) block(place, allowed.problem)
        else if (allowed.bid !== before && (allowed.bid < before || rule.may_raise === true)) {
          touched.bid.set(lineKey(line), line)
          ruleOf.set(place, rule.name)
          const reason = `${reasonFor(rule, line, input.period)}${wanted.note}${stepped.note}${allowed.note}`
          findings.push({ change: { ...at, before, after: allowed.bid }, reason })
        }
      }
    }
  }

  const clusterBid = (rule: NamedRule, line: Line) => {
    const { nm_id = 0, query: norm_query = "" } = line
    const campaign = campaignOf(line, `cluster ${lineKey(line)}`)
    const article = campaign === undefined ? undefined : articlesOf(campaign).find((one) => one.nm_id === nm_id)
    if (campaign === undefined || article === undefined || !hasClusterBids(campaign)) return
    const cluster = { advert_id: campaign.id, nm_id, norm_query }
    // A cluster without a bid of its own has that of its article.
    const before = ownBids.get(clusterKey(cluster)) ?? bidOf(article, "search")
    const wanted = before === null ? undefined : wishOf(rule, before, line, input.guards)
    const place = `cluster ${campaign.id}/${nm_id}/${norm_query}`
    if (before === null || wanted === undefined || isTaken(place) || isRecent(place)) return
    const to = onStepWithin(wanted.wish, input.steps.cpm, before, input.guards).bid
    if (Math.abs(to - before) * 100 > input.guards.maxChangePercent * before) {
      block(place, "guard maxChangePercent: it changes the bid too far at once")
      return
    }
    if (to === before || (to > before && rule.may_raise !== true)) return
    touched.bid.set(lineKey(line), line)
    ruleOf.set(place, rule.name)
    wishes.push({ ...cluster, to, reason: `${reasonFor(rule, line, input.period)}${wanted.note}` })
  }

  const exclude = (rule: NamedRule, line: Line) => {
    const { id: advert_id = 0, nm_id = 0, query = "" } = line
    const campaign = campaignOf(line, `phrases ${advert_id}/${nm_id}`)
    if (campaign === undefined || !articlesOf(campaign).some((article) => article.nm_id === nm_id)) return
    const before = present(advert_id, nm_id)
    if (Phrases.same(Phrases.merge(before, [query]), before)) return
    const one = excluded.get(pairKey({ advert_id, nm_id })) ?? { lines: [], reasons: new Set() }
    excluded.set(pairKey({ advert_id, nm_id }), one)
    if (!one.lines.some((other) => other.query === query)) one.lines.push(line)
    one.reasons.add(rule.name)
  }

  const counts = input.rules.map((rule) => ({ rule, lines: linesMeeting(rule, input) }))
  // What pauses needs no other change.
  for (const { lines, rule } of counts) if (rule.do === "pause") pause(rule, lines)
  const isRunning = ({ id = 0 }: Line) => !paused.has(id)
  for (const { lines, rule } of counts) {
    if (rule.do === "exclude") for (const line of lines.filter(isRunning)) exclude(rule, line)
  }
  const isExcluded = ({ id: advert_id = 0, nm_id = 0, query }: Line) =>
    excluded.get(pairKey({ advert_id, nm_id }))?.lines.some((line) => line.query === query) === true
  for (const [pair, { lines, reasons }] of excluded) {
    const [line] = lines
    const { id: target = 0, nm_id = 0 } = line ?? {}
    const before = present(target, nm_id)
    const open = input.lines.cluster.filter(
      ({ id: advert_id = 0, nm_id: nm = 0, query = "" }) =>
        pairKey({ advert_id, nm_id: nm }) === pair && !Phrases.same(Phrases.merge(before, [query]), before)
    )
    const rules = [...reasons].join(", ")
    if (lines.length >= open.length) {
      block(
        `phrases ${target}/${nm_id}`,
        `rule ${rules} would exclude all ${open.length} clusters of the article, and then nobody would find it by search`
      )
      continue
    }
    const sum = lines.reduce((all, { metrics }) => all + (metrics.spent ?? 0), 0) / 100
    const orders = lines.reduce((all, { metrics }) => all + (metrics.orders ?? 0), 0)
    const { from, to } = input.period
    const reason = `rule ${rules}: ${lines.length === 1 ? "1 cluster" : `${lines.length} clusters`} spent ${sum} rub with ${orders} orders, ${from} to ${to}`
    const after = Phrases.merge(
      before,
      lines.map(({ query = "" }) => query)
    )
    ruleOf.set(`phrases ${target}/${nm_id}`, [...reasons][0] ?? "")
    findings.push(...phraseFinding({ target, nm_id, before, after }, reason))
    for (const one of lines) {
      touched.stopped.set(lineKey(one), one)
      const cluster = { advert_id: target, nm_id, norm_query: one.query ?? "" }
      if (ownBids.has(clusterKey(cluster)))
        wishes.push({ ...cluster, to: null, reason: `rule ${rules} excludes the cluster` })
    }
  }
  for (const { lines, rule } of counts) {
    const some = lines.filter((line) => isRunning(line) && !isExcluded(line))
    if (rule.do === "bid") for (const line of some) bid(rule, line)
    if (rule.do === "cluster_bid") for (const line of some) clusterBid(rule, line)
  }
  const clusters = clusterFindings({ ...input, current: input.clusterBids, wishes, step: input.steps.cpm })
  const planned = draft("rules", input.guards, [...findings, ...clusters.findings], clusters.unit)
  return {
    draft: planned,
    rules: counts.map(({ lines, rule }) => ({
      rule: rule.name,
      matches: lines.length,
      steps: planned.steps.filter(({ id }) => ruleOf.get(id) === rule.name).length
    })),
    touched: { stopped: [...touched.stopped.values()], bid: [...touched.bid.values()] }
  }
}
