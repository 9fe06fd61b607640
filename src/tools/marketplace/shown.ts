import { DateTime, Match } from "effect"

import {
  type Article,
  articlesOf,
  bidOf,
  type Campaign,
  nameOf,
  paymentOf,
  placementsOf,
  status
} from "../../marketplace/Campaign.ts"
import { type Kopecks, money } from "../../marketplace/money.ts"
import type { Change } from "../../marketplace/plan/Change.ts"
import type { Plan, Step } from "../../marketplace/plan/Plan.ts"

const statusWords = new Map<number, string>([
  [status.deleting, "being deleted"],
  [status.ready, "ready to start"],
  [status.finished, "finished"],
  [status.declined, "declined"],
  [status.active, "active"],
  [status.paused, "paused"]
])

export const statusText = (value: number): string => statusWords.get(value) ?? "unknown"

export const moment = (ms: number): string => DateTime.formatIso(DateTime.makeUnsafe(ms))

/** How to go on with a list: with its next rows, or from its end. */
export const more = (shown: number, total: number, then: string): string =>
  shown < total ? `Repeat with offset ${shown} for more` : then

/** A name inside of a sentence: short, in one line, so that it cannot pass for more than a name. */
export const quoted = (name: string): string => {
  const line = name.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()
  return line.length > 60 ? `"${Array.from(line).slice(0, 59).join("")}…"` : `"${line}"`
}

/** A campaign in one row. */
export const campaignRow = (campaign: Campaign) => ({
  id: campaign.id,
  name: nameOf(campaign),
  status: campaign.status,
  status_text: statusText(campaign.status),
  bid_type: campaign.bid_type,
  payment_type: paymentOf(campaign),
  placements: placementsOf(campaign),
  articles: articlesOf(campaign).length
})

const amount = (kopecks: Kopecks | null) => (kopecks === null ? null : money(kopecks))

/** An article with its bids in both units. */
export const articleRow = (campaign: Campaign, article: Article) => ({
  nm_id: article.nm_id,
  ...(typeof article.subject?.name !== "string" ? {} : { subject: article.subject.name }),
  bids: Object.fromEntries(placementsOf(campaign).map((placement) => [placement, amount(bidOf(article, placement))]))
})

const phrases = (list: ReadonlyArray<string>) => ({ count: list.length, phrases: list.slice(0, 10) })

/** What a change leads from and to; money in both units, lists of phrases cut. */
const beforeAndAfter = Match.type<Change>().pipe(
  Match.withReturnType<{ readonly before: unknown; readonly after: unknown }>(),
  Match.discriminatorsExhaustive("kind")({
    create: ({ name, nms, placement_types }) => ({
      before: null,
      after: { name, articles: nms.length, placements: placement_types }
    }),
    delete: ({ name }) => ({ before: { name }, after: null }),
    product: ({ after, before }) => ({ before: membership(before), after: membership(after) }),
    bid: ({ after, before }) => ({ before: amount(before), after: amount(after) }),
    cluster: ({ after, before }) => ({ before: amount(before), after: amount(after) }),
    phrases: ({ after, before }) => ({ before: phrases(before), after: phrases(after) })
  })
)

const membership = (isIn: boolean): string => (isIn ? "in the campaign" : "not in it")

export const stepRow = ({ change, id, reason }: Step) => ({ step: id, ...beforeAndAfter(change), reason })

const few = 10

/** A plan in short: how much of what, its first rows, and what to do next. */
export const planSummary = (plan: Plan, readOnlyReason: string | undefined) => {
  const counts = new Map<string, number>()
  for (const { change } of plan.steps) counts.set(change.kind, (counts.get(change.kind) ?? 0) + 1)
  return {
    plan_id: plan.id,
    kind: plan.kind,
    steps: plan.steps.length,
    by_kind: Object.fromEntries(counts),
    first_steps: plan.steps.slice(0, few).map(stepRow),
    warnings: plan.warnings.slice(0, few),
    blocked_count: plan.blocked.length,
    blocked: plan.blocked.slice(0, few),
    estimate: plan.estimate,
    expires_at: moment(plan.expiresAt),
    next: next(plan, readOnlyReason)
  }
}

const next = ({ blocked, id, steps }: Plan, readOnlyReason: string | undefined): string => {
  if (steps.length === 0) {
    return blocked.length === 0
      ? "Nothing is to change: everything is as wanted already."
      : "Nothing can be changed; blocked says why."
  }
  const rest = steps.length > few ? " ads_show_plan shows the other steps." : ""
  return readOnlyReason === undefined
    ? `Nothing was changed yet. Show this to a person; when they agree, call ads_apply_plan with plan_id ${id} and confirm true.${rest}`
    : `Nothing was changed, and no plan can be applied here: ${readOnlyReason}. Only a person who runs this server can change that.${rest}`
}
