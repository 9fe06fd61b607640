import { Effect, Match, Result } from "effect"

import type { StepRecord } from "../../changes/PlanState.ts"
import {
  changedSince,
  type Judgement,
  type StepRecords,
  type RemoteState,
  type Observation
} from "../../changes/RemoteState.ts"
import type { BidUnit, ClusterWire } from "../client/Bids.ts"
import {
  articleOf,
  bidOf,
  type Campaign,
  findByName,
  isThere,
  type ManualPlacement,
  mayChange,
  nameOf,
  type Placement,
  shownAt,
  status
} from "../client/Campaign.ts"
import { clusterKey } from "../client/Clusters.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import type { Kopecks } from "../client/money.ts"
import { type Change, changeKey, workOf } from "../plan/Change.ts"
import { clusterUnit, type ClusterUnit, provenBy } from "../plan/clusterUnit.ts"
import { explainMisread, observedIn } from "../plan/describe.ts"
import * as Phrases from "../plan/phrases.ts"
import type { Draft } from "../plan/Plan.ts"
import { isLocated, type Located, type LocatedOf } from "./Located.ts"
import { findLostCampaign, isMisread, isProbe, isRounded } from "./ownWork.ts"
import { type Batch, readBatch } from "./readBatch.ts"
import { depositShown, judgeDeposit, judgeState, whyNotDeposited, withoutPartner } from "./running.ts"

/** The marketplace's state of the things that one batch changes. */
export interface AdsState extends RemoteState<Change> {
  /** The unit in which cluster bids are sent; undefined if it is not certain. */
  readonly unit: ClusterUnit["unit"] | undefined
  /** The reason for which nothing is started at this moment, if there is one. */
  readonly brake: Effect.Effect<string | undefined>
  /** The units proved by the cluster bids that were read. */
  readonly provenUnits: ReadonlyArray<BidUnit>
}

type Ads = MarketplaceAds["Service"]

const judge = (isAfter: boolean, isBefore: boolean): Judgement => (isAfter ? "already" : isBefore ? "pending" : "drift")

const clusterBid = ({ clusterAt }: Batch, { nm_id, norm_query, target }: LocatedOf<"cluster">) =>
  clusterAt.get(clusterKey({ advert_id: target, nm_id, norm_query }))?.bid ?? null

/** The current bid where a change sets one; null if there is none. */
const bidShown = (batch: Batch, change: LocatedOf<"bid" | "cluster">): Kopecks | null =>
  change.kind === "cluster"
    ? clusterBid(batch, change)
    : (currentBid(batch.campaigns.get(change.target), change.nm_id, change.placement) ?? null)

const judgementIn = (batch: Batch) => {
  const { adverts, campaigns, limits, phrasesAt } = batch
  return Match.type<Located>().pipe(
    Match.withReturnType<Judgement>(),
    Match.discriminatorsExhaustive("kind")({
      create: ({ name }) => judge(false, findByName(adverts, name) === undefined),
      delete: ({ target }) => {
        const campaign = campaigns.get(target)
        return judge(campaign === undefined || campaign.status === status.deleting, campaign?.status === status.ready)
      },
      product: ({ after, nm_id, target }) => {
        const present = articleIn(campaigns.get(target), nm_id) !== undefined
        return judge(present === after, after || campaigns.has(target))
      },
      bid: ({ after, before, nm_id, placement, target }) => {
        const bid = currentBid(campaigns.get(target), nm_id, placement)
        return judge(bid === after, before === null || bid === before)
      },
      phrases: ({ after, before, nm_id, target }) => {
        const present = phrasesAt(target, nm_id)
        return judge(Phrases.same(present, after), Phrases.same(present, before))
      },
      cluster: (change) => {
        const bid = clusterBid(batch, change)
        return judge(bid === change.after, bid === change.before)
      },
      state: (change) => judgeState(change, campaigns.get(change.target)),
      name: ({ after, before, target }) => {
        const campaign = campaigns.get(target)
        const name = campaign === undefined ? undefined : nameOf(campaign)
        return judge(name === after, name === before)
      },
      placements: ({ after, before, target }) => {
        const places = placesIn(campaigns.get(target))
        return judge(isSamePlaces(places, after), isSamePlaces(places, before))
      },
      deposit: () => "pending",
      limit: ({ after, before, target }) => judge(limits.get(target) === after, limits.get(target) === before)
    })
  )
}

/** The observation of a bid that does not show as planned. */
const bidObserved = (batch: Batch, change: LocatedOf<"bid" | "cluster">): Observation => {
  const amount = bidShown(batch, change)
  if (amount === null || change.after === null || amount === change.before) return { _tag: "Other" }
  if (change.kind === "cluster" && isMisread(amount, change.after)) {
    const first = { step: changeKey(change), amount }
    const explain = (others: number) => explainMisread(first, others)
    return { _tag: "Mistaken", word: "misread", detail: { misread: amount }, explain }
  }
  return isRounded(amount, change.after)
    ? { _tag: "Adjusted", word: "rounded", detail: { rounded: amount } }
    : { _tag: "Other" }
}

/** The account of the campaigns that one batch changes, and how it is read. */
interface Reading extends Pick<AdsState, "brake"> {
  readonly ads: Ads
  readonly wire: ClusterWire | undefined
}

/** Reads the current state of what one batch changes. */
export const readRemoteState = Effect.fnUntraced(function* (
  { ads, brake, wire }: Reading,
  all: ReadonlyArray<Change>,
  { premise }: Pick<Draft, "premise">
) {
  const batch = yield* readBatch(ads, all.filter(isLocated))
  const { adverts, budgets, campaigns, campaignsLater, proofs } = batch
  const unit = clusterUnit(wire, [...proofs, ...provenBy(premise)])
  const judgementOf = judgementIn(batch)

  return {
    unit: Result.isSuccess(unit) ? unit.success.unit : undefined,
    provenUnits: proofs,
    brake,
    judge: (change, records) => {
      if (!isLocated(change)) return "pending"
      if (change.kind === "deposit") return judgeDeposit(change, budgets.get(change.target), records)
      const judgement = judgementOf(change)
      return judgement === "drift" && isOfBid(change) ? ownOrDrift(change, bidShown(batch, change), records) : judgement
    },
    obstacle: (change) => {
      if (workOf(change) === "cluster") return Result.isFailure(unit) ? unit.failure : undefined
      if (change.kind === "state" && isLocated(change)) return withoutPartner(change, campaigns)
      const isInside = change.kind === "bid" || change.kind === "product" || change.kind === "placements"
      const campaign = isInside && isLocated(change) ? campaigns.get(change.target) : undefined
      if (campaign === undefined || mayChange(campaign)) return undefined
      return `campaign ${campaign.id} is in status ${campaign.status}, in which nothing can change`
    },
    isTooEarly: (change) =>
      change.kind === "state" && isLocated(change) && withoutPartner(change, campaigns) !== undefined,
    observe: (change): Observation => {
      if (!isLocated(change)) return { _tag: "Other" }
      if (change.kind === "deposit") return depositShown(change, budgets.get(change.target))
      if (judgementOf(change) === "already") return { _tag: "Wanted" }
      return isOfBid(change) ? bidObserved(batch, change) : { _tag: "Other" }
    },
    fromAdjusted: (change, original) => {
      if (!isLocated(change) || !isOfBid(change)) return undefined
      const before = bidShown(batch, change)
      return before !== null && isOwn(change, before, original) ? { ...change, before } : undefined
    },
    findLostCreation: (change, { outcomeUnknownSince: sentAt = 0 }) =>
      change.kind === "create" ? findLostCampaign(adverts, change, sentAt) : {},
    explainDrift: Effect.map(
      campaignsLater,
      (current) => (change) =>
        change.kind === "deposit" && isLocated(change)
          ? whyNotDeposited(change, budgets.get(change.target), campaigns.get(change.target))
          : whyDrifted(change, current)
    )
  } satisfies AdsState
})

const isOfBid = (change: Located): change is LocatedOf<"bid" | "cluster"> =>
  change.kind === "bid" || change.kind === "cluster"

/** A bid that this plan has set, or the plan that it rolls back, is not drift. */
const ownOrDrift = (
  { after, before, kind }: LocatedOf<"bid" | "cluster">,
  bid: Kopecks | null,
  { original, record }: StepRecords
): Judgement => {
  if (bid === null) return "drift"
  const isUnknown = record.outcomeUnknownSince !== undefined
  const isLate = original?.isUnconfirmed === true && observedIn(original.observed?.detail).rounded === undefined
  if (isUnknown && after !== null && isRounded(bid, after)) return "already"
  if (isLate && before !== null && isRounded(bid, before)) return "pending"
  if (kind === "bid") return "drift"
  const isOther = isUnknown && after !== null && isMisread(bid, after)
  const isBack = original !== undefined && before !== null && isMisread(bid, before)
  return isOther || isBack || isProbe(bid, probeIn(record) ?? probeIn(original)) ? "pending" : "drift"
}

const probeIn = (record: StepRecord | undefined) => observedIn(record?.observed?.detail).probe

/** Whether the current bid is the one that the reverted step has set, perhaps rounded. */
const isOwn = (
  { before, kind }: LocatedOf<"bid" | "cluster">,
  bid: Kopecks,
  { isUnconfirmed, observed, outcomeUnknownSince }: StepRecord
): boolean => {
  const { probe, rounded } = observedIn(observed?.detail)
  if (rounded === bid) return true
  const mayBeRounded = rounded === undefined && (outcomeUnknownSince !== undefined || isUnconfirmed)
  if (mayBeRounded && before !== null && isRounded(bid, before)) return true
  return kind === "cluster" && ((before !== null && isMisread(bid, before)) || isProbe(bid, probe))
}

const placesIn = (campaign: Campaign | undefined) => shownAt(campaign?.settings.placements)

const isSamePlaces = (a: ReadonlyArray<ManualPlacement>, b: ReadonlyArray<ManualPlacement>): boolean =>
  a.length === b.length && a.every((place) => b.includes(place))

const articleIn = (campaign: Campaign | undefined, nm_id: number) =>
  campaign === undefined ? undefined : articleOf(campaign, nm_id)

/** Undefined if the article is not there at all, null if it has no bid. */
const currentBid = (
  campaign: Campaign | undefined,
  nm_id: number,
  placement: Placement
): Kopecks | null | undefined => {
  const article = articleIn(campaign, nm_id)
  return article === undefined ? undefined : bidOf(article, placement)
}

/** The reason why a change finds a different state than it was planned for; without `campaigns` if they could not be read. */
const whyDrifted = (change: Change, campaigns: ReadonlyMap<number, Campaign> | undefined): string => {
  if (change.kind === "create") {
    return "there is a campaign of this name already: rename it in the cabinet, or plan with another name"
  }
  const campaign = typeof change.target === "number" ? campaigns?.get(change.target) : undefined
  if (change.kind === "delete") return whyNotDeleted(campaign)
  const isGone = campaigns !== undefined && (campaign === undefined || !isThere(campaign))
  if (isGone) return `campaign ${JSON.stringify(change.target)} is not there any more, or has ended`
  if (campaign !== undefined && "nm_id" in change && articleOf(campaign, change.nm_id) === undefined) {
    return `article ${change.nm_id} is not in campaign ${campaign.id} any more`
  }
  return changedSince
}

const whyNotDeleted = (campaign: Campaign | undefined): string =>
  campaign?.status === status.active || campaign?.status === status.paused
    ? "the campaign has been started, and then it cannot be deleted: ads_pause_campaign pauses it, the cabinet ends it"
    : `the campaign is in status ${campaign?.status}, in which it cannot be deleted, and stays as it is`
