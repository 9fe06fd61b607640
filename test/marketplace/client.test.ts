import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientError } from "effect/http"

import { adviceOn, explain } from "../../src/marketplace/apply/advice.ts"
import { nameOf } from "../../src/marketplace/client/Campaign.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import {
  describe as describeFailure,
  isOutcomeUnknown,
  type MarketplaceError
} from "../../src/marketplace/client/MarketplaceError.ts"
import { Kopecks } from "../../src/marketplace/client/money.ts"
import { operations } from "../../src/marketplace/client/operations.ts"
import { defaultKey } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { errors, examples } from "./data.ts"
import { adsOver, inTime, standIn } from "./support.ts"

const kopecks = (amount: number) => Kopecks.make(amount)

type Ads = MarketplaceAds["Service"]

const pair = { advert_id: 1825035, nm_id: 983512347 }
const days = { from: "2025-10-07", to: "2025-10-08" }

/** A call of every operation; what it is given does not matter here. */
const calls: Readonly<Record<string, (ads: Ads) => Effect.Effect<unknown, MarketplaceError>>> = {
  "GET /api/advert/v2/adverts": (ads) => ads.getAdvertsV2(),
  "PATCH /api/advert/v1/bids": (ads) =>
    ads.updateBids({
      bids: [{ advert_id: 1, nm_bids: [{ nm_id: 2, bid_kopecks: kopecks(250), placement: "search" }] }]
    }),
  "PATCH /adv/v0/auction/nms": (ads) => ads.updateCampaignProducts({ campaigns: [{ advert_id: 1, add_nms: [2] }] }),
  "POST /adv/v0/normquery/get-minus": (ads) => ads.getMinusPhrases({ items: [pair] }),
  "POST /adv/v0/normquery/set-minus": (ads) => ads.setMinusPhrases({ ...pair, norm_queries: ["a"] }),
  "POST /adv/v0/normquery/stats": (ads) => ads.getNormqueryStats({ ...days, items: [pair] }),
  "POST /adv/v0/normquery/bids": (ads) =>
    ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: kopecks(1000) }] }),
  "DELETE /adv/v0/normquery/bids": (ads) => ads.deleteNormqueryBids({ bids: [{ ...pair, norm_query: "a" }] }),
  "POST /adv/v0/normquery/get-bids": (ads) => ads.getNormqueryBids({ items: [pair] }),
  "GET /adv/v3/fullstats": (ads) => ads.getAdvFullstats({ ids: [1], beginDate: "2025-09-07", endDate: "2025-09-08" }),
  "GET /adv/v0/stats/keywords": (ads) => ads.getStatsKeywords({ advert_id: 1, ...days }),
  "POST /api/advert/v1/bids/min": (ads) =>
    ads.getBidsMin({ advert_id: 1, nm_ids: [2], payment_type: "cpm", placement_types: ["combined"] }),
  "POST /adv/v2/seacat/save-ad": (ads) => ads.createSeacatSaveAd({ name: "n", nms: [2] }),
  "GET /adv/v0/start": (ads) => ads.startCampaign(1),
  "GET /adv/v0/pause": (ads) => ads.pauseCampaign(1),
  "GET /adv/v0/delete": (ads) => ads.deleteCampaign(1),
  "POST /api/advert/v2/budget": (ads) => ads.getBudgets([1]),
  "GET /adv/v1/promotion/count": (ads) => ads.getCampaignCount(),
  "POST /adv/v1/normquery/stats": (ads) => ads.getNormqueryDailyStats({ ...days, items: [pair] }),
  "POST /adv/v0/normquery/list": (ads) => ads.getNormqueryList({ items: [pair] }),
  "GET /api/advert/v0/bids/recommendations": (ads) => ads.getBidsRecommendations(pair),
  "GET /api/advert/v1/config": (ads) => ads.getConfig(),
  "GET /api/advert/v0/daily-limits": (ads) => ads.getDailyLimits(),
  "PUT /api/advert/v0/daily-limits": (ads) => ads.setDailyLimits({ advertIds: [1], enabled: true, dailyLimit: 60_000 }),
  "GET /adv/v1/balance": (ads) => ads.getAdvBalance(),
  "GET /adv/v1/upd": (ads) => ads.getAdvUpd(days),
  "POST /adv/v1/budget/deposit": (ads) => ads.createBudgetDeposit({ advert_id: 1, rubles: 1000, from: "account" }),
  "PUT /adv/v0/auction/placements": (ads) =>
    ads.updateAuctionPlacement({
      placements: [{ advert_id: 1, placements: { search: true, recommendations: false } }]
    }),
  "POST /adv/v0/rename": (ads) => ads.renameCampaign(1, "n"),
  "GET /adv/v0/stop": (ads) => ads.stopCampaign(1)
}

const callOf = (operation: string) => (ads: Ads) => calls[operation]?.(ads) ?? Effect.die(`no call for ${operation}`)

const writes = Object.keys(calls).filter((operation) =>
  /^P(?:ATCH|UT)|set-minus|normquery\/bids|save-ad|start|pause|stop|delete|deposit|rename/.test(operation)
)
const readsOnly = Object.keys(calls).filter((operation) => !writes.includes(operation))

describe("the client of the marketplace", () => {
  const answers = examples.filter(({ kind }) => kind.startsWith("response"))

  it.effect.each(answers)("reads the published answer of $operation", ({ operation, value }) =>
    MarketplaceAds.use(callOf(operation)).pipe(Effect.provide(adsOver(standIn(() => ({ body: value })).client)))
  )

  it.effect.each(answers.filter(({ operation }) => readsOnly.includes(operation)))(
    "keeps fields of $operation that nobody knows yet",
    ({ operation, value }) =>
      Effect.gen(function* () {
        const read = yield* MarketplaceAds.use(callOf(operation))
        assert.include(JSON.stringify(read), '"unheard_of":1')
      }).pipe(
        Effect.provide(
          adsOver(standIn(() => ({ text: JSON.stringify(value).replaceAll("{", '{"unheard_of":1,') })).client)
        )
      )
  )

  it.effect("reads unified as auto, and a status that is a text", () =>
    Effect.gen(function* () {
      const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
      assert.deepInclude(adverts[0], { bid_type: "auto", status: 9 })
    }).pipe(
      Effect.provide(
        adsOver(
          standIn(() => ({
            body: { adverts: [{ id: 1, bid_type: "unified", status: "9", settings: {}, nm_settings: null }] }
          })).client
        )
      )
    )
  )

  it.effect.each([{ body: {} }, { body: { adverts: null } }, { body: { adverts: [] } }])(
    "counts no campaigns in the answer %o",
    (answer) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* MarketplaceAds.use((ads) => ads.countAdverts()), 0)
      }).pipe(Effect.provide(adsOver(standIn(() => answer).client)))
  )

  it.effect("reads a campaign that has no name, payment, placements or restrictions", () =>
    Effect.gen(function* () {
      const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
      assert.deepStrictEqual(adverts.map(nameOf), ["Campaign 1"])
    }).pipe(
      Effect.provide(
        adsOver(
          standIn(() => ({
            body: {
              adverts: [
                {
                  id: 1,
                  bid_type: "manual",
                  status: 9,
                  settings: { name: null, payment_type: null, placements: null },
                  timestamps: { created: null },
                  restrictions: { can_change_nms: null },
                  nm_settings: [
                    { nm_id: 2, subject: { name: null }, bids_kopecks: { search: 1, recommendations: null } }
                  ]
                }
              ]
            }
          })).client
        )
      )
    )
  )

  it.effect("sends an id once that is given twice, and sends nothing for an empty list", () => {
    const { client, requests } = standIn(() => ({ body: [] }))
    return Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const ids = [...Array.from({ length: 50 }, (_, index) => index + 1), 1]
      yield* ads.getAdvFullstats({ ids, beginDate: "2026-03-01", endDate: "2026-03-02" })
      assert.strictEqual(requests.length, 1)
      assert.deepStrictEqual(yield* ads.getAdvertsV2({ ids: [] }), { adverts: [], unreadable: [] })
      assert.strictEqual(requests.length, 1)
    }).pipe(Effect.provide(adsOver(client)))
  })

  it.effect.each(["2026-02-30", "2026-13-01", "26-1-1"])(
    "refuses %s, a date that does not exist, before anything is sent",
    (beginDate) =>
      Effect.gen(function* () {
        const ads = yield* MarketplaceAds
        const error = yield* Effect.flip(ads.getAdvFullstats({ ids: [1], beginDate, endDate: "2026-12-31" }))
        assert.strictEqual(error.reason._tag, "AdsInvalidRequest")
      }).pipe(Effect.provide(adsOver(standIn(() => ({ body: [] })).client)))
  )

  it.effect.each(writes)("does not know whether a change was made where a web page answers %s", (operation) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(MarketplaceAds.use(callOf(operation)))
      assert.strictEqual(error.reason._tag, "AdsUnreadable")
      assert.isTrue(isOutcomeUnknown(error))
    }).pipe(Effect.provide(adsOver(standIn(() => ({ text: "<html>Sign in</html>" })).client)))
  )

  it.effect.each([
    [200, "AdsUnreadable", "a page came instead of JSON from http://127.0.0.1:5679. Something else may answer there"],
    [
      403,
      "AdsUnreachable",
      "a page came instead of JSON from http://127.0.0.1:5679, with status 403. Nothing was changed. Check"
    ],
    [
      404,
      "AdsUnreachable",
      "a page came instead of JSON from http://127.0.0.1:5679, with status 404. Nothing was changed. Check"
    ],
    [502, "AdsServerError", "a page came instead of JSON. Nothing was changed. Repeat in a few minutes."]
  ] as const)("takes a page with status %i for the answer of something in between", ([status, tag, words]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(inTime(MarketplaceAds.use((ads) => ads.getAdvertsV2())))
      assert.strictEqual(error.reason._tag, tag)
      assert.include(explain(error), words)
      assert.include(explain(error), status === 502 ? "page" : "marketplace.baseUrl or MARKETPLACE_HOST")
    }).pipe(Effect.provide(adsOver(standIn(() => ({ status, text: " <html>Sign in</html>" })).client)))
  )

  it.effect("reads null statistics as no statistics", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* MarketplaceAds.use(callOf("GET /adv/v3/fullstats")), [])
    }).pipe(Effect.provide(adsOver(standIn(() => ({ body: null })).client)))
  )

  it.effect.each([27_000_123, "27000123"])("reads %o as the id of a new campaign", (body) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* MarketplaceAds.use((ads) => ads.createSeacatSaveAd({ name: "n" })), 27_000_123)
    }).pipe(Effect.provide(adsOver(standIn(() => ({ body })).client)))
  )

  it.effect("says that a write was accepted whose answer cannot be read", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(MarketplaceAds.use((ads) => ads.createSeacatSaveAd({ name: "n" })))
      assert.strictEqual(error.reason._tag, "AdsUnreadable")
      assert.include(error.message, "It may have happened all the same.")
      assert.include(explain(error), "The change was accepted")
    }).pipe(Effect.provide(adsOver(standIn(() => ({ body: {} })).client)))
  )

  it.effect.each([
    ["bearer", "Bearer a-key"],
    ["raw", "a-key"]
  ] as const)("sends the key in the Authorization header with authScheme %s", ([authScheme, expected]) => {
    const { client, requests } = standIn(() => ({ body: {} }))
    return Effect.gen(function* () {
      yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
      assert.strictEqual(requests[0]?.headers["authorization"], expected)
    }).pipe(Effect.provide(adsOver(client, { authScheme, apiKey: "a-key" })))
  })
})

describe("the error of a refused call", () => {
  const tags: Readonly<Record<number, ReadonlyArray<string>>> = {
    400: ["AdsBadRequest", "AdsNotFound", "BidOutOfRange", "LowBudget", "CampaignStateRefused"],
    401: ["AdsUnauthorized"],
    403: ["AdsForbidden"],
    404: ["AdsNotFound"],
    422: ["AdsBadRequest", "CampaignStateRefused"],
    429: ["AdsRateLimited"]
  }
  const rows = errors.map((error, index) => ({ ...error, index, what: error.case ?? "" }))

  it.effect.each(rows)(
    "names the reason, the detail and what to do for published error $index of $operation, $status $what",
    (row) => {
      const text = row.contentType === "text/plain" ? String(row.body) : JSON.stringify(row.body)
      const { client } = standIn(() => ({ status: row.status, text, headers: { "x-ratelimit-retry": "999" } }))
      return Effect.gen(function* () {
        const operation = calls[row.operation] === undefined ? "GET /api/advert/v2/adverts" : row.operation
        const error = yield* Effect.flip(MarketplaceAds.use(callOf(operation)))
        const { reason } = error
        assert.include(tags[row.status] ?? [], reason._tag)
        assert.isAbove(adviceOn(error).length, 20)
        if (reason._tag !== "AdsRateLimited") {
          assert.include(text, reason.detail.split("; ").at(0)?.replaceAll("\n", "\\n") ?? "")
        }
        const words = explain(error)
        assert.match(words, /^Could not [a-z][a-z -]+: .*[\p{L}\d].*\. \S.*\.$/u)
        assert.notMatch(words, /\n|\.\.|\. \./)
        assert.strictEqual(words, `${error.message} ${adviceOn(error)}`)
      }).pipe(Effect.provide(adsOver(client)))
    }
  )

  it("says in plain words what could not be done, for every operation", () => {
    for (const { label, name } of Object.values(operations)) {
      const story = describeFailure(name, "no")
      assert.strictEqual(story, `Could not ${label}: no.`)
      assert.notInclude(story, name)
    }
  })

  it.each([
    ["no", "no."],
    ["No.", "No."],
    ["Really?", "Really?"],
    ["no\nnever\n", "no; never."]
  ])("ends a detail of %o as the sentence %o", (detail, expected) => {
    assert.isTrue(describeFailure("updateBids", detail).endsWith(`: ${expected}`))
  })

  it.effect("points to cluster statistics where keyword statistics are not found", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(MarketplaceAds.use(callOf("GET /adv/v0/stats/keywords")))
      assert.include(
        explain(error),
        "switched keyword statistics off on 2026-01-15: use level cluster of ads_report (getNormqueryStats)"
      )
    }).pipe(Effect.provide(adsOver(standIn(() => ({ status: 404, text: "404 page not found" })).client)))
  )

  it.effect("says which campaigns have cluster bids where they are forbidden", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(MarketplaceAds.use(callOf("POST /adv/v0/normquery/bids")))
      assert.include(explain(error), "have bids only in campaigns with manual bids that pay for views")
    }).pipe(
      Effect.provide(
        adsOver(standIn(() => ({ status: 403, body: { detail: "norm_query API not available", status: 403 } })).client)
      )
    )
  )

  const tagOf = (status: number, body: unknown) =>
    Effect.flip(MarketplaceAds.use((ads) => ads.startCampaign(1))).pipe(
      Effect.provide(adsOver(standIn(() => ({ status, body })).client))
    )

  it.effect("tells the received, lowest and highest bid as numbers", () =>
    Effect.gen(function* () {
      const error = yield* tagOf(400, {
        errors: [{ detail: "wrong bid value: 100; min: 125 max:100000", field: "bid" }]
      })
      assert.deepInclude(error.reason, { _tag: "BidOutOfRange", received: 100, min: 125, max: 100_000 })
    })
  )

  it.effect("tells the lowest bid that suits all of several wrong bids", () =>
    Effect.gen(function* () {
      const errors = [125, 150, 140].map((min) => ({ detail: `wrong bid value: 100; min: ${min}` }))
      assert.deepInclude((yield* tagOf(400, { errors })).reason, { _tag: "BidOutOfRange", received: 100, min: 150 })
    })
  )

  it.effect.each([
    [400, { error: "AdvertChangeStatus: Low Budget: not enough budget" }, "LowBudget"],
    [422, "Статус кампании не изменен", "CampaignStateRefused"],
    [400, { error: "AdvertChangeStatus: Not Found: advert not found" }, "AdsNotFound"],
    [402, {}, "AdsPaymentRequired"],
    [409, { detail: "busy" }, "AdsConflict"],
    [413, "too large", "AdsBadRequest"],
    [418, { teapot: [1, 2] }, "AdsBadRequest"]
  ] as const)("reads status %s with %o as %s", ([status, body, tag]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* tagOf(status, body)).reason._tag, tag)
    })
  )
})

describe("a call whose request or answer is lost", () => {
  it.effect.each(writes)("fails with an unknown outcome after one 503 to the write %s", (operation) => {
    const { client, requests } = standIn(() => ({ status: 503, body: {} }))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(MarketplaceAds.use(callOf(operation)))
      assert.strictEqual(error.reason._tag, "AdsOutcomeUnknown")
      assert.strictEqual(requests.length, 1)
    }).pipe(Effect.provide(adsOver(client)))
  })

  it.effect.each(readsOnly)("repeats the read %s after a 503", (operation) => {
    const example = examples.find((one) => one.operation === operation && one.kind.startsWith("response"))
    const { client, requests } = standIn((_, index) => (index < 2 ? { status: 503 } : { body: example?.value ?? {} }))
    return Effect.gen(function* () {
      yield* inTime(MarketplaceAds.use(callOf(operation)))
      assert.strictEqual(requests.length, 3)
    }).pipe(Effect.provide(adsOver(client)))
  })

  /** A connection that breaks: before anything was sent, or while the answer was waited for. */
  const broken = (code: string) => {
    let attempts = 0
    const client = HttpClient.make((request) =>
      Effect.suspend(() => {
        attempts += 1
        const cause = Object.assign(new Error("broken"), { code })
        return Effect.fail(
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
        )
      })
    )
    return { client, attempts: () => attempts }
  }

  it.effect.each([
    ["ECONNREFUSED", "AdsUnreachable", 3],
    ["ECONNRESET", "AdsOutcomeUnknown", 1]
  ] as const)("ends a write over %s with %s after %s attempts", ([code, tag, expected]) => {
    const { attempts, client } = broken(code)
    return Effect.gen(function* () {
      const error = yield* Effect.flip(inTime(MarketplaceAds.use((ads) => ads.pauseCampaign(1))))
      assert.strictEqual(error.reason._tag, tag)
      assert.strictEqual(attempts(), expected)
    }).pipe(Effect.provide(adsOver(client)))
  })

  it.effect.each([
    ["ECONNREFUSED", "nothing listens there (ECONNREFUSED)", ", and the network; then repeat."],
    ["ENOTFOUND", "the host name cannot be resolved (ENOTFOUND)", ", and the network; then repeat."],
    [
      "CERT_HAS_EXPIRED",
      "its TLS certificate or protocol is not accepted (CERT_HAS_EXPIRED)",
      "; marketplace.caFile names further certificate authorities to trust."
    ]
  ] as const)("says over %s where the marketplace was looked for, and what to check", ([code, words, remedy]) => {
    const { client } = broken(code)
    const baseUrl = "https://ads.test:8443/behind/a/secret-path"
    return Effect.gen(function* () {
      const error = yield* Effect.flip(inTime(MarketplaceAds.use((ads) => ads.getCampaignCount())))
      const address = "https://ads.test:8443"
      assert.deepInclude(error.reason, { _tag: "AdsUnreachable", code, address })
      assert.strictEqual(
        explain(error),
        `Could not count the campaigns: the marketplace cannot be reached at ${address}: ${words}. ` +
          `Nothing was changed. Check marketplace.baseUrl or MARKETPLACE_HOST${remedy}`
      )
      assert.notInclude(JSON.stringify(error), defaultKey)
    }).pipe(Effect.provide(adsOver(client, { baseUrl })))
  })

  it.effect("sends no write where writing is switched off, not even by GET", () => {
    const { client, requests } = standIn(() => ({}))
    return Effect.gen(function* () {
      for (const operation of writes) {
        const error = yield* Effect.flip(MarketplaceAds.use(callOf(operation)))
        assert.strictEqual(error.reason._tag, "AdsReadOnly")
      }
      assert.strictEqual(requests.length, 0)
    }).pipe(Effect.provide(adsOver(client, { readOnly: true })))
  })

  it.effect("tells how many items of a list were done before a refusal", () => {
    const { client } = standIn((_, index) => (index === 1 ? { status: 400, body: { detail: "no" } } : {}))
    const bids = Array.from({ length: 120 }, (_, index) => ({
      advert_id: index + 1,
      nm_bids: [{ nm_id: 1, bid_kopecks: kopecks(500), placement: "search" as const }]
    }))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(MarketplaceAds.use((ads) => ads.updateBids({ bids })))
      assert.deepInclude(error.reason, { _tag: "AdsPartlyDone", done: 50, total: 120 })
      assert.include(explain(error), "Could not set bids: only 50 of 120 were done, then: no. Some items are changed")
    }).pipe(Effect.provide(adsOver(client)))
  })

  it.effect.each([
    ["an answer that is lost", { status: 503 }, { _tag: "AdsOutcomeUnknown" }],
    [
      "a used up limit",
      { status: 429, headers: { "x-ratelimit-retry": "3600" } },
      { _tag: "AdsPartlyDone", done: 50, total: 120, retryAfterSeconds: 3600 }
    ]
  ] as const)("tells of %s after the first part of a list what it means for the rest", ([, answer, expected]) => {
    const { client, requests } = standIn((_, index) => (index === 1 ? answer : {}))
    const bids = Array.from({ length: 120 }, (_, index) => ({
      advert_id: index + 1,
      nm_bids: [{ nm_id: 1, bid_kopecks: kopecks(500), placement: "search" as const }]
    }))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(MarketplaceAds.use((ads) => ads.updateBids({ bids })))
      assert.deepInclude(error.reason, expected)
      assert.include(error.problem, "50 of 120 were done, then: ")
      assert.strictEqual(isOutcomeUnknown(error), expected._tag === "AdsOutcomeUnknown")
      assert.strictEqual(requests.length, 2)
    }).pipe(Effect.provide(adsOver(client)))
  })
})

describe("the check of a request", () => {
  const refused: ReadonlyArray<readonly [string, (ads: Ads) => Effect.Effect<unknown, MarketplaceError>]> = [
    [
      "a bid of 0",
      (ads) =>
        ads.updateBids({
          bids: [{ advert_id: 1, nm_bids: [{ nm_id: 2, bid_kopecks: kopecks(0), placement: "search" }] }]
        })
    ],
    ["half a campaign", (ads) => ads.deleteNormqueryBids({ bids: [{ ...pair, advert_id: 1.5, norm_query: "a" }] })],
    ["article 0 for phrases", (ads) => ads.setMinusPhrases({ advert_id: 1, nm_id: 0, norm_queries: ["a"] })],
    ["an empty list that would wipe all phrases", (ads) => ads.setMinusPhrases({ ...pair, norm_queries: [] })],
    [
      "more than 1000 phrases",
      (ads) => ads.setMinusPhrases({ ...pair, norm_queries: Array.from({ length: 1001 }, String) })
    ],
    [
      "an article both added and deleted",
      (ads) => ads.updateCampaignProducts({ campaigns: [{ advert_id: 1, add_nms: [2], delete_nms: [2] }] })
    ],
    [
      "more than 50 articles in a new campaign",
      (ads) => ads.createSeacatSaveAd({ name: "n", nms: Array.from({ length: 51 }, (_, i) => i + 1) })
    ],
    ["a day that is no date", (ads) => ads.getStatsKeywords({ advert_id: 1, from: "yesterday", to: "2025-10-08" })],
    [
      "an end before the beginning",
      (ads) => ads.getAdvFullstats({ ids: [1], beginDate: "2025-10-08", endDate: "2025-10-07" })
    ],
    [
      "an end of cluster statistics before the beginning",
      (ads) => ads.getNormqueryStats({ items: [pair], from: "2025-10-08", to: "2025-10-07" })
    ],
    [
      "more than 30 days of cluster statistics",
      (ads) => ads.getNormqueryStats({ items: [pair], from: "2025-10-01", to: "2025-10-31" })
    ]
  ]

  it.effect.each(refused)("refuses %s before anything is sent", ([, call]) => {
    const { client, requests } = standIn(() => ({}))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(MarketplaceAds.use(call))
      assert.strictEqual(error.reason._tag, "AdsInvalidRequest")
      assert.match(
        explain(error),
        /^Could not [a-z ]+( minus-phrases)?: [a-z].* (must|take|takes|cannot|wipes) .*\. Nothing was sent\.$/
      )
      assert.strictEqual(requests.length, 0)
    }).pipe(Effect.provide(adsOver(client)))
  })

  it.effect("lets 30 days of cluster statistics pass", () => {
    const { client, requests } = standIn(() => ({ body: {} }))
    return Effect.gen(function* () {
      yield* MarketplaceAds.use((ads) => ads.getNormqueryStats({ items: [pair], from: "2025-10-01", to: "2025-10-30" }))
      assert.strictEqual(requests.length, 1)
    }).pipe(Effect.provide(adsOver(client)))
  })

  it.effect("lets an empty list of phrases pass with clear", () => {
    const { client, requests } = standIn(() => ({}))
    return Effect.gen(function* () {
      yield* MarketplaceAds.use((ads) => ads.setMinusPhrases({ ...pair, norm_queries: [] }, { clear: true }))
      assert.deepStrictEqual(requests[0]?.body, { ...pair, norm_queries: [] })
    }).pipe(Effect.provide(adsOver(client)))
  })
})

describe("a list or a span that takes several calls", () => {
  it.effect("loses nothing that is told by day, known or not", () => {
    const { client } = standIn(({ query: { beginDate: date } }) => ({
      body: [{ advertId: 1, views: 2, days: [{ date }], boosterStats: [{ date, nm: 2, avg_position: 3 }] }]
    }))
    return Effect.gen(function* () {
      const request = { ids: [1], beginDate: "2026-01-01", endDate: "2026-02-10" }
      const [stats] = yield* inTime(MarketplaceAds.use((ads) => ads.getAdvFullstats(request)))
      const dates = ["2026-01-01", "2026-02-01"]
      assert.deepInclude(stats, {
        views: 4,
        days: dates.map((date) => ({ date })),
        boosterStats: dates.map((date) => ({ date, nm: 2, avg_position: 3 }))
      })
    }).pipe(Effect.provide(adsOver(client)))
  })

  it.effect("takes ids and statuses as text with spaces, each once", () => {
    const { client, requests } = standIn(() => ({ body: { adverts: [] } }))
    return Effect.gen(function* () {
      yield* MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: "1, 2,1 ,", statuses: " 9, 11" }))
      assert.deepInclude(requests[0]?.query, { ids: "1,2", statuses: "9,11" })
    }).pipe(Effect.provide(adsOver(client)))
  })
})
