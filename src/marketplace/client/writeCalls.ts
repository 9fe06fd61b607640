import { Effect, Predicate, Schema } from "effect"

import { DailyLimitChange, DailyLimitsSet, Deposit, DepositReply } from "./Account.ts"
import { type BidUnit, type ClusterWire, unitOf, UpdateBids, type Wire } from "./Bids.ts"
import type { Calls } from "./call.ts"
import { NewCampaign, NewCampaignId, PlacementChange, type ProductChange, UpdateProducts } from "./Campaign.ts"
import { ClusterBidsSet, DeleteClusterBids, MinusPhrases, refusedIn, SetClusterBids } from "./Clusters.ts"
import { campaignWide } from "./ids.ts"
import { AdsOutcomeUnknown, AdsPartlyDone, isOutcomeUnknown, MarketplaceError, retryAfter } from "./MarketplaceError.ts"
import { caps, type Operation, operations } from "./operations.ts"
import { splitBids, splitProducts, chunks } from "./split.ts"
import { check, refuseIf } from "./wire.ts"
import * as WireForm from "./wire.ts"

/** The operations that write: long lists are split and sent one call after the other. */
export const writeCalls = ({ call }: Calls, wire: Wire, clusterWire: ClusterWire = wire) => {
  const updateBids = Effect.fn("MarketplaceAds.updateBids")(function* (request: typeof UpdateBids.Type) {
    const { bids } = yield* check("updateBids", UpdateBids, request)
    yield* inTurn(splitBids(bids), (some) => call(operations.updateBids, { body: { bids: some } }, Done))
  })

  const updateCampaignProducts = Effect.fn("MarketplaceAds.updateCampaignProducts")(function* (
    request: typeof UpdateProducts.Type
  ) {
    const { campaigns } = yield* check("updateCampaignProducts", UpdateProducts, request)
    yield* refuseIf("updateCampaignProducts", campaigns.map(productsProblem).find(Predicate.isNotUndefined))
    yield* inTurn(splitProducts(campaigns), (some) =>
      call(operations.updateCampaignProducts, { body: WireForm.productsBody(wire, some) }, Done)
    )
  })

  const setMinusPhrases = Effect.fn("MarketplaceAds.setMinusPhrases")(function* (
    item: MinusPhrases,
    options: { readonly clear?: boolean } = {}
  ) {
    yield* refuseIf("setMinusPhrases", phrasesProblem(item, options.clear === true))
    const body = yield* check("setMinusPhrases", MinusPhrases, item)
    yield* call(operations.setMinusPhrases, { body }, Done)
  })

  const setNormqueryBids = Effect.fn("MarketplaceAds.setNormqueryBids")(function* (
    request: typeof SetClusterBids.Type,
    { unit = unitOf(wire) }: { readonly unit?: BidUnit } = {}
  ) {
    const { bids } = yield* check("setNormqueryBids", SetClusterBids, request)
    if (clusterWire === "minor") {
      const replies = yield* inTurn(chunks(bids, caps.clusterBids), (some) =>
        call(operations.setNormqueryBidsV1, { body: WireForm.minorClusterBids(some) }, ClusterBidsSet)
      )
      return { failed: replies.flatMap(refusedIn) }
    }
    const bodies = yield* Effect.forEach(chunks(bids, caps.clusterBids), (some) =>
      Effect.map(WireForm.clusterBidsBody(unit, some), (body) => ({ body, length: some.length }))
    )
    const replies = yield* inTurn(bodies, ({ body }) => call(operations.setNormqueryBids, { body }, ClusterBidsSet))
    return { failed: replies.flatMap(refusedIn) }
  })

  const createSeacatSaveAd = Effect.fn("MarketplaceAds.createSeacatSaveAd")(function* (campaign: NewCampaign) {
    const body = yield* check("createSeacatSaveAd", NewCampaign, campaign)
    const isLong = (body.nms ?? []).length > caps.newCampaignArticles
    yield* refuseIf("createSeacatSaveAd", isLong ? tooManyArticles : undefined)
    return yield* call(operations.createSeacatSaveAd, { body }, NewCampaignId)
  })

  const deleteNormqueryBids = Effect.fn("MarketplaceAds.deleteNormqueryBids")(function* (
    request: typeof DeleteClusterBids.Type
  ) {
    const { bids } = yield* check("deleteNormqueryBids", DeleteClusterBids, request)
    yield* inTurn(chunks(bids, caps.clusterBids), (some) =>
      call(operations.deleteNormqueryBids, { body: { bids: some } }, Done)
    )
  })

  const updateAuctionPlacement = Effect.fn("MarketplaceAds.updateAuctionPlacement")(function* (request: {
    readonly placements: ReadonlyArray<PlacementChange>
  }) {
    const placements = yield* check("updateAuctionPlacement", Schema.Array(PlacementChange), request.placements)
    yield* inTurn(chunks(placements, caps.placements), (some) =>
      call(operations.updateAuctionPlacement, { body: { placements: some } }, Done)
    )
  })

  const renameCampaign = (id: number, name: string) =>
    Effect.asVoid(call(operations.renameCampaign, { body: { advertId: id, name } }, Done))

  const createBudgetDeposit = Effect.fn("MarketplaceAds.createBudgetDeposit")(function* (deposit: Deposit) {
    const { advert_id: id, from, rubles } = yield* check("createBudgetDeposit", Deposit, deposit)
    const body = { sum: rubles, type: purses[from], return: true }
    const reply = yield* call(operations.createBudgetDeposit, { query: { id }, body }, DepositReply)
    return Predicate.isObject(reply) && "total" in reply ? (reply.total ?? null) : null
  })

  const setDailyLimits = Effect.fn("MarketplaceAds.setDailyLimits")(function* (change: DailyLimitChange) {
    const { advertIds, ...limit } = yield* check("setDailyLimits", DailyLimitChange, change)
    const isWithout = limit.enabled && limit.dailyLimit === undefined
    yield* refuseIf("setDailyLimits", isWithout ? "a limit that is enabled needs dailyLimit" : undefined)
    const replies = yield* inTurn(chunks(advertIds, caps.dailyLimits), (some) =>
      call(operations.setDailyLimits, { body: { advertIds: some, ...limit } }, DailyLimitsSet)
    )
    const rows = replies.flatMap((reply) =>
      Predicate.isObject(reply) && "adverts" in reply ? (reply.adverts ?? []) : []
    )
    return { tooLow: rows.filter(({ belowMinLimit }) => belowMinLimit === true) }
  })

  const byId = (operation: Operation) => (id: number) => Effect.asVoid(call(operation, { query: { id } }, Done))

  return {
    updateBids,
    updateCampaignProducts,
    setMinusPhrases,
    setNormqueryBids,
    createSeacatSaveAd,
    deleteNormqueryBids,
    updateAuctionPlacement,
    renameCampaign,
    createBudgetDeposit,
    setDailyLimits,
    startCampaign: byId(operations.startCampaign),
    pauseCampaign: byId(operations.pauseCampaign),
    stopCampaign: byId(operations.stopCampaign),
    deleteCampaign: byId(operations.deleteCampaign)
  }
}

/** The purses as the marketplace numbers them. */
const purses = { account: 0, balance: 1, bonus: 3 } as const

/** Any answer to a change, as the specification does not show it. */
const Done = Schema.Unknown

/** Sends the parts of a write one after the other; a failure after the first part says how much is done. */
const inTurn = Effect.fnUntraced(function* <A extends { readonly length: number }, B>(
  parts: ReadonlyArray<A>,
  write: (part: A) => Effect.Effect<B, MarketplaceError>
) {
  const total = parts.reduce((sum, part) => sum + part.length, 0)
  const replies: Array<B> = []
  let done = 0
  for (const part of parts) {
    replies.push(yield* Effect.mapError(write(part), (error) => (done === 0 ? error : brokenOff(error, done, total))))
    done += part.length
  }
  return replies
})

/** The error of a later part, after others were done; whether the failed part was done may be unknown. */
const brokenOff = (error: MarketplaceError, done: number, total: number) => {
  const { operation, reason } = error
  if (isOutcomeUnknown(error)) {
    const detail = `${done} of ${total} were done, then: ${reason.detail}`
    return new MarketplaceError({ operation, reason: new AdsOutcomeUnknown({ detail }) })
  }
  const seconds = retryAfter(error)
  const pause = seconds === undefined ? {} : { retryAfterSeconds: seconds }
  return new MarketplaceError({
    operation,
    reason: new AdsPartlyDone({ done, total, problem: reason.detail, ...pause })
  })
}

const tooManyArticles = `a new campaign takes at most ${caps.newCampaignArticles} articles; add the others afterwards`

const productsProblem = ({ add_nms = [], advert_id, delete_nms = [] }: ProductChange): string | undefined => {
  const both = add_nms.find((nm) => delete_nms.includes(nm))
  return both === undefined ? undefined : `article ${both} of campaign ${advert_id} cannot be both added and deleted`
}

const phrasesProblem = ({ nm_id, norm_queries }: MinusPhrases, clear: boolean): string | undefined => {
  if (nm_id === campaignWide) return "minus-phrases are set once per article: nm_id must be an article, not 0"
  if (norm_queries.length > caps.phrases) return `an article takes at most ${caps.phrases} minus-phrases`
  if (norm_queries.length === 0 && !clear)
    return "an empty list wipes all phrases of the article: say clear if that is meant"
  return undefined
}
