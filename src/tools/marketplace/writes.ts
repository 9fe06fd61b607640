import { Effect, Option, Schema } from "effect"

import { articlesOf, nameOf } from "../../marketplace/Campaign.ts"
import { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import { campaignProblem } from "../../marketplace/plan/guards.ts"
import { GuardViolation } from "../../marketplace/plan/PlanError.ts"
import { Plans } from "../../marketplace/plan/Plans.ts"
import { changes, runs } from "../annotations.ts"
import { flag, optional } from "../parameters.ts"
import { Progress } from "../Progress.ts"
import * as Tool from "../Tool.ts"
import { InvalidArgument } from "../ToolError.ts"
import { advertId, confirm, planId } from "./parameters.ts"
import { readBudget, readCampaign } from "./reads.ts"
import { orRefuse } from "./refusal.ts"
import * as results from "./results.ts"
import { campaignRow, statusText } from "./shown.ts"

export const applyPlan = Tool.make("ads_apply_plan", {
  title: "Apply plan",
  description:
    "Apply a plan, once. Checks that nothing has changed since, sends it under the marketplace's limits and reads it back. " +
    "A plan that takes long, or was broken off, goes on with the next call",
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
      unconfirmed: report.unconfirmed.slice(0, 20),
      unconfirmed_count: report.unconfirmed.length,
      next:
        report.state === "in progress"
          ? `${report.total - report.done} steps are left: call ads_apply_plan with plan_id ${plan_id} again. To go back instead, call ads_rollback.`
          : report.unconfirmed.length > 0
            ? "Applied. Some steps do not show yet; the marketplace may take minutes. ads_rollback plans the way back."
            : "Applied and read back. ads_rollback plans the way back; new campaigns wait for money and a start."
    }
  }, orRefuse)
})

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
    const shown = { campaign: campaignRow(campaign), budget: yield* readBudget(advert_id) }
    if (!confirm) {
      return {
        done: false,
        ...shown,
        next: `Nothing was changed. To ${kind} "${nameOf(campaign)}" with ${articlesOf(campaign).length} articles, call again with confirm true.`
      }
    }
    const operation = `${kind}Campaign`
    const note = (outcome: string) => plans.record({ operation, advert_id, before: campaign.status, outcome })
    yield* note("begun")
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
        : "It is done, but the journal could not be written: ads_audit_log shows only that it was begun."
    }
  }, orRefuse)

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
