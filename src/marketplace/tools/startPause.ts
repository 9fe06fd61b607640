import { Effect, Option, Schema } from "effect"

import { GuardViolation } from "../../changes/PlanError.ts"
import { next, whole } from "../../changes/tools/results.ts"
import { quotedName } from "../../internal/foreignText.ts"
import { type Act, agreedTo } from "../../mcp/agreement.ts"
import { changes, runs } from "../../mcp/annotations.ts"
import { flag, optional } from "../../mcp/parameters.ts"
import * as Tool from "../../mcp/Tool.ts"
import { explain } from "../apply/advice.ts"
import { Plans } from "../apply/Plans.ts"
import { articlesOf, type Campaign, nameOf, status, statusText } from "../client/Campaign.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import type { AmountTold } from "../client/money.ts"
import { campaignProblem } from "../plan/guards.ts"
import { readBudget, readCampaign } from "./campaigns.ts"
import { orRefuse } from "./errors.ts"
import { advertId } from "./parameters.ts"
import { budgetShown, campaignRow, row, reportedAmount } from "./shown.ts"

/** A start or a pause, done or only shown. */
const moveShown = Schema.Struct({
  done: Schema.Boolean,
  campaign: Schema.Struct({ ...row, articles: whole }),
  budget: reportedAmount,
  status_now: Schema.optionalKey(whole),
  status_text_now: Schema.optionalKey(Schema.String),
  next
})

/** Shows what would happen, and does it if confirmed; both are written to the audit log. */
const move = (kind: "pause" | "start") =>
  Effect.fn(`ads_${kind}_campaign`)(function* ({
    advert_id,
    confirm = false
  }: {
    readonly advert_id: number
    readonly confirm?: boolean
  }) {
    const ads = yield* MarketplaceAds
    const plans = yield* Plans
    const problem = campaignProblem((yield* MarketplaceConfig).guards, advert_id)
    if (problem !== undefined) return yield* new GuardViolation({ problems: [problem] })
    const campaign = yield* readCampaign(advert_id)
    const budget = kind === "start" ? yield* readBudget(advert_id) : null
    const facts = { campaign: campaignRow(campaign), budget: budgetShown(campaign, budget) }
    if (!confirm) {
      const obstacle = inTheWay(kind, campaign.status, budget)
      const what = `${quotedName(nameOf(campaign))} with ${articlesIn(campaign)}`
      const how = obstacle ?? `To ${kind} ${what}, call again with confirm true.`
      return { done: false, ...facts, next: `Nothing was changed. ${how}` }
    }
    // A pause needs no agreement: it stops spending.
    if (kind === "start") yield* agreedTo(startOf(campaign, budget))
    const operation = `${kind}Campaign`
    const note = (outcome: string) => plans.record({ operation, advert_id, before: campaign.status, outcome })
    // Spending can be stopped even if the journal cannot be written.
    yield* kind === "pause" ? Effect.ignore(note("begun")) : note("begun")
    yield* (kind === "start" ? ads.startCampaign(advert_id) : ads.pauseCampaign(advert_id)).pipe(
      Effect.tapError((error) => Effect.ignore(note(explain(error))))
    )
    // It is done now: no later failure may look as if it were not.
    const isWritten = yield* Effect.isSuccess(note("done"))
    const now = Option.getOrUndefined(yield* Effect.option(readCampaign(advert_id)))
    return {
      done: true,
      ...facts,
      ...(now === undefined ? {} : { status_now: now.status, status_text_now: statusText(now.status) }),
      next: isWritten
        ? "A new status settles within about a minute. audit_log shows what was done."
        : "It is done, but the journal could not be written, so audit_log does not show it as done."
    }
  }, orRefuse)

/** The decision of the person at the client, if they can be asked. */
const startOf = (campaign: Campaign, budget: AmountTold | null): Act => {
  const what = `campaign ${campaign.id} ${quotedName(nameOf(campaign))} with ${articlesIn(campaign)}`
  const money = budget === null ? "" : ` It then spends its budget, ${budget.odd ?? ""}${budget.rubles}.`
  return {
    message: `Start ${what}?${money}`,
    subject: `The start of campaign ${campaign.id} spends money`,
    covers: { campaign, budget },
    code: "ADS_NOT_AGREED"
  }
}

/** The obstacle that a person should know before they agree, as far as it shows. */
const inTheWay = (kind: "pause" | "start", now: number, budget: AmountTold | null): string | undefined => {
  if (kind === "pause") return now === status.active ? undefined : `It does not run: it is ${statusText(now)}.`
  if (now === status.active) return "It runs already."
  if (budget?.odd !== undefined)
    return `Its budget is told as ${budget.rubles}, which is ${budget.odd}: look at it first.`
  return budget?.kopecks === 0 ? "It has no money: add some in the seller's cabinet first." : undefined
}

const agreed = optional(flag("Without true, only shows what would happen"))

export const startCampaign = Tool.make("ads_start_campaign", {
  title: "Start campaign",
  description:
    "Start a campaign, which then spends its money. Without confirm it only shows the campaign and its budget",
  annotations: runs,
  arguments: { advert_id: advertId, confirm: agreed },
  result: moveShown,
  run: move("start")
})

export const pauseCampaign = Tool.make("ads_pause_campaign", {
  title: "Pause campaign",
  description: "Pause a campaign; it can be started again. Without confirm it only shows the campaign",
  annotations: changes,
  arguments: { advert_id: advertId, confirm: agreed },
  result: moveShown,
  run: move("pause")
})

const articlesIn = (campaign: Campaign): string => {
  const { length } = articlesOf(campaign)
  return length === 1 ? "1 article" : `${length} articles`
}
