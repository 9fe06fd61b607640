import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"

import {
  EmbeddedMarketplace,
  type EmbeddedMarketplaceOptions
} from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { smallAccount } from "./accounts.ts"

export const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

export type Method = "DELETE" | "GET" | "PATCH" | "POST" | "PUT"

/** One request to the embedded marketplace, and what came back. */
export const ask = Effect.fnUntraced(function* (method: Method, path: string, body?: unknown, key?: string) {
  const { apiKey, host, httpClient } = yield* EmbeddedMarketplace
  const bare = HttpClientRequest.make(method)(host + path, {
    headers: { authorization: key ?? Redacted.value(apiKey) }
  })
  const response = yield* httpClient.execute(body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body))
  const text = yield* response.text
  const contentType = response.headers["content-type"]?.split(";")[0] ?? ""
  const json: unknown = contentType.endsWith("json") ? JSON.parse(text) : text
  return { status: response.status, json, headers: response.headers, contentType }
})

export const embedded = (options?: EmbeddedMarketplaceOptions) =>
  EmbeddedMarketplace.layer({ account: smallAccount, limits: "none", ...options })

const pair = { advert_id: 1003, nm_id: 500301 }
const camelPair = { advertId: 1003, nmId: 500301 }

/** One call of every operation that the embedded account takes, in the published form. */
export const good: ReadonlyArray<readonly [Method, string, unknown?]> = [
  ["GET", "/api/advert/v2/adverts?ids=1001,1003&statuses=9&payment_type=cpm"],
  [
    "PATCH",
    "/api/advert/v1/bids",
    { bids: [{ advert_id: 1003, nm_bids: [{ nm_id: 500301, bid_kopecks: 30_000, placement: "search" }] }] }
  ],
  ["PATCH", "/adv/v0/auction/nms", { nms: [{ advert_id: 1003, nms: { add: [5], delete: [500302] } }] }],
  ["POST", "/adv/v0/normquery/get-minus", { items: [pair] }],
  ["POST", "/adv/v0/normquery/set-minus", { ...pair, norm_queries: ["a"] }],
  ["POST", "/adv/v0/normquery/stats", { from: "2026-01-01", to: "2026-01-30", items: [pair] }],
  ["POST", "/adv/v0/normquery/bids", { bids: [{ ...pair, norm_query: "a", bid: 300 }] }],
  ["POST", "/adv/v0/normquery/get-bids", { items: [pair] }],
  ["DELETE", "/adv/v0/normquery/bids", { bids: [{ ...pair, norm_query: "a" }] }],
  ["GET", "/adv/v3/fullstats?ids=1001&beginDate=2026-01-01&endDate=2026-01-31"],
  ["GET", "/adv/v0/stats/keywords?advert_id=1001&from=2026-01-01&to=2026-01-07"],
  [
    "POST",
    "/api/advert/v1/bids/min",
    { advert_id: 1001, nm_ids: [500101], payment_type: "cpm", placement_types: ["combined", "recommendation"] }
  ],
  [
    "POST",
    "/adv/v2/seacat/save-ad",
    { name: "New", nms: [1, 2], bid_type: "manual", payment_type: "cpm", placement_types: ["search"] }
  ],
  ["GET", "/adv/v0/start?id=1004"],
  ["GET", "/adv/v0/pause?id=1001"],
  ["GET", "/adv/v0/delete?id=1005"],
  ["POST", "/api/advert/v2/budget", { advertIds: [1001] }],
  [
    "POST",
    "/api/advert/v1/normquery/bids",
    { bids: [{ advertId: 1003, nmId: 500301, normQuery: "a", bidMinorUnits: 30_000 }] }
  ],
  ["GET", "/api/advert/v1/config"],
  ["GET", "/api/advert/v0/bids/recommendations?nmId=500301&advertId=1003"],
  ["GET", "/api/advert/v0/daily-limits"],
  ["PUT", "/api/advert/v0/daily-limits", { advertIds: [1003], enabled: true, dailyLimit: 60_000 }],
  ["GET", "/adv/v1/balance"],
  ["POST", "/adv/v1/budget/deposit?id=1003", { sum: 1000, type: 0, return: true }],
  ["GET", "/adv/v1/upd?from=2026-01-01&to=2026-01-02"],
  ["POST", "/adv/v1/normquery/stats", { from: "2026-01-01", to: "2026-01-30", items: [camelPair] }],
  ["POST", "/adv/v0/normquery/list", { items: [camelPair] }],
  [
    "PUT",
    "/adv/v0/auction/placements",
    { placements: [{ advert_id: 1003, placements: { search: true, recommendations: true } }] }
  ],
  ["POST", "/adv/v0/rename", { advertId: 1003, name: "Notebooks" }],
  ["GET", "/adv/v0/stop?id=1002"],
  ["GET", "/adv/v1/promotion/count"]
]
