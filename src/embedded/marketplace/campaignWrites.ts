import { DateTime } from "effect"

import { status } from "../../marketplace/Campaign.ts"
import type { NewCampaign } from "../../marketplace/NewCampaign.ts"
import type { Call } from "./Endpoint.ts"
import type { OneCampaign } from "./queries.ts"
import { done, error, ok } from "./Reply.ts"
import { lowestRow } from "./rows.ts"
import { type Advert, type State, withAdvert } from "./State.ts"
import { voices } from "./voices.ts"
import { refuse, type Written } from "./Written.ts"

export const create = (state: State, campaign: NewCampaign, { now }: Call): Written => {
  const { bid_type, name, nms = [], payment_type = "cpm", placement_types = ["search"] } = campaign
  const advert: Omit<Advert, "rows"> = {
    id: state.nextId,
    name,
    bid_type: bid_type === "unified" ? "auto" : "manual",
    status: status.ready,
    payment_type,
    search: bid_type === "unified" || placement_types.includes("search"),
    recommendations: bid_type === "unified" || placement_types.includes("recommendations"),
    created: DateTime.formatIso(now),
    budget: 0
  }
  const rows = nms.map((nm_id) => lowestRow(advert, nm_id))
  return {
    state: { ...withAdvert(state, { ...advert, rows }), nextId: state.nextId + 1 },
    reply: ok(advert.id)
  }
}

const moveTo = (state: State, { id }: OneCampaign, from: ReadonlyArray<number>, to: number): Written => {
  const advert = state.adverts.get(id)
  if (advert === undefined) return refuse(state, error("AdvertChangeStatus: Not Found: advert not found"))
  if (!from.includes(advert.status)) return refuse(state, { status: 422, text: "Статус кампании не изменен" })
  if (to === status.active && advert.budget <= 0) {
    return refuse(state, error("AdvertChangeStatus: Low Budget: not enough budget"))
  }
  return { state: withAdvert(state, { ...advert, status: to }), reply: done }
}

export const start = (state: State, query: OneCampaign): Written =>
  moveTo(state, query, [status.ready, status.paused], status.active)

export const pause = (state: State, query: OneCampaign): Written => moveTo(state, query, [status.active], status.paused)

export const remove = (state: State, { id }: OneCampaign, { now }: Call): Written => {
  const advert = state.adverts.get(id)
  if (advert?.status !== status.ready) return refuse(state, error(voices.deletion.parameter()))
  return { state: withAdvert(state, { ...advert, status: status.deleting, deleted: now }), reply: done }
}
