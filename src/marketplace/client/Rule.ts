import { Schema } from "effect"

const positive = Schema.Finite.check(Schema.isGreaterThan(0, { message: "must be above 0" }))

/** The action of a rule whose conditions are met: it changes bids, excludes search clusters, or pauses campaigns. */
export const RuleAction = Schema.Literals(["bid", "cluster_bid", "exclude", "pause"])
export type RuleAction = typeof RuleAction.Type

/** The statistics below which a rule touches nothing; all that are given must be reached. */
export const Evidence = Schema.Struct({
  /** In rubles. */
  spent: Schema.optionalKey(positive),
  clicks: Schema.optionalKey(positive),
  /** Days on which the campaign was shown. */
  days: Schema.optionalKey(positive)
})
export type Evidence = typeof Evidence.Type

/** A rule by which changes are planned from statistics. */
export const Rule = Schema.Struct({
  name: Schema.optionalKey(Schema.NonEmptyString),
  /** Conditions such as `drr_percent > 15`, all to be met. */
  when: Schema.Array(Schema.String),
  at_least: Evidence,
  do: RuleAction,
  /** The change of a bid in percent: -20 means a fifth less. */
  percent: Schema.optionalKey(Schema.Finite),
  /** The share of advertising cost (ДРР), in percent, towards which a bid goes, as far as the guards allow at once. */
  target_drr: Schema.optionalKey(positive),
  /** Whether bids of whole campaigns or of single articles are judged. Default campaign. */
  level: Schema.optionalKey(Schema.Literals(["campaign", "article"])),
  /** Whether a bid may rise. Default false. */
  may_raise: Schema.optionalKey(Schema.Boolean)
})
export type Rule = typeof Rule.Type

/** The problem of a rule, if it has one, and its field. */
export const ruleProblem = (rule: Rule): readonly [field: string, problem: string] | undefined => {
  const { at_least, do: action, level, may_raise, percent, target_drr, when } = rule
  if (when.length === 0) return ["when", "must not be empty: a rule without conditions would change everything"]
  if (Object.keys(at_least).length === 0)
    return ["at_least", "must name spent, clicks or days: nothing is judged without evidence"]
  const isOfBid = action === "bid" || action === "cluster_bid"
  const given = [percent, target_drr].filter((one) => one !== undefined).length
  if (isOfBid && given !== 1) return ["percent", `must be given for do ${action}, or target_drr, and not both`]
  if (!isOfBid && given > 0) return ["percent", `must not be given for do ${action}, and target_drr neither`]
  if (!isOfBid && may_raise !== undefined) return ["may_raise", `must not be given for do ${action}`]
  if (action !== "bid" && level !== undefined) return ["level", "must be given for do bid alone"]
  if (percent === 0) return ["percent", "must not be 0"]
  if (percent !== undefined && percent <= -100)
    return ["percent", "must be above -100: do pause or exclude stops instead"]
  return percent !== undefined && percent > 0 && may_raise !== true
    ? ["percent", "must be below 0, or may_raise true: nothing rises unasked"]
    : undefined
}
