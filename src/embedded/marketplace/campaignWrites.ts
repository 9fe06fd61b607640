import { Schema } from "effect"

import { status } from "../../marketplace/Campaign.ts"
import { NewCampaign } from "../../marketplace/NewCampaign.ts"
import { done, error, ok } from "./Reply.ts"
import { lowestRow } from "./rows.ts"
import { type Advert, type State, withAdvert } from "./State.ts"
import { refuse, type Written } from "./Written.ts"

export const create = (state: State, body: unknown, now: string): Written => {
  const {
    bid_type,
    name,
    nms = [],
    payment_type = "cpm",
    placement_types = ["search"]
  } = Schema.decodeUnknownSync(NewCampaign)(body)
  if (nms.length > 50) return refuse(state, { status: 400, json: "too many nms, max 50" })
  const advert: Omit<Advert, "rows"> = {
    id: state.nextId,
    name,
    bid_type: bid_type === "unified" ? "auto" : "manual",
    status: status.ready,
    payment_type,
    search: bid_type === "unified" || placement_types.includes("search"),
    recommendations: bid_type === "unified" || placement_types.includes("recommendations"),
    created: now,
    budget: 0
  }
  const rows = nms.map((nm_id) => lowestRow(advert, nm_id))
  return {
    state: { ...withAdvert(state, { ...advert, rows }), nextId: state.nextId + 1 },
    reply: ok(advert.id)
  }
}

/** Start and pause: from which status they lead where. */
export const moves = {
  start: { from: [status.ready, status.paused], to: status.active },
  pause: { from: [status.active], to: status.paused }
} as const

export const move = (state: State, query: Readonly<Record<string, string>>, kind: keyof typeof moves): Written => {
  const advert = state.adverts.get(Number(query["id"]))
  if (advert === undefined) return refuse(state, error("AdvertChangeStatus: Not Found: advert not found"))
  const { from, to } = moves[kind]
  const allowed: ReadonlyArray<number> = from
  if (!allowed.includes(advert.status)) return refuse(state, { status: 422, text: "status not changed" })
  if (kind === "start" && advert.budget <= 0) {
    return refuse(state, error("AdvertChangeStatus: Low Budget: not enough budget"))
  }
  return { state: withAdvert(state, { ...advert, status: to }), reply: done }
}

export const remove = (state: State, query: Readonly<Record<string, string>>): Written => {
  const id = Number(query["id"])
  const advert = state.adverts.get(id)
  if (advert === undefined || advert.status !== status.ready) return refuse(state, error("invalid advert id"))
  return {
    state: {
      ...state,
      adverts: new Map([...state.adverts].filter(([key]) => key !== id)),
      phrases: new Map([...state.phrases].filter(([key]) => !key.startsWith(`${id}:`))),
      clusterBids: new Map([...state.clusterBids].filter(([key]) => !key.startsWith(`${id}:`)))
    },
    reply: done
  }
}
