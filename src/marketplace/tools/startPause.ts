import { Clock, Effect, Option, Result, Schema } from "effect"

import { GuardViolation } from "../../changes/PlanError.ts"
import { listed, quotedName } from "../../internal/foreignText.ts"
import { fingerprint } from "../../internal/sha256.ts"
import { monotonicMillis } from "../../internal/time.ts"
import { type Act, agreedTo } from "../../mcp/agreement.ts"
import { changes, runs } from "../../mcp/annotations.ts"
import { CallerId, Progress } from "../../mcp/callContext.ts"
import { flag, optional } from "../../mcp/parameters.ts"
import * as Tool from "../../mcp/Tool.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { explain } from "../apply/advice.ts"
import { isOfState } from "../apply/failures.ts"
import { Plans } from "../apply/Plans.ts"
import { articlesOf, type Campaign, nameOf, status, statusText } from "../client/Campaign.ts"
import { limitOf } from "../client/keyRules.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import { isBecause, isOfAccount, isOutcomeUnknown, type MarketplaceError } from "../client/MarketplaceError.ts"
import { type AmountTold, foreign } from "../client/money.ts"
import { operations, width } from "../client/operations.ts"
import { campaignProblem } from "../plan/guards.ts"
import { readBudget, readCampaign } from "./campaigns.ts"
import { gatheringUntil } from "./deadline.ts"
import { orRefuse } from "./errors.ts"
import { advertId, advertIds, shownIds } from "./parameters.ts"
import { isUnlisted, type Running, runningNow, startedNow } from "./runningCampaigns.ts"
import { budgetShown, campaignRow, moveShown, pauseShown } from "./shown.ts"

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
  })

/** The decision of the person at the client, if they can be asked. */
const startOf = (campaign: Campaign, budget: AmountTold | null): Act => {
  const what = `campaign ${campaign.id} ${quotedName(nameOf(campaign))} with ${articlesIn(campaign)}`
  const odd = budget?.odd === undefined ? "" : ` (${budget.odd})`
  const money =
    budget === null ? "" : ` It then spends its budget, ${budget.rubles} ${foreign(campaign.currency) ?? "rub"}${odd}.`
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

const agreed = optional(flag("Without true only shows"))

export const startCampaign = Tool.make("ads_start_campaign", {
  title: "Start campaign",
  description: "Start (запустить) a campaign, which then spends its money",
  annotations: runs,
  arguments: { advert_id: advertId, confirm: agreed },
  result: moveShown,
  run: (given) => orRefuse(move("start")(given))
})

/** Campaigns that one call may name: those of a larger account are paused with `all`. */
const mostNamed = 3000

export const pauseCampaign = Tool.make("ads_pause_campaign", {
  title: "Pause campaigns",
  description: "The brake: pause (остановить) one campaign, several, or all at once, without a plan",
  annotations: changes,
  arguments: {
    advert_id: optional(advertId),
    advert_ids: optional(
      advertIds
        .check(Schema.isMaxLength(mostNamed, { message: `must be at most ${mostNamed} ids: use all` }))
        .annotate(shownIds("Campaigns"))
    ),
    all: optional(flag("All that run")),
    confirm: agreed
  },
  result: pauseShown,
  run: Effect.fn("ads_pause_campaign")(function* ({ advert_id, advert_ids, all, confirm = false }) {
    const selections = [advert_id, advert_ids, all === true ? all : undefined].filter((one) => one !== undefined)
    if (selections.length !== 1) {
      const problem = "must have exactly one of advert_id, advert_ids, all true: nothing never means all"
      return yield* new InvalidArgument({ argument: "arguments", problem })
    }
    if (advert_id === undefined) return yield* orRefuse(pauseSeveral(advert_ids, confirm))
    const pausing = move("pause")({ advert_id, confirm })
    return yield* orRefuse(Effect.catchIf(pausing, isUnlisted, () => pauseSeveral([advert_id], confirm)))
  })
})

/** Milliseconds within which a call with the same arguments goes on with a pause, and is not asked about again. */
const goesOnMs = 3_600_000

/** The pause that was begun with the same arguments, also by a server that was killed since, or a new one. */
const pauseOf = Effect.fnUntraced(function* (wanted: ReadonlyArray<number> | undefined) {
  const now = yield* Clock.currentTimeMillis
  const hash = (yield* fingerprint(wanted ?? "all")).slice(0, 10)
  const caller = (yield* fingerprint(yield* yield* CallerId)).slice(0, 10)
  const begun = (yield* Plans.use((plans) => plans.entries)).flatMap((entry) => {
    if (entry.type !== "action" || entry.at <= now - goesOnMs) return []
    const { caller: by, pause } = entry
    return typeof pause === "string" && pause.endsWith(`-${hash}`) ? [{ pause, by }] : []
  })
  const last = begun.at(-1)?.pause
  const id = last ?? `pause-${now.toString(36)}-${hash}`
  const isAgreed = begun.some(({ by, pause }) => pause === id && by === caller)
  return {
    id,
    caller,
    isAgreed,
    isBegun: last !== undefined,
    undo: `ads_plan_state with undo_pause ${id} plans to start them again.`
  }
})

/** Pauses what runs of some campaigns, or all of it, at the full pace of the limit, until the time of the call is over. */
const pauseSeveral = Effect.fn("ads_pause_campaigns")(function* (
  wanted: ReadonlyArray<number> | undefined,
  confirm: boolean
) {
  const until = yield* gatheringUntil
  const ads = yield* MarketplaceAds
  const plans = yield* Plans
  const settings = yield* MarketplaceConfig
  const problemOf = (id: number) => campaignProblem(settings.guards, id)
  const isWanted = (id: number) => wanted?.includes(id) ?? true
  const problems = (wanted ?? []).flatMap((id) => problemOf(id) ?? [])
  if (problems.length > 0) return yield* new GuardViolation({ problems })
  const all = new Map(
    [...(yield* startedNow), ...(yield* runningNow(wanted))].map((campaign) => [campaign.id, campaign])
  )
  const running = [...all.values()].filter(({ id }) => isWanted(id))
  const targets = running.filter(({ id }) => problemOf(id) === undefined)
  const beyond = running.length - targets.length
  const rest =
    beyond === 0 ? "" : ` ${beyond} others run that guards.allowedCampaigns does not name, and they go on running.`
  const count = targets.length === 1 ? "1 campaign" : `${targets.length} campaigns`
  const { isAgreed, isBegun, undo, ...pause } = yield* pauseOf(wanted)
  if (targets.length === 0) {
    const nothing = { done: true, paused: 0, still_running: beyond, next: `Nothing of it runs.${rest}` }
    // A server that was killed may have paused all of it.
    return isBegun ? { ...nothing, pause_id: pause.id, next: `Nothing of it runs any more: ${undo}${rest}` } : nothing
  }
  const names = listed(
    targets.map(({ name }) => quotedName(name)),
    5
  )
  if (!confirm) {
    return {
      done: false,
      still_running: running.length,
      next: `Nothing was changed. To pause ${count} (${names}), call again with confirm true.${rest}`
    }
  }
  if (!isAgreed) {
    yield* agreedTo({
      message: `Pause ${count} now: ${names}?`,
      subject: `The pause of ${count} stops what they sell`,
      covers: { pause: wanted ?? "all" },
      code: "ADS_NOT_AGREED"
    })
  }
  const tell = yield* Progress
  const failed: Array<{ readonly advert_id: number; readonly problem: string }> = []
  const operation = operations.pauseCampaign.name
  let [paused, isWritten, isClosed] = [0, true, false]
  const one = Effect.fnUntraced(function* ({ id, isUnsure }: Running) {
    if (isClosed || (yield* monotonicMillis) >= until) return
    const note = (outcome: string) =>
      plans.record({ operation, advert_id: id, before: status.active, outcome, pause: pause.id, caller: pause.caller })
    // Spending can be stopped even if the journal cannot be written.
    yield* Effect.ignore(note("begun"))
    // A pause whose answer was lost is sent once more: nothing is paused twice.
    const pausing = Effect.catchIf(ads.pauseCampaign(id), isOutcomeUnknown, () => ads.pauseCampaign(id))
    const sent: Result.Result<void, MarketplaceError> = yield* Effect.result(pausing)
    // One that does not run any more is as wanted.
    const error = Result.isFailure(sent) && !isOfState(sent.failure) ? sent.failure : undefined
    if (error === undefined) paused++
    else {
      failed.push({ advert_id: id, problem: explain(error) })
      isClosed ||= isOfAccount(error) || isBecause("AdsReadOnly", "AdsRateLimited")(error)
    }
    // What did not run is not started again by an undo.
    const obstacle = isUnsure === true && Result.isFailure(sent) ? sent.failure : error
    const isKept = yield* Effect.isSuccess(note(obstacle === undefined ? "done" : explain(obstacle)))
    isWritten &&= isKept
    yield* tell({ progress: paused + failed.length, total: targets.length, message: "campaigns paused" })
  })
  const pauseAll = (some: ReadonlyArray<Running>) =>
    Effect.forEach(some, one, { concurrency: width(limitOf(settings, operation)), discard: true })
  yield* pauseAll(targets)
  // A plan that was being applied may have sent the start of another one before it came to know of this pause.
  const late = (yield* startedNow).filter(({ id }) => !all.has(id) && isWanted(id) && problemOf(id) === undefined)
  yield* pauseAll(late)
  const left = targets.length + late.length - paused
  const again = left === 0 ? "" : ` ${left} still run: call again with the same arguments, and it goes on.`
  const unwritten = isWritten ? "" : " The journal could not be written, so the undo does not know all of them."
  return {
    done: left === 0,
    pause_id: pause.id,
    paused,
    still_running: left + beyond,
    ...(failed.length === 0 ? {} : { failed: failed.slice(0, 3) }),
    next: `Paused; a status settles within about a minute.${again} ${undo}${rest}${unwritten}`
  }
})

const articlesIn = (campaign: Campaign): string => {
  const { length } = articlesOf(campaign)
  return length === 1 ? "1 article" : `${length} articles`
}
