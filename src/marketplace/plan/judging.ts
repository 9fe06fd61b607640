import type { Guards } from "../client/MarketplaceConfig.ts"
import { Kopecks, percentOf } from "../client/money.ts"
import type { Rule } from "../client/Rule.ts"
import { type Condition, meetsAll, written } from "../report/conditions.ts"
import type { Line } from "../report/lines.ts"
import { type MetricName, shownValue, valueOf } from "../report/metrics.ts"
import type { Period } from "../report/period.ts"
import { onStep } from "./floors.ts"

/** A rule with its conditions read, and a name for people. */
export interface NamedRule extends Rule {
  readonly name: string
  readonly conditions: ReadonlyArray<Condition>
}

/** The lines that rules judge, over the period of the evidence. */
interface RuleLines {
  readonly campaign: ReadonlyArray<Line>
  readonly article: ReadonlyArray<Line>
  readonly cluster: ReadonlyArray<Line>
}

/** The statistics that rules judge, and the days of their period on which a campaign was shown. */
export interface Judged {
  readonly lines: RuleLines
  readonly daysShown: (advert_id: number) => number
}

/** The things that a rule judges: single clusters, articles, or whole campaigns. */
export const levelOf = ({ do: action, level = "campaign" }: Rule): keyof RuleLines => {
  if (action === "exclude" || action === "cluster_bid") return "cluster"
  return action === "bid" ? level : "campaign"
}

/** The lines that a rule is about: its conditions are met, and there is evidence enough. Money in other currencies is not judged. */
export const linesMeeting = (rule: NamedRule, { daysShown, lines }: Judged): ReadonlyArray<Line> => {
  const { clicks = 0, days = 0, spent = 0 } = rule.at_least
  return lines[levelOf(rule)].filter(
    ({ currency, id = 0, metrics }) =>
      currency === undefined &&
      (metrics.spent ?? 0) >= spent * 100 &&
      (metrics.clicks ?? 0) >= clicks &&
      daysShown(id) >= days &&
      meetsAll(metrics, rule.conditions)
  )
}

const shownMetrics: ReadonlyArray<MetricName> = ["spent", "orders", "clicks"]

/** The evidence of a step: the rule, and what it was met by. */
export const reasonFor = (rule: NamedRule, { metrics }: Line, { from, to }: Period): string => {
  const names = [...new Set([...shownMetrics, ...rule.conditions.map(({ metric }) => metric)])]
  const facts = names.map((name) => `${name} ${shownValue(metrics, name) ?? "not told"}`).join(", ")
  return `rule ${rule.name} (${rule.conditions.map(written).join(", ")}): ${facts}, ${from} to ${to}`
}

export const lineKey = ({ id, nm_id = 0, query = "" }: Line): string => `${id}/${nm_id}/${query}`

/** A bid after a rule; undefined where it would rise unasked. */
export const wishOf = (
  rule: NamedRule,
  before: Kopecks,
  { metrics }: Line,
  { maxChangePercent }: Pick<Guards, "maxChangePercent">
) => {
  const { may_raise = false, percent, target_drr = 0 } = rule
  if (percent !== undefined) return { wish: percentOf(before, 100 + percent), note: `, by ${percent}%` }
  const drr = valueOf(metrics, "drr_percent")
  if (drr === null) return undefined
  const factor = drr === Infinity ? 0 : (100 * target_drr) / drr
  const [least, most] = [Math.max(1, 100 - maxChangePercent), 100 + maxChangePercent]
  const clamped = Math.min(Math.max(factor, least), most)
  if (clamped > 100 && !may_raise) return undefined
  const limit = clamped === factor ? "" : ", as far as guards.maxChangePercent allows at once"
  // Rounded so that the guard holds for the kopeck, too.
  const exact = (before * clamped) / 100
  const wish = Kopecks.make(Math.max(1, clamped < 100 ? Math.ceil(exact - 1e-9) : Math.floor(exact + 1e-9)))
  return { wish, note: `, towards a ДРР of ${target_drr}%${limit}` }
}

/** A bid on a step; where rounding down would change it further than the guards allow, the step above. */
export const onStepWithin = (
  wish: Kopecks,
  step: number,
  before: Kopecks,
  { maxChangePercent }: Pick<Guards, "maxChangePercent">
) => {
  const stepped = onStep(wish, step)
  const isTooFar = stepped.bid < wish && (before - stepped.bid) * 100 > maxChangePercent * before
  return isTooFar ? { ...stepped, bid: Kopecks.make(stepped.bid + step) } : stepped
}
