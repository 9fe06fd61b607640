import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { type Advert, stateOf } from "../../src/marketplace/embedded/State.ts"
import { bigAccount } from "./accounts.ts"
import { ask, embedded, type Method } from "./frontDoor.ts"

const about = { origin: "camp-api-public-cache", request_id: "00000000000000000000000000000000" }
const problem = (detail: string) => ({ ...about, detail, status: 400, title: "invalid payload" })
const closed = (detail: string) => ({ ...about, detail, status: 403, title: "request forbidden" })
const number = (at: string, field: string) => ({
  ...about,
  detail: `Key: 'V1PatchAdvertsBidsJSONBody.${at}.${field}' Error:Field validation for '${field}' failed on the 'gt' tag`,
  status: 400,
  title: "validation request params error"
})

describe("the embedded marketplace", () => {
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
      "a bid of nothing",
      "PATCH",
      "/api/advert/v1/bids",
      bid(1001, 500101, 0, "combined"),
      number("Bids[0].NmBids[0]", "BidKopecks")
    ],
    ["campaign 0", "PATCH", "/api/advert/v1/bids", bid(0, 1, 30_000, "search"), number("Bids[0]", "AdvertId")],
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
      "an article both added and deleted",
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
      "phrases of article 0 of a campaign with manual bids",
      "POST",
      "/adv/v0/normquery/get-minus",
      { items: [{ advert_id: 1003, nm_id: 0 }] },
      problem("nm 0 not found or inactive")
    ],
    [
      "statistics of article 0 of a campaign with manual bids",
      "POST",
      "/adv/v0/normquery/stats",
      { from: "2026-01-01", to: "2026-01-02", items: [{ advert_id: 1003, nm_id: 0 }] },
      problem("nm 0 not found or inactive")
    ],
    [
      "cluster bids of one-bid campaigns",
      "POST",
      "/adv/v0/normquery/bids",
      { bids: [{ advert_id: 1001, nm_id: 500101, norm_query: "a", bid: 1 }] },
      closed("norm_query API not available")
    ],
    [
      "to drop cluster bids of one-bid campaigns",
      "DELETE",
      "/adv/v0/normquery/bids",
      { bids: [{ advert_id: 1001, nm_id: 500101, norm_query: "a" }] },
      closed("norm_query API not available")
    ],
    [
      "to drop cluster bids of a campaign that is not there",
      "DELETE",
      "/adv/v0/normquery/bids",
      { bids: [{ advert_id: 9, nm_id: 500101, norm_query: "a" }] },
      problem("advert 9 not found")
    ],
    [
      "a payment type that is none",
      "GET",
      "/api/advert/v2/adverts?payment_type=cpx",
      undefined,
      problem("invalid payment_type value")
    ],
    [
      "bids of one campaign twice",
      "PATCH",
      "/api/advert/v1/bids",
      { bids: [...bid(1001, 500101, 30_000, "combined").bids, ...bid(1001, 500102, 30_000, "combined").bids] },
      problem("advert 1001 is not unique")
    ],
    [
      "cluster statistics of 31 days",
      "POST",
      "/adv/v0/normquery/stats",
      { from: "2026-01-01", to: "2026-01-31", items: [{ advert_id: 1003, nm_id: 500301 }] },
      problem("max date range 30 days")
    ],
    [
      "statistics of 51 campaigns",
      "GET",
      `/adv/v3/fullstats?ids=${Array.from({ length: 51 }, (_, id) => id + 1).join()}&beginDate=2026-01-01&endDate=2026-01-02`,
      undefined,
      problem("invalid ids")
    ],
    ["a pause of what pauses", "GET", "/adv/v0/pause?id=1004", undefined, "Статус кампании не изменен"],
    ["a deletion of what runs", "GET", "/adv/v0/delete?id=1001", undefined, { error: "Некорректный ID кампании" }],
    [
      "statistics up to a day before the first",
      "GET",
      "/adv/v3/fullstats?ids=1001&beginDate=2026-01-02&endDate=2026-01-01",
      undefined,
      {
        ...about,
        errors: [{ detail: "max date range 31 days", field: "begin and end" }],
        status: 400,
        title: "Invalid payload",
        type: "bad request"
      }
    ]
  ]

  it.effect.each(rules)("refuses %s, and changes nothing", ([, method, path, body, expected]) =>
    Effect.gen(function* () {
      const { account } = yield* EmbeddedMarketplace
      const before = yield* account
      const { json, status } = yield* ask(method, path, body)
      assert.isAtLeast(status, 400)
      assert.deepStrictEqual(json, expected)
      assert.deepStrictEqual(yield* account, before)
    }).pipe(Effect.provide(embedded()))
  )

  const advertOf = (given: Partial<Advert> & Pick<Advert, "id">): Advert => {
    const [advert] = bigAccount({ campaigns: 1, articles: 1 }).adverts.values()
    return { ...(advert ?? assert.fail("no campaign")), ...given }
  }
  const statuses = [-1, 4, 7, 8, 9, 11]
  const account = stateOf([
    ...statuses.map((status, id) => advertOf({ id: id + 1, status })),
    advertOf({ id: 7, payment_type: "cpc", bid_type: "manual" })
  ])

  it.effect("has statistics of campaigns that have run, and budgets of those that can still run", () =>
    Effect.gen(function* () {
      const days = "beginDate=2026-01-01&endDate=2026-01-02"
      const counted = yield* ask("GET", `/adv/v3/fullstats?ids=1,2,3,4,5,6&${days}`)
      assert.deepStrictEqual(JSON.stringify(counted.json).match(/(?<="advertId":)\d+/g), ["3", "5", "6"])
      const money = yield* ask("POST", "/api/advert/v2/budget", { advertIds: [1, 2, 3, 4, 5, 6] })
      assert.deepStrictEqual(JSON.stringify(money.json).match(/(?<="advertId":)\d+/g), ["2", "5", "6"])
      assert.deepStrictEqual((yield* ask("GET", `/adv/v3/fullstats?ids=1,2,4&${days}`)).json, null)
    }).pipe(Effect.provide(embedded({ account })))
  )

  const article = { advert_id: 1, nm_id: 100_000 }
  const cluster = { ...article, norm_query: "a" }
  /** The statuses that allow each operation, as it is published. */
  const allowed: ReadonlyArray<readonly [Method, string, unknown, ReadonlyArray<number>]> = [
    ["PATCH", "/api/advert/v1/bids", bid(1, 100_000, 30_000, "search"), [4, 9, 11]],
    ["PATCH", "/adv/v0/auction/nms", { campaigns: [{ advert_id: 1, add_nms: [5] }] }, [4, 9, 11]],
    ["POST", "/adv/v0/normquery/bids", { bids: [{ ...cluster, bid: 300 }] }, [4, 9, 11]],
    ["DELETE", "/adv/v0/normquery/bids", { bids: [cluster] }, [4, 9, 11]],
    ["GET", "/adv/v0/start?id=1", undefined, [4, 11]],
    ["GET", "/adv/v0/pause?id=1", undefined, [9]],
    ["GET", "/adv/v0/delete?id=1", undefined, [4]]
  ]

  it.effect.each(allowed)("accepts %s %s %o only in the statuses that allow it", ([method, path, body, expected]) =>
    Effect.gen(function* () {
      const taken = yield* Effect.filter(statuses, (status) =>
        ask(method, path, body).pipe(
          Effect.map((reply) => reply.status === 200),
          Effect.provide(embedded({ account: stateOf([advertOf({ id: 1, bid_type: "manual", status })]) }), {
            local: true
          })
        )
      )
      assert.deepStrictEqual(taken, expected)
    })
  )

  it.effect.each(["POST", "DELETE"] as const)("refuses to %s cluster bids where clicks are paid", (method) =>
    Effect.gen(function* () {
      const bids = [{ ...cluster, advert_id: 7, ...(method === "POST" ? { bid: 300 } : {}) }]
      const { json, status } = yield* ask(method, "/adv/v0/normquery/bids", { bids })
      assert.deepStrictEqual([status, json], [403, closed("norm_query API not available")])
    }).pipe(Effect.provide(embedded({ account })))
  )

  it.effect.each(["spec", "published"] as const)(
    "answers with views of clusters where views are paid, on wire %s",
    (wire) =>
      Effect.gen(function* () {
        const items = [7, 5].map((advert_id) => ({ advert_id, nm_id: 100_000 }))
        const { json } = yield* ask("POST", "/adv/v0/normquery/stats", { from: "2026-01-01", to: "2026-01-02", items })
        const untold = JSON.stringify(json).split('"views":null').length - 1
        assert.strictEqual(untold, wire === "published" ? 3 : 0)
      }).pipe(Effect.provide(embedded({ account, wire })))
  )

  it.effect("shows a deleted campaign as being deleted, and after 3 minutes no more", () =>
    Effect.gen(function* () {
      const { account: now } = yield* EmbeddedMarketplace
      const statuses = Effect.map(
        ask("GET", "/api/advert/v2/adverts?ids=1005"),
        ({ json }) => /"status":(-?\d+)/.exec(JSON.stringify(json))?.[1]
      )
      yield* ask("POST", "/adv/v2/seacat/save-ad", { name: "New", nms: [1] })
      yield* ask("POST", "/adv/v0/normquery/set-minus", { advert_id: 1005, nm_id: 1, norm_queries: ["a"] })
      assert.strictEqual((yield* ask("GET", "/adv/v0/delete?id=1005")).status, 200)
      assert.strictEqual(yield* statuses, "-1")
      assert.strictEqual((yield* ask("GET", "/adv/v0/delete?id=1005")).status, 400)
      assert.strictEqual((yield* ask("GET", "/adv/v0/start?id=1005")).status, 422)
      yield* TestClock.adjust("179 seconds")
      assert.strictEqual(yield* statuses, "-1")
      assert.isTrue((yield* now).phrases.has("1005:1"))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(yield* statuses)
      assert.isFalse((yield* now).phrases.has("1005:1"))
      assert.isTrue((yield* now).phrases.has("1001:0"))
    }).pipe(Effect.provide(embedded()))
  )

  it.effect("accepts every existing status as a filter, and no other", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ask("GET", `/api/advert/v2/adverts?statuses=${statuses.join()}`)).status, 200)
      const { json } = yield* ask("GET", "/api/advert/v2/adverts?statuses=9,10")
      assert.deepStrictEqual(json, problem("invalid statuses value"))
      const ids = Array.from({ length: 51 }, (_, index) => index + 1)
      const tooMany = yield* ask("GET", `/api/advert/v2/adverts?ids=${ids.join()}`)
      assert.deepStrictEqual(tooMany.json, problem("too many ids, max 50"))
    }).pipe(Effect.provide(embedded()))
  )

  it.effect("answers 404 to a path that it does not have", () =>
    Effect.gen(function* () {
      const { contentType, json, status } = yield* ask("GET", "/adv/v0/nowhere")
      assert.deepStrictEqual([status, contentType], [404, "application/problem+json"])
      assert.deepInclude(json, { title: "path not found", status: 404, statusText: "Not Found" })
    }).pipe(Effect.provide(embedded()))
  )

  it.effect("does not start a campaign without money", () =>
    Effect.gen(function* () {
      yield* ask("POST", "/adv/v2/seacat/save-ad", { name: "New", nms: [1] })
      const { json } = yield* ask("GET", "/adv/v0/start?id=1005")
      assert.deepStrictEqual(json, { error: "AdvertChangeStatus: Low Budget: not enough budget" })
    }).pipe(Effect.provide(embedded()))
  )

  it.effect("accepts its key with and without the word Bearer, and no other key", () =>
    Effect.gen(function* () {
      const count = (key: string) =>
        Effect.map(ask("GET", "/adv/v1/promotion/count", undefined, key), ({ status }) => status)
      assert.deepStrictEqual(yield* Effect.forEach(["k", "Bearer k", "x"], count), [200, 200, 401])
    }).pipe(Effect.provide(embedded({ apiKey: "k" })))
  )

  it.effect("shows in its headers how many calls are left, and when to call again", () =>
    Effect.gen(function* () {
      const read = ask("GET", "/adv/v3/fullstats?ids=1001&beginDate=2026-01-01&endDate=2026-01-02")
      assert.strictEqual((yield* read).headers["x-ratelimit-remaining"], "0")
      const { headers, status } = yield* read
      assert.strictEqual(status, 429)
      assert.deepInclude(headers, { "x-ratelimit-retry": "20", "x-ratelimit-limit": "1", "x-ratelimit-reset": "20" })
    }).pipe(Effect.provide(embedded({ limits: "full" })))
  )

  it.effect("calls the one-bid kind auto on wire spec and unified on wire published", () =>
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
