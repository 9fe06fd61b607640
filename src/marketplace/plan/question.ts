import { Match } from "effect"

import { quotedName } from "../../internal/foreignText.ts"
import { status } from "../client/Campaign.ts"
import { type Kopecks, kopecksToRubles } from "../client/money.ts"
import { type Change, changeKey, type Target } from "./Change.ts"
import { byRisk, digestOf } from "./digest.ts"
import { differenceText } from "./phrases.ts"
import type { Plan } from "./Plan.ts"

/** Changes listed one by one in a question. */
const mostNamed = 20

const rubles = (bid: Kopecks | null) => (bid === null ? "no bid" : `${kopecksToRubles(bid)} rub`)
const limitText = (limit: Kopecks | null) => (limit === null ? "none" : `${kopecksToRubles(limit)} rub`)
const targetText = (target: Target) => (typeof target === "number" ? String(target) : target.created_by)

const stateWords = {
  [status.active]: "starts and spends its money",
  [status.paused]: "pauses",
  [status.finished]: "ends, for good"
} as const

/** A change as shown to the person who has to agree to it. */
const rowOf: (change: Change) => string = Match.type<Change>().pipe(
  Match.discriminatorsExhaustive("kind")({
    create: ({ name, nms }) =>
      `campaign ${quotedName(name)} with ${nms.length} ${nms.length === 1 ? "article" : "articles"} is created`,
    delete: ({ name }) => `campaign ${quotedName(name)} is deleted`,
    product: (change) => `${changeKey(change)}: ${change.after ? "comes into" : "leaves"} the campaign`,
    bid: (change) => `${changeKey(change)}: ${rubles(change.before)} → ${rubles(change.after)}`,
    cluster: (change) => `${changeKey(change)}: ${rubles(change.before)} → ${rubles(change.after)}`,
    phrases: (change) => `${changeKey(change)}: ${differenceText(change)}`,
    state: ({ after, target }) => `campaign ${targetText(target)} ${stateWords[after]}`,
    name: ({ after, before, target }) =>
      `campaign ${targetText(target)} is renamed: ${quotedName(before)} → ${quotedName(after)}`,
    placements: ({ after, before, target }) =>
      `the placements of campaign ${targetText(target)}: ${before.join(", ") || "none"} → ${after.join(", ")}`,
    deposit: ({ purse, rubles: sum, target }) =>
      `${sum} rub go from the ${purse} into the budget of campaign ${targetText(target)}, for good`,
    limit: ({ after, before, target }) =>
      `the daily limit of campaign ${targetText(target)}: ${limitText(before)} → ${limitText(after)}`
  })
)

/** The question to the person who has to agree before a plan is applied: every plan changes what campaigns spend. */
export const questionOf = ({ id, kind, steps }: Plan): string | undefined => {
  if (steps.length === 0) return undefined
  const rest = steps.length > mostNamed ? [`- and ${steps.length - mostNamed} more, which show_plan lists`] : []
  const title = `This plan (${kind}) makes ${steps.length} ${steps.length === 1 ? "change" : "changes"} of campaigns and what they spend:`
  const digest = steps.length === 1 ? undefined : digestOf(steps)
  return [
    ...(digest === undefined ? [title] : [`${title} ${digest}`, "The riskiest first:"]),
    ...steps
      .toSorted(byRisk)
      .slice(0, mostNamed)
      .map(({ change }) => `- ${rowOf(change)}`),
    ...rest,
    `Apply plan ${id}?`
  ].join("\n")
}
