import { assert, describe, it } from "@effect/vitest"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Layer, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"

import {
  EmbeddedMarketplace,
  type EmbeddedMarketplaceOptions
} from "../../src/embedded/marketplace/EmbeddedMarketplace.ts"
import { examples, publishedOperations } from "./data.ts"

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

type Method = "DELETE" | "GET" | "PATCH" | "POST"

const ask = Effect.fnUntraced(function* (method: Method, path: string, body?: unknown, key?: string) {
  const { apiKey, host, httpClient } = yield* EmbeddedMarketplace
  const bare = HttpClientRequest.make(method)(host + path, {
    headers: { authorization: key ?? Redacted.value(apiKey) }
  })
  const response = yield* httpClient.execute(body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body))
  const text = yield* response.text
  const json: unknown = /^[[{"\d n]/.test(text) ? JSON.parse(text) : text
  return { status: response.status, json, headers: response.headers }
})

const embedded = (options?: EmbeddedMarketplaceOptions) => EmbeddedMarketplace.layer({ limits: "none", ...options })

const problem = (detail: string) => ({
  detail,
  origin: "camp-api-public-cache",
  request_id: "00000000000000000000000000000000",
  status: 400,
  title: "invalid payload"
})

const pair = { advert_id: 1003, nm_id: 500301 }

/** One call of every operation that the embedded account takes. */
const good: ReadonlyArray<readonly [Method, string, unknown?]> = [
  ["GET", "/api/advert/v2/adverts?ids=1001,1003&statuses=9"],
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
  ["POST", "/adv/v2/seacat/save-ad", { name: "New", nms: [1, 2] }],
  ["GET", "/adv/v0/start?id=1004"],
  ["GET", "/adv/v0/pause?id=1001"],
  ["GET", "/adv/v0/delete?id=1005"],
  ["POST", "/api/advert/v2/budget", { advertIds: [1001] }],
  ["GET", "/adv/v1/budget?id=1001"],
  ["GET", "/adv/v1/promotion/count"]
]

describe("the embedded marketplace", () => {
  it.effect("answers every operation in the shape that is published for it", () =>
    Effect.gen(function* () {
      for (const [method, path, body] of good) {
        const { json, status } = yield* ask(method, path, body)
        assert.strictEqual(status, 200, path)
        const shape = publishedOperations.find((one) => one.method === method && path.split("?")[0] === one.path)
        assert.isDefined(shape, path)
        if (shape?.response) assert.isTrue(ajv.validate(shape.response, json), `${path}: ${ajv.errorsText()}`)
      }
    }).pipe(Effect.provide(embedded({ wire: "published" })))
  )

  const requests = examples.filter(({ kind }) => kind === "request")

  it.effect.each(requests)(
    "finds no fault with the shape of the published request of $operation",
    ({ operation, value }) =>
      Effect.gen(function* () {
        const method = (["DELETE", "GET", "PATCH", "POST"] as const).find((one) => operation.startsWith(one)) ?? "GET"
        const { json, status } = yield* ask(method, operation.slice(method.length + 1), value)
        if (status !== 200) assert.match(JSON.stringify(json), /not found|norm_query API/)
      }).pipe(Effect.provide(embedded({ wire: "published" })))
  )

  const bad: ReadonlyArray<readonly [string, Method, string, unknown, string]> = [
    [
      "a bid that is no integer",
      "PATCH",
      "/api/advert/v1/bids",
      { bids: [{ advert_id: 1, nm_bids: [{ nm_id: 1, bid_kopecks: 1.5, placement: "search" }] }] },
      "Expected an integer"
    ],
    [
      "a placement that is none",
      "PATCH",
      "/api/advert/v1/bids",
      { bids: [{ advert_id: 1, nm_bids: [{ nm_id: 1, bid_kopecks: 1, placement: "top" }] }] },
      "Expected"
    ],
    [
      "articles in the published form",
      "PATCH",
      "/adv/v0/auction/nms",
      { nms: [{ advert_id: 1, nms: { add: [1] } }] },
      "Missing key"
    ],
    ["no body", "POST", "/adv/v0/normquery/get-minus", undefined, "Expected"],
    [
      "a day that is none",
      "POST",
      "/adv/v0/normquery/stats",
      { from: "today", to: "2026-01-01", items: [] },
      "Expected"
    ]
  ]

  it.effect.each(bad)("refuses %s by its shape", ([, method, path, body, expected]) =>
    Effect.gen(function* () {
      const { json, status } = yield* ask(method, path, body)
      assert.strictEqual(status, 400)
      assert.include(JSON.stringify(json), expected)
    }).pipe(Effect.provide(embedded()))
  )

  const bid = (advert_id: number, nm_id: number, bid_kopecks: number, placement: string) => ({
    bids: [{ advert_id, nm_bids: [{ nm_id, bid_kopecks, placement }] }]
  })
  const rules: ReadonlyArray<readonly [string, Method, string, unknown, unknown]> = [
    [
      "a bid below the lowest",
      "PATCH",
      "/api/advert/v1/bids",
      bid(1001, 500101, 100, "combined"),
      problem("wrong bid value: 100; min: 15500")
    ],
    [
      "a campaign that is not there",
      "PATCH",
      "/api/advert/v1/bids",
      bid(9, 1, 30_000, "search"),
      problem("advert 9 not found")
    ],
    [
      "an article that is not there",
      "PATCH",
      "/api/advert/v1/bids",
      bid(1001, 9, 30_000, "combined"),
      problem("nm 9 not found or inactive")
    ],
    [
      "a placement of the other kind",
      "PATCH",
      "/api/advert/v1/bids",
      bid(1001, 500101, 30_000, "search"),
      problem("wrong placement: search")
    ],
    [
      "an article both ways",
      "PATCH",
      "/adv/v0/auction/nms",
      { campaigns: [{ advert_id: 1001, add_nms: [7], delete_nms: [7] }] },
      problem("nomenclature 7 cannot be both added and deleted for advert 1001")
    ],
    [
      "phrases for article 0",
      "POST",
      "/adv/v0/normquery/set-minus",
      { advert_id: 1001, nm_id: 0, norm_queries: ["a"] },
      problem("nm 0 not found or inactive")
    ],
    [
      "cluster bids of one-bid campaigns",
      "POST",
      "/adv/v0/normquery/bids",
      { bids: [{ advert_id: 1001, nm_id: 500101, norm_query: "a", bid: 1 }] },
      problem("norm_query API not available")
    ],
    [
      "a payment type that is none",
      "GET",
      "/api/advert/v2/adverts?payment_type=cpx",
      undefined,
      problem("invalid payment_type value")
    ],
    ["a pause of what pauses", "GET", "/adv/v0/pause?id=1004", undefined, "status not changed"],
    ["a deletion of what runs", "GET", "/adv/v0/delete?id=1001", undefined, { error: "invalid advert id" }]
  ]

  it.effect.each(rules)("refuses %s, and stays as it is", ([, method, path, body, expected]) =>
    Effect.gen(function* () {
      const { account } = yield* EmbeddedMarketplace
      const before = yield* account
      const { json, status } = yield* ask(method, path, body)
      assert.isAtLeast(status, 400)
      assert.deepStrictEqual(json, expected)
      assert.deepStrictEqual(yield* account, before)
    }).pipe(Effect.provide(embedded()))
  )

  it.effect("does not start a campaign without money", () =>
    Effect.gen(function* () {
      yield* ask("POST", "/adv/v2/seacat/save-ad", { name: "New", nms: [1] })
      const { json } = yield* ask("GET", "/adv/v0/start?id=1005")
      assert.deepStrictEqual(json, { error: "AdvertChangeStatus: Low Budget: not enough budget" })
    }).pipe(Effect.provide(embedded()))
  )

  it.effect("takes its key with and without the word Bearer, and no other", () =>
    Effect.gen(function* () {
      const count = (key: string) =>
        Effect.map(ask("GET", "/adv/v1/promotion/count", undefined, key), ({ status }) => status)
      assert.deepStrictEqual(yield* Effect.forEach(["k", "Bearer k", "x"], count), [200, 200, 401])
    }).pipe(Effect.provide(embedded({ apiKey: "k" })))
  )

  it.effect("tells by its headers how much is left, and when to come again", () =>
    Effect.gen(function* () {
      const read = ask("GET", "/adv/v3/fullstats?ids=1001&beginDate=2026-01-01&endDate=2026-01-02")
      assert.strictEqual((yield* read).headers["x-ratelimit-remaining"], "0")
      const { headers, status } = yield* read
      assert.strictEqual(status, 429)
      assert.deepInclude(headers, { "x-ratelimit-retry": "20", "x-ratelimit-limit": "1", "x-ratelimit-reset": "20" })
    }).pipe(Effect.provide(embedded({ limits: "full" })))
  )

  it.effect("speaks of one-bid campaigns with the word of its wire", () =>
    Effect.gen(function* () {
      const words = yield* Effect.forEach(["spec", "published"] as const, (wire) =>
        Effect.map(
          Effect.provide(ask("GET", "/api/advert/v2/adverts?ids=1001"), embedded({ wire }), { local: true }),
          ({ json }) => /"bid_type":"(\w+)"/.exec(JSON.stringify(json))?.[1]
        )
      )
      assert.deepStrictEqual(words, ["auto", "unified"])
    }).pipe(Effect.provide(Layer.empty))
  )
})
