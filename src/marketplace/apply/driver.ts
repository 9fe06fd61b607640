import { Effect, Result } from "effect"

import type { Driver } from "../../changes/Driver.ts"
import type { StoredEntry } from "../../changes/Journal.ts"
import type { Judgement, Row } from "../../changes/RemoteState.ts"
import { status } from "../client/Campaign.ts"
import { pairKey } from "../client/ids.ts"
import { clusterWire, limitOf, readOnlyReason } from "../client/keyRules.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import type { MarketplaceSettings } from "../client/MarketplaceConfig.ts"
import type { MarketplaceError } from "../client/MarketplaceError.ts"
import type { AmountTold } from "../client/money.ts"
import { readBudgets } from "../client/readBudgets.ts"
import { batchesOf, estimate } from "../plan/batches.ts"
import { type Change, changeKey, invert, type Work, workOf } from "../plan/Change.ts"
import { clusterUnit, provenBy } from "../plan/clusterUnit.ts"
import { describe, describeAction, describeAdjusted } from "../plan/describe.ts"
import { byRisk, digestOf } from "../plan/digest.ts"
import { byWork, irreversible } from "../plan/draft.ts"
import {
  bidsDayAgo,
  bidsSent,
  holdToDay,
  holdToGuards,
  holdToSent,
  planProblems,
  topUpsOf,
  warnOfRaises
} from "../plan/guards.ts"
import type { Draft } from "../plan/Plan.ts"
import { questionOf } from "../plan/question.ts"
import { explain, outcomeUnknown, readOnly } from "./failures.ts"
import { locate } from "./Located.ts"
import { type AdsState, readRemoteState } from "./RemoteState.ts"
import { whyNotStarted } from "./running.ts"
import { send } from "./send.ts"

/** Milliseconds after which everything shows: the marketplace updates its read model every 3 minutes. */
const visibleMs = 200_000

/** Changes that may be sent again once the state was read: repeating them has the same result. */
const repeatable: ReadonlyArray<Work> = [
  "product",
  "bid",
  "phrases",
  "drop",
  "cluster",
  "limit",
  "start",
  "pause",
  "end",
  "name",
  "placements"
]

/** Changes of which a call takes one. */
const single: ReadonlyArray<Change["kind"]> = ["phrases", "state", "deposit", "name"]

/** The driver of plans for campaigns, articles, bids and phrases. */
export const make = (
  ads: MarketplaceAds["Service"],
  settings: MarketplaceSettings,
  entries: Effect.Effect<ReadonlyArray<StoredEntry<Change>>>
): Driver<Change, AdsState, MarketplaceError> => {
  const { guards } = settings
  const wire = clusterWire(settings)
  const unitOf = ({ premise }: Pick<Draft, "premise">) => Result.getOrUndefined(clusterUnit(wire, provenBy(premise)))

  return {
    idOf: changeKey,
    kindOf: ({ kind }) => kind,
    subjectOf: (change) => ("target" in change && typeof change.target === "number" ? change.target : undefined),
    resolve: locate,
    order: byWork,
    batches: (steps) => batchesOf(steps).map((batch) => batch.steps),
    sending: (change) => ({
      isAlone: single.includes(change.kind),
      isRepeatable: repeatable.includes(workOf(change))
    }),
    creations: {
      isCreation: ({ kind }) => kind === "create",
      describe: (change) => ("name" in change ? `campaign "${change.name}"` : changeKey(change)),
      unknownReason: outcomeUnknown,
      search:
        "The next call looks for a new campaign of that name with the same articles: one that shows is taken for it, and only where none does is it created.",
      advice: "rename it in the cabinet, or plan with another name",
      missing: "its campaign was not created",
      afterwards: "new campaigns wait for money and a start"
    },
    visibleMs,

    relations: (change) =>
      change.kind === "state" && change.after === status.paused && change.partner !== undefined
        ? { follows: changeKey({ ...change, target: change.partner }) }
        : {},
    readRemoteState: (changes, plan) => {
      const brake = Effect.map(entries, (all) => whyNotStarted(all, plan.id))
      return readRemoteState({ ads, brake, wire }, changes, plan)
    },
    holdBack: (rows) => holdBack(ads, rows),
    send: (changes, { brake, unit }) => send(ads, changes, { brake, unit }),
    explain,

    invert,
    rollback: {
      containing: {
        belongsTo: articleOf,
        bringsBack: (change) => (change.kind === "product" && change.after ? articleOf(change) : undefined)
      },
      limits: (touched, wanted, read, { premise }) => {
        const proofs = new Set(read.flatMap(({ provenUnits }) => provenUnits))
        const certain = clusterUnit(wire, [...proofs, ...provenBy(premise)])
        const unit = Result.getOrUndefined(certain)
        return {
          irreversible: irreversible(touched, unit?.unit),
          later: wanted.flatMap(({ change, id }) =>
            workOf(change) === "cluster" && Result.isFailure(certain) ? [{ what: id, reason: certain.failure }] : []
          ),
          ...(unit?.isProven === true ? { premise: { unit: unit.unit } } : {})
        }
      },
      warnings: (steps) => {
        const deleted = steps.filter(({ change }) => change.kind === "delete").length
        return Effect.succeed(
          deleted === 0
            ? []
            : [`Campaigns that the plan created are deleted (${deleted}), with all that was changed in them since`]
        )
      }
    },

    guards: {
      hold: (draft, circumstances) =>
        Effect.map(circumstances, ({ entries, now }) =>
          holdToSent(
            holdToDay(guards, draft, { dayAgo: bidsDayAgo(entries, now), topUps: topUpsOf(entries, now) }),
            entries,
            now - visibleMs
          )
        ),
      holdRollback: (draft, isForward) => (isForward ? holdToGuards : warnOfRaises)(guards, draft, unitOf(draft)),
      problems: (plan, { entries, isRevert, now }) =>
        planProblems(guards, plan, {
          isRollback: isRevert,
          dayAgo: bidsDayAgo(entries, now),
          topUps: topUpsOf(entries, now),
          sent: bidsSent(entries, now - visibleMs, plan.id),
          unit: unitOf(plan)
        }),
      question: questionOf
    },
    readOnly: (now) => {
      const reason = readOnlyReason(settings, now)
      return reason === undefined ? undefined : { reason, error: readOnly("apply", reason) }
    },

    estimate: (steps) => estimate(steps, (operation) => limitOf(settings, operation)),
    describe,
    overview: { digest: digestOf, byRisk },
    describeAction,
    describeAdjusted,
    hoursAhead: moscowHours,
    upstream: "the marketplace"
  }
}

/** Days of the marketplace begin at midnight in Moscow. */
const moscowHours = 3

/** The article that a change belongs to, within its campaign; a change of a whole campaign stands for itself. */
const articleOf = (change: Change): string =>
  "nm_id" in change && typeof change.target === "number"
    ? pairKey({ advert_id: change.target, nm_id: change.nm_id })
    : changeKey(change)

/** The campaigns that are not deleted after all, with the reason: they hold money by now, or their budget cannot be read. */
const holdBack = Effect.fnUntraced(function* (
  ads: MarketplaceAds["Service"],
  rows: ReadonlyArray<Row<Change> & { readonly judgement: Judgement }>
) {
  const deletions = rows.flatMap(({ change, judgement, step }) =>
    change.kind === "delete" && typeof change.target === "number" && judgement !== "drift"
      ? [{ target: change.target, judgement, step }]
      : []
  )
  if (deletions.length === 0) return new Map<string, string>()
  const reading = readBudgets(
    ads,
    deletions.map(({ target }) => target)
  )
  const budgets = yield* Effect.orElseSucceed(reading, () => undefined)
  return new Map(
    deletions.flatMap(({ judgement, step, target }) => {
      const reason = whyNot(judgement, budgets?.get(target))
      return reason === undefined ? [] : [[step, reason] as const]
    })
  )
})

/** For a budget, for one that is unknown (null), or that could not be read (undefined). */
const whyNot = (judgement: Judgement, budget: AmountTold | null | undefined): string | undefined => {
  if (budget) return budget.kopecks === 0 ? undefined : holds(budget)
  const isGone = budget === null && judgement === "already"
  return isGone ? undefined : unread
}

const unread =
  "its budget cannot be read, and a campaign that may hold money is not deleted: see to it in the cabinet, or do this again later"

const holds = ({ kopecks, odd, rubles }: AmountTold) =>
  odd === undefined
    ? `the campaign holds ${rubles} rub (${kopecks} kopecks), and is not deleted: take them out in the cabinet, then do this again`
    : `its budget is told as ${rubles} rub, which is ${odd}, and it is not deleted: see to it in the cabinet, then do this again`
