import { Effect } from "effect"

import { AdsBadRequest, AdsPartlyDone } from "../MarketplaceError.ts"
import type { Ads, Located } from "./look.ts"

/** Sends the changes of one batch, which are of one kind; returns the id of a campaign that it created. */
export const send = Effect.fnUntraced(function* (ads: Ads, changes: ReadonlyArray<Located>) {
  const rows = <K extends Located["kind"]>(kind: K) => changes.filter((change) => isOf(kind, change))

  for (const { name, nms, payment_type, placement_types } of rows("create")) {
    return yield* ads.createSeacatSaveAd({ name, nms, payment_type, placement_types, bid_type: "manual" })
  }
  for (const { target } of rows("delete")) yield* remove(ads, target)
  for (const { after, nm_id, target } of rows("phrases")) {
    const clear = after.length === 0
    yield* ads.setMinusPhrases({ advert_id: target, nm_id, norm_queries: after }, { clear })
  }
  yield* ads.updateCampaignProducts({
    campaigns: grouped(rows("product")).map(([advert_id, some]) => ({
      advert_id,
      add_nms: some.filter(({ after }) => after).map(({ nm_id }) => nm_id),
      delete_nms: some.filter(({ after }) => !after).map(({ nm_id }) => nm_id)
    }))
  })
  yield* ads.updateBids({
    bids: grouped(rows("bid")).map(([advert_id, some]) => ({
      advert_id,
      nm_bids: some.map(({ after, nm_id, placement }) => ({ nm_id, bid_kopecks: after, placement }))
    }))
  })
  yield* sendClusters(ads, rows("cluster"))
  return undefined
})

/** Also content with a campaign that is not there, or no longer; one that stays shows when it is read back. */
const remove = (ads: Ads, id: number) =>
  Effect.catchTags(ads.deleteCampaign(id), { AdsBadRequest: () => Effect.void, AdsNotFound: () => Effect.void })

type Row<K extends Located["kind"]> = Extract<Located, { readonly kind: K }>

const isOf = <K extends Located["kind"]>(kind: K, change: Located): change is Row<K> => change.kind === kind

const sendClusters = Effect.fnUntraced(function* (ads: Ads, rows: ReadonlyArray<Row<"cluster">>) {
  const at = ({ nm_id, norm_query, target }: Row<"cluster">) => ({ advert_id: target, nm_id, norm_query })
  yield* ads.deleteNormqueryBids({ bids: rows.filter(({ after }) => after === null).map(at) })
  const { failed } = yield* ads.setNormqueryBids({
    bids: rows.flatMap((row) => (row.after === null ? [] : [{ ...at(row), bid: row.after }]))
  })
  yield* failed.length > 0 ? Effect.fail(notTaken(failed, rows.length)) : Effect.void
})

/** A list with refusals among its items is answered with a 200, and what it names no refusal for is set. */
const notTaken = (failed: ReadonlyArray<string>, total: number) => {
  const operation = "setNormqueryBids"
  const detail = failed.join("; ")
  return failed.length < total
    ? new AdsPartlyDone({ operation, done: total - failed.length, total, detail: `${detail}.` })
    : new AdsBadRequest({ operation, status: 200, detail, fields: [] })
}

const grouped = <A extends { readonly target: number }>(rows: ReadonlyArray<A>) => {
  const groups = new Map<number, Array<A>>()
  for (const row of rows) groups.set(row.target, [...(groups.get(row.target) ?? []), row])
  return [...groups]
}
