import type { ClusterWire } from "../client/Bids.ts"
import {
  articleOf,
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
import type { RuleAction } from "../client/Rule.ts"
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

/** The account as it was read, to be looked up. */
const lookups = (input: RulesInput) => ({
  campaigns: new Map(input.campaigns.map((campaign) => [campaign.id, campaign])),
  floor: floorsOf(input.floors, input.steps),
  phrasesAt: Phrases.byPair(input.phrases),
  ownBids: new Map(input.clusterBids.map((bid) => [clusterKey(bid), bid.bid]))
})

/** A plan in the making: the account, and what rules have led to so far. */
const begin = (input: RulesInput) => ({
  ...lookups(input),
  input,
  findings: new Array<Finding>(),
  wishes: new Array<ClusterWish>(),
  stopped: new Map<string, Line>(),
  bid: new Map<string, Line>(),
  /** The rule of each step, by its place. */
  ruleOf: new Map<string, string>(),
  places: new Set<string>(),
  paused: new Set<number>(),
  spentByPaused: 0
})
type Planning = ReturnType<typeof begin>

/** A rule and the lines that meet it. */
interface Match {
  readonly rule: NamedRule
  readonly lines: ReadonlyArray<Line>
}

const block = ({ findings }: Planning, what: string, reason: string, more: Partial<Blocked> = {}) => {
  findings.push({ what, reason, ...more })
}

/** The campaign of a line, if it can change; what is wrong with it is told. */
const campaignOf = (planning: Planning, { id = 0 }: Line, what: string): Campaign | undefined => {
  const campaign = planning.campaigns.get(id)
  if (campaign === undefined || !mayChange(campaign)) return undefined
  const problem = currencyProblem(campaign)
  if (problem !== undefined) block(planning, what, problem)
  return problem === undefined ? campaign : undefined
}

/** Whether no rule before was about a place, and no plan has changed it since the evidence began. */
const isOpen = (planning: Planning, place: string): boolean => {
  const { input, places } = planning
  if (places.has(place)) return false
  places.add(place)
  const at = input.changedAt.get(place)
  if (at === undefined) return true
  const reason = `a plan has changed it on ${at}, and the statistics are of the bid before, too: judge it from then on`
  block(planning, place, reason, { later: true })
  return false
}

/** Pauses the campaigns of lines, unless that stops over half of what the account spends. */
const pause = (planning: Planning, { lines, rule }: Match) => {
  const { campaigns, findings, input, paused, ruleOf, stopped } = planning
  // What is paused already needs no other change either.
  for (const { id = 0 } of lines) if (campaigns.get(id)?.status === status.paused) paused.add(id)
  const running = lines.filter((line) => {
    const { id = 0 } = line
    const isRunning = campaigns.get(id)?.status === status.active
    return isRunning && !paused.has(id) && campaignOf(planning, line, `state ${id}`) !== undefined
  })
  const spent = running.reduce((sum, { metrics }) => sum + (metrics.spent ?? 0), planning.spentByPaused)
  if (running.length > 0 && spent * 2 > input.spentByAll) {
    const share = input.spentByAll > 0 ? Math.round((100 * spent) / input.spentByAll) : 100
    const reason = `it would pause ${running.length} campaigns with ${share}% of what was spent: over half is never paused by rules`
    return block(planning, `rule ${rule.name}`, reason)
  }
  planning.spentByPaused = spent
  for (const line of running) {
    const { id: target = 0 } = line
    paused.add(target)
    stopped.set(lineKey(line), line)
    const change = { kind: "state", target, before: status.active, after: status.paused } as const
    ruleOf.set(changeKey(change), rule.name)
    findings.push({ change, reason: reasonFor(rule, line, input.period) })
  }
}

/** Sets the bids of all articles that a line is about. */
const setBids = (planning: Planning, rule: NamedRule, line: Line) => {
  const { bid, findings, floor, input, ruleOf } = planning
  const campaign = campaignOf(planning, line, `bid ${line.id}`)
  if (campaign === undefined) return
  const payment_type = paymentOf(campaign)
  const articles = articlesOf(campaign).filter(({ nm_id }) => line.nm_id === undefined || nm_id === line.nm_id)
  const bids = articles.flatMap((article) =>
    placementsOf(campaign).flatMap((placement) => {
      const before = bidOf(article, placement)
      return before === null ? [] : [{ nm_id: article.nm_id, placement, before }]
    })
  )
  for (const { before, nm_id, placement } of bids) {
    const at = { kind: "bid", target: campaign.id, nm_id, placement } as const
    const place = changeKey({ ...at, before, after: before })
    const wanted = wishOf(rule, before, line, input.guards)
    if (wanted === undefined || !isOpen(planning, place)) continue
    const stepped = onStepWithin(wanted.wish, input.steps[payment_type], before, input.guards)
    const lowest = floor({ nm_id, placement, payment_type })
    const allowed = aboveFloor(stepped.bid, lowest, "raise", { before, isCut: stepped.bid < before })
    if (allowed === undefined) continue
    if ("problem" in allowed) block(planning, place, allowed.problem)
    else if (allowed.bid < before || (allowed.bid > before && rule.may_raise === true)) {
      bid.set(lineKey(line), line)
      ruleOf.set(place, rule.name)
      const reason = `${reasonFor(rule, line, input.period)}${wanted.note}${stepped.note}${allowed.note}`
      findings.push({ change: { ...at, before, after: allowed.bid }, reason })
    }
  }
}

const setClusterBid = (planning: Planning, rule: NamedRule, line: Line) => {
  const { bid, input, ownBids, ruleOf, wishes } = planning
  const { nm_id = 0, query: norm_query = "" } = line
  const campaign = campaignOf(planning, line, `cluster ${lineKey(line)}`)
  const article = campaign === undefined ? undefined : articleOf(campaign, nm_id)
  if (campaign === undefined || article === undefined || !hasClusterBids(campaign)) return
  const cluster = { advert_id: campaign.id, nm_id, norm_query }
  // A cluster without a bid of its own has that of its article.
  const before = ownBids.get(clusterKey(cluster)) ?? bidOf(article, "search")
  const wanted = before === null ? undefined : wishOf(rule, before, line, input.guards)
  const place = `cluster ${campaign.id}/${nm_id}/${norm_query}`
  if (before === null || wanted === undefined || !isOpen(planning, place)) return
  const to = onStepWithin(wanted.wish, input.steps.cpm, before, input.guards).bid
  if (Math.abs(to - before) * 100 > input.guards.maxChangePercent * before) {
    return block(planning, place, "guard maxChangePercent: it changes the bid too far at once")
  }
  if (to === before || (to > before && rule.may_raise !== true)) return
  bid.set(lineKey(line), line)
  ruleOf.set(place, rule.name)
  wishes.push({ ...cluster, to, reason: `${reasonFor(rule, line, input.period)}${wanted.note}` })
}

/** The search clusters of an article that rules exclude. */
interface Exclusion {
  readonly advert_id: number
  readonly nm_id: number
  readonly lines: Array<Line>
  readonly rules: Set<string>
}

const isExcludedBy = (phrases: ReadonlyArray<string>, query: string): boolean =>
  Phrases.same(Phrases.merge(phrases, [query]), phrases)

/** The clusters that rules exclude and that are not excluded yet, by article. */
const exclusionsOf = (planning: Planning, matches: ReadonlyArray<Match>): ReadonlyMap<string, Exclusion> => {
  const excluded = new Map<string, Exclusion>()
  for (const { lines, rule } of matches) {
    for (const line of lines) {
      const { id: advert_id = 0, nm_id = 0, query = "" } = line
      const campaign = campaignOf(planning, line, `phrases ${advert_id}/${nm_id}`)
      if (campaign === undefined || articleOf(campaign, nm_id) === undefined) continue
      if (isExcludedBy(planning.phrasesAt(advert_id, nm_id), query)) continue
      const key = pairKey({ advert_id, nm_id })
      const one = excluded.get(key) ?? { advert_id, nm_id, lines: [], rules: new Set() }
      excluded.set(key, one)
      if (!one.lines.some((other) => other.query === query)) one.lines.push(line)
      one.rules.add(rule.name)
    }
  }
  return excluded
}

/** Makes clusters of an article minus-phrases, which drops their own bids, unless nobody would find it by search then. */
const exclude = (planning: Planning, { advert_id: target, lines, nm_id, rules }: Exclusion) => {
  const { findings, input, ownBids, phrasesAt, ruleOf, stopped, wishes } = planning
  const before = phrasesAt(target, nm_id)
  const open = input.lines.cluster.filter(
    ({ id, nm_id: nm, query = "" }) => id === target && nm === nm_id && !isExcludedBy(before, query)
  )
  const names = [...rules].join(", ")
  const place = `phrases ${target}/${nm_id}`
  if (lines.length >= open.length) {
    const reason = `rule ${names} would exclude all ${open.length} clusters of the article, and then nobody would find it by search`
    return block(planning, place, reason)
  }
  const sum = lines.reduce((all, { metrics }) => all + (metrics.spent ?? 0), 0) / 100
  const orders = lines.reduce((all, { metrics }) => all + (metrics.orders ?? 0), 0)
  const { from, to } = input.period
  const count = lines.length === 1 ? "1 cluster" : `${lines.length} clusters`
  const queries = lines.map(({ query = "" }) => query)
  const change = { target, nm_id, before, after: Phrases.merge(before, queries) }
  ruleOf.set(place, [...rules][0] ?? "")
  findings.push(
    ...phraseFinding(change, `rule ${names}: ${count} spent ${sum} rub with ${orders} orders, ${from} to ${to}`)
  )
  for (const line of lines) {
    stopped.set(lineKey(line), line)
    const cluster = { advert_id: target, nm_id, norm_query: line.query ?? "" }
    if (ownBids.has(clusterKey(cluster))) {
      wishes.push({ ...cluster, to: null, reason: `rule ${names} excludes the cluster` })
    }
  }
}

/** Plans changes by rules, each with its evidence. Of several rules about one place, the first counts. */
export const planRules = (input: RulesInput): RulesDraft => {
  const planning = begin(input)
  const { findings, paused, ruleOf, wishes } = planning
  const matches = input.rules.map((rule): Match => ({ rule, lines: linesMeeting(rule, input) }))
  const matchesOf = (action: RuleAction) =>
    matches
      .filter(({ rule }) => rule.do === action)
      .map(({ lines, rule }) => ({ rule, lines: lines.filter(({ id = 0 }) => !paused.has(id)) }))

  // What pauses needs no other change, and what is excluded no other bid.
  for (const match of matches) if (match.rule.do === "pause") pause(planning, match)
  const excluded = exclusionsOf(planning, matchesOf("exclude"))
  for (const exclusion of excluded.values()) exclude(planning, exclusion)
  const isExcluded = ({ id: advert_id = 0, nm_id = 0, query }: Line) =>
    excluded.get(pairKey({ advert_id, nm_id }))?.lines.some((line) => line.query === query) === true
  for (const { lines, rule } of matchesOf("bid")) for (const line of lines) setBids(planning, rule, line)
  for (const { lines, rule } of matchesOf("cluster_bid")) {
    for (const line of lines) if (!isExcluded(line)) setClusterBid(planning, rule, line)
  }

  const clusters = clusterFindings({ ...input, current: input.clusterBids, wishes, step: input.steps.cpm })
  const planned = draft("rules", input.guards, [...findings, ...clusters.findings], clusters.unit)
  return {
    draft: planned,
    rules: matches.map(({ lines, rule }) => ({
      rule: rule.name,
      matches: lines.length,
      steps: planned.steps.filter(({ id }) => ruleOf.get(id) === rule.name).length
    })),
    touched: { stopped: [...planning.stopped.values()], bid: [...planning.bid.values()] }
  }
}
