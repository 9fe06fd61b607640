import { Effect, Option, Schema } from "effect"

import { GuardViolation } from "../../marketplace/apply/PlanError.ts"
import { Plans } from "../../marketplace/apply/Plans.ts"
import type { Report } from "../../marketplace/apply/Progress.ts"
import { articlesOf, nameOf, status } from "../../marketplace/Campaign.ts"
import { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import { campaignProblem } from "../../marketplace/plan/guards.ts"
import { changes, runs } from "../annotations.ts"
import { flag, optional } from "../parameters.ts"
import { Progress } from "../Progress.ts"
import * as Tool from "../Tool.ts"
import { InvalidArgument } from "../ToolError.ts"
import { advertId, confirm, planId } from "./parameters.ts"
import { readBudget, readCampaign } from "./reads.ts"
import { orRefuse } from "./refusal.ts"
import * as results from "./results.ts"
import { campaignRow, quoted, statusText } from "./shown.ts"

export const applyPlan = Tool.make("ads_apply_plan", {
  title: "Apply plan",
  description:
    "Apply a plan, once. What someone else has changed since is left alone; the rest is sent under the marketplace's limits and " +
    "read back. What the marketplace refuses is passed over and told. A plan that takes long, or was broken off, goes on with " +
    "the next call",
  annotations: changes,
  arguments: {
    plan_id: planId,
    confirm,
    max_seconds: optional(
      Schema.Int.check(
        Schema.isBetween({ minimum: 1, maximum: 86_400 }, { message: "must be between 1 and 86400" })
      ).annotate({
        description: "Begin nothing new after so many seconds; default 30"
      })
    )
  },
  result: results.report,
  run: Effect.fn("ads_apply_plan")(function* ({ confirm, max_seconds = 30, plan_id }) {
    if (!confirm) return yield* unconfirmed
    const tell = yield* Progress
    const onProgress = (progress: number, total: number) => tell({ progress, total })
    const report = yield* Plans.use((plans) => plans.apply(plan_id, { maxSeconds: max_seconds, onProgress }))
    return {
      ...report,
      refused: variedFirst(report.refused).slice(0, 20),
      refused_count: report.refused.length,
      unconfirmed: report.unconfirmed.slice(0, 20),
      unconfirmed_count: report.unconfirmed.length,
      next: nextOf(report)
    }
  }, orRefuse)
})

/** The first row of every problem, then the others. */
const variedFirst = (refused: Report["refused"]): Report["refused"] => {
  const firsts = [...new Map(refused.toReversed().map((row) => [row.problem, row])).values()].toReversed()
  return [...firsts, ...refused.filter((row) => !firsts.includes(row))]
}

const nextOf = ({ done, notice, plan_id, refused, state, total, unconfirmed }: Report): string => {
  const again = `call ads_apply_plan with plan_id ${plan_id} again`
  const back = "ads_rollback plans the way back"
  if (state === "in progress") {
    const why = notice === undefined ? "" : ` ${notice}`
    return `${whatIsLeft(total - done - refused.length)}: ${again}; or ${back}.${why}`
  }
  if (state === "to be checked") {
    return `Stop here and show the notice to a person. When they have looked and agree, ${again}; or ${back}.`
  }
  if (state !== "applied") {
    return (
      `${done} steps are applied, ${refused.length} are not: refused says why (ads_show_plan lists them all). When that is ` +
      `settled, ${again}, which tries only those; or plan them anew; or ${back}.`
    )
  }
  if (total === 0) return "The plan holds no changes, and nothing was done."
  if (notice !== undefined) return `Applied. Show the notice to a person, who must look; ${back}.`
  return unconfirmed.length > 0
    ? `Applied. Some steps do not show yet; the marketplace may take minutes. ${back}.`
    : `Applied and read back. ${back}; new campaigns wait for money and a start.`
}

/** A plan can also wait for its last step to show. */
const whatIsLeft = (steps: number): string => {
  if (steps === 0) return "Nothing is left to send, but not everything shows yet"
  return steps === 1 ? "1 step is left" : `${steps} steps are left`
}

const unconfirmed = new InvalidArgument({
  argument: "confirm",
  problem: "must be true, after a person has agreed; nothing was changed"
})

/** Shows what would happen, and does it when confirmed; both end up in the audit log. */
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
    const shown = { campaign: campaignRow(campaign), budget }
    if (!confirm) {
      const obstacle = inTheWay(kind, campaign.status, budget?.kopecks)
      const what = `${quoted(nameOf(campaign))} with ${articlesOf(campaign).length} articles`
      const how = obstacle ?? `To ${kind} ${what}, call again with confirm true.`
      return { done: false, ...shown, next: `Nothing was changed. ${how}` }
    }
    const operation = `${kind}Campaign`
    const note = (outcome: string) => plans.record({ operation, advert_id, before: campaign.status, outcome })
    // Spending can be stopped also where nothing can be written down.
    yield* kind === "pause" ? Effect.ignore(note("begun")) : note("begun")
    yield* (kind === "start" ? ads.startCampaign(advert_id) : ads.pauseCampaign(advert_id)).pipe(
      Effect.tapError(({ message }) => Effect.ignore(note(message)))
    )
    // It is done now: nothing that fails from here on may sound as if it were not.
    const isWritten = yield* Effect.isSuccess(note("done"))
    const now = Option.getOrUndefined(yield* Effect.option(readCampaign(advert_id)))
    return {
      done: true,
      ...shown,
      ...(now === undefined ? {} : { status_now: now.status, status_text_now: statusText(now.status) }),
      next: isWritten
        ? "A new status settles within about a minute. ads_audit_log shows what was done."
        : "It is done, but the journal could not be written, so ads_audit_log does not show it as done."
    }
  }, orRefuse)

/** What a person should know before they agree, as far as it shows. */
const inTheWay = (kind: "pause" | "start", now: number, kopecks: number | undefined): string | undefined => {
  if (kind === "pause") return now === status.active ? undefined : `It does not run: it is ${statusText(now)}.`
  if (now === status.active) return "It runs already."
  return kopecks === 0 ? "It has no money: add some in the seller's cabinet first." : undefined
}

const agreed = optional(flag("Without true, only shows what would happen"))

export const startCampaign = Tool.make("ads_start_campaign", {
  title: "Start campaign",
  description:
    "Start a campaign, which then spends its money. Without confirm it only shows the campaign and its budget",
  annotations: runs,
  arguments: { advert_id: advertId, confirm: agreed },
  result: results.moved,
  run: move("start")
})

export const pauseCampaign = Tool.make("ads_pause_campaign", {
  title: "Pause campaign",
  description: "Pause a campaign; it can be started again. Without confirm it only shows the campaign",
  annotations: changes,
  arguments: { advert_id: advertId, confirm: agreed },
  result: results.moved,
  run: move("pause")
})
