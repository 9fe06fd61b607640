import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"

import limits from "../../src/marketplace/embedded/data/limits.json" with { type: "json" }
import requests from "../../src/marketplace/embedded/data/requests.json" with { type: "json" }
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { errors, examples, publishedOperations, rateLimits, specOperations } from "./data.ts"
import { ajv, ask, embedded, good, type Method } from "./frontDoor.ts"
import { violationsOf } from "./violations.ts"

const wires = ["spec", "published"] as const
type Wire = (typeof wires)[number]

const nameOf = (method: string, path: string) => `${method} ${path.split("?")[0]}`
const published = new Map(publishedOperations.map((one) => [nameOf(one.method, one.path), one]))
const inSpec = new Map(specOperations.map((one) => [nameOf(one.method, one.path), one]))

/** Shapes that the spec does not show are as published. */
const shapeOf = (wire: Wire, operation: string) => {
  const shape = published.get(operation)?.request ?? undefined
  return wire === "spec" ? (inSpec.get(operation)?.request ?? shape) : shape
}

const specProducts = { campaigns: [{ advert_id: 1003, add_nms: [5], delete_nms: [500302] }] }
const goodOn = (wire: Wire) =>
  good.map(([method, path, body]): (typeof good)[number] =>
    wire === "spec" && path.endsWith("auction/nms") ? [method, path, specProducts] : [method, path, body]
  )

/** A call of an operation is refused by what it is given: in the shape that is published for that, and nothing changes. */
const isRefused = Effect.fnUntraced(function* (method: Method, path: string, body?: unknown) {
  const { account } = yield* EmbeddedMarketplace
  const before = yield* account
  const { contentType, json, status } = yield* ask(method, path, body)
  const said = `${method} ${path} ${JSON.stringify(body)?.slice(0, 300)} -> ${status} ${JSON.stringify(json)}`
  assert.strictEqual(status, 400, said)
  const refusal = published.get(nameOf(method, path))?.refusals["400"]
  assert.isDefined(refusal, said)
  assert.strictEqual(contentType, refusal?.contentType, said)
  assert.isTrue(ajv.validate(refusal?.schema ?? false, json), said)
  assert.strictEqual(yield* account, before, said)
  return json
})

describe("the data of the embedded marketplace", () => {
  it("equals what is published and what the document shows", () => {
    const withBody = [...published].filter(([, { request }]) => request)
    assert.sameMembers(
      Object.keys(requests),
      withBody.map(([operation]) => operation)
    )
    for (const [operation, shapes] of Object.entries(requests)) {
      assert.deepStrictEqual<unknown>(shapes.published, published.get(operation)?.request, operation)
      assert.deepStrictEqual<unknown>(shapes.spec, inSpec.get(operation)?.request ?? null, operation)
    }
  })

  it("has the limits of both kinds of key", () => {
    const flow = ({ burst, intervalMs }: { readonly burst: number; readonly intervalMs: number }) => ({
      burst,
      intervalMs
    })
    assert.sameMembers(
      Object.keys(limits),
      rateLimits.map(({ operation }) => operation)
    )
    for (const [operation, { base, full }] of Object.entries(limits)) {
      const {
        all,
        personal = all,
        base: low = personal
      } = rateLimits.find((one) => one.operation === operation)?.limits ?? {}
      assert.deepStrictEqual(
        [full, base],
        [personal, low].map((one) => (one === undefined ? undefined : flow(one)))
      )
    }
  })
})

describe.each(wires)("on wire %s the embedded marketplace", (wire) => {
  const calls = goodOn(wire)

  it.effect("answers every operation in the shape that is published for it", () =>
    Effect.gen(function* () {
      for (const [method, path, body] of calls) {
        const { json, status } = yield* ask(method, path, body)
        assert.include([200, 204], status, path)
        const { response } = published.get(nameOf(method, path)) ?? {}
        if (response && wire === "published")
          assert.isTrue(ajv.validate(response, json), `${path}: ${ajv.errorsText()}`)
        const schema = inSpec.get(nameOf(method, path))?.response
        if (schema && wire === "spec") assert.isTrue(ajv.validate(schema, json), `${path}: ${ajv.errorsText()}`)
      }
    }).pipe(Effect.provide(embedded({ wire })))
  )

  const bodies = calls.flatMap(([method, path, body]) => {
    const shape = shapeOf(wire, nameOf(method, path))
    return shape === undefined ? [] : [{ method, path, body, shape }]
  })

  it.effect.each(bodies)("refuses a body of $path that breaks its shape", ({ body, method, path, shape }) =>
    Effect.forEach(fc.sample(violationsOf(shape, body), { numRuns: 150, seed: 11 }), (broken) =>
      isRefused(method, path, broken)
    ).pipe(Effect.provide(embedded({ wire })))
  )

  it.effect.each(bodies)("refuses a body of $path that is missing or no JSON", ({ method, path }) =>
    isRefused(method, path).pipe(Effect.provide(embedded({ wire })))
  )

  it.effect.each(bodies)("accepts unknown fields of $path where its shape is open", ({ body, method, path, shape }) =>
    Effect.gen(function* () {
      const open = JSON.parse(JSON.stringify(body).replaceAll("{", '{"unheard_of":1,'))
      assert.isTrue(ajv.validate(shape, open))
      assert.include([200, 204], (yield* ask(method, path, open)).status)
    }).pipe(Effect.provide(embedded({ wire })))
  )

  const caps: ReadonlyArray<readonly [string, Method, string, (length: number) => unknown, number]> = [
    [
      "adverts",
      "PATCH",
      "/api/advert/v1/bids",
      (n) => ({ bids: many(n, (id) => ({ advert_id: id, nm_bids: [] })) }),
      50
    ],
    [
      "nm_bids",
      "PATCH",
      "/api/advert/v1/bids",
      (n) => ({
        bids: [{ advert_id: 1, nm_bids: many(n, (nm_id) => ({ nm_id, bid_kopecks: 1, placement: "search" })) }]
      }),
      50
    ],
    [
      "adverts",
      "PATCH",
      "/adv/v0/auction/nms",
      (n) =>
        wire === "spec"
          ? { campaigns: many(n, (advert_id) => ({ advert_id })) }
          : { nms: many(n, (advert_id) => ({ advert_id, nms: {} })) },
      20
    ],
    [
      "nomenclatures",
      "PATCH",
      "/adv/v0/auction/nms",
      (n) => {
        const [add, gone] = [many(n - 1, (id) => id), [9999]]
        return wire === "spec"
          ? { campaigns: [{ advert_id: 1001, add_nms: add, delete_nms: gone }] }
          : { nms: [{ advert_id: 1001, nms: { add, delete: gone } }] }
      },
      50
    ],
    ["items", "POST", "/adv/v0/normquery/get-minus", (n) => ({ items: pairs(n) }), 100],
    ["items", "POST", "/adv/v0/normquery/get-bids", (n) => ({ items: pairs(n) }), 100],
    [
      "items",
      "POST",
      "/adv/v0/normquery/stats",
      (n) => ({ from: "2026-01-01", to: "2026-01-02", items: pairs(n) }),
      100
    ],
    [
      "norm_queries",
      "POST",
      "/adv/v0/normquery/set-minus",
      (n) => ({ advert_id: 1003, nm_id: 500301, norm_queries: many(n, String) }),
      1000
    ],
    [
      "bids",
      "POST",
      "/adv/v0/normquery/bids",
      (n) => ({ bids: pairs(n).map((pair) => ({ ...pair, norm_query: "a", bid: 1 })) }),
      100
    ],
    [
      "bids",
      "DELETE",
      "/adv/v0/normquery/bids",
      (n) => ({ bids: pairs(n).map((pair) => ({ ...pair, norm_query: "a" })) }),
      100
    ],
    [
      "nm_ids",
      "POST",
      "/api/advert/v1/bids/min",
      (n) => ({ advert_id: 1001, nm_ids: many(n, (id) => id), payment_type: "cpm", placement_types: ["search"] }),
      100
    ],
    ["nms", "POST", "/adv/v2/seacat/save-ad", (n) => ({ name: "n", nms: many(n, (id) => id) }), 50],
    ["advertIds", "POST", "/api/advert/v2/budget", (n) => ({ advertIds: many(n, (id) => id) }), 50],
    ["items", "POST", "/adv/v0/normquery/list", (n) => ({ items: camelPairs(n) }), 100],
    [
      "items",
      "POST",
      "/adv/v1/normquery/stats",
      (n) => ({ from: "2026-01-01", to: "2026-01-02", items: camelPairs(n) }),
      100
    ],
    [
      "bids",
      "POST",
      "/api/advert/v1/normquery/bids",
      (n) => ({ bids: camelPairs(n).map((pair) => ({ ...pair, normQuery: "a", bidMinorUnits: 1 })) }),
      100
    ],
    [
      "placements",
      "PUT",
      "/adv/v0/auction/placements",
      (n) => ({
        placements: many(n, (advert_id) => ({ advert_id, placements: { search: true, recommendations: true } }))
      }),
      50
    ],
    [
      "advertIds",
      "PUT",
      "/api/advert/v0/daily-limits",
      (n) => ({ advertIds: many(n, (id) => id), enabled: true, dailyLimit: 60_000 }),
      100
    ]
  ]

  it.effect.each(caps)("has a cap of %s in %s %s", ([what, method, path, bodyOf, max]) =>
    Effect.gen(function* () {
      const words = `too many ${what}, max ${max}`
      assert.include(JSON.stringify(yield* isRefused(method, path, bodyOf(max + 1))), words)
      assert.notInclude(JSON.stringify((yield* ask(method, path, bodyOf(max))).json), words)
    }).pipe(Effect.provide(embedded({ wire })))
  )

  const queries = calls.flatMap(([method, path]) => {
    const [place = "", text = ""] = path.split("?")
    const query = published.get(nameOf(method, place))?.query ?? {}
    return Object.entries(query).map(([name, { required, schema }]) => ({
      method,
      place,
      text,
      name,
      required,
      schema
    }))
  })

  it.effect.each(queries)("refuses a wrong $name of $place", ({ method, name, place, required, schema, text }) =>
    Effect.gen(function* () {
      const sent = (value?: string) => {
        const query = new URLSearchParams(text)
        if (value === undefined) query.delete(name)
        else query.set(name, value)
        return `${place}?${query.toString()}`
      }
      const numbers = schema["type"] === "integer" || /ids|statuses/.test(name)
      const wrong = ["x", "1.5", "2026-02-30", ...(numbers ? ["1;2", "0x10"] : ["1"])]
      for (const value of wrong) yield* isRefused(method, sent(value))
      if (required) yield* isRefused(method, sent())
      else assert.strictEqual((yield* ask(method, sent())).status, 200)
    }).pipe(Effect.provide(embedded({ wire })))
  )
})

const many = <A>(length: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length }, (_, index) => make(index + 1))
const camelPairs = (length: number) => many(length, (nmId) => ({ advertId: 1, nmId }))
const pairs = (length: number) => many(length, (nm_id) => ({ advert_id: 1, nm_id }))

describe("what is published for the operations", () => {
  const sent = examples.filter(({ kind }) => kind === "request")

  it.effect.each(sent)(
    "has the shape of a request of $operation that the embedded marketplace accepts",
    ({ operation, value }) =>
      Effect.gen(function* () {
        const { method = "GET", path = "" } = published.get(operation) ?? {}
        const { json, status } = yield* ask(method, path, value)
        if (status >= 300) assert.match(JSON.stringify(json), /advert \d+ not found|Некорректный ID РК/)
      }).pipe(Effect.provide(embedded({ wire: "published" })))
  )

  it("has no body that is closed to further fields", () => {
    assert.notInclude(JSON.stringify(requests), "additionalProperties")
  })

  const bid = (advert_id: number, bid_kopecks: number) => ({
    bids: [{ advert_id, nm_bids: [{ nm_id: 500101, bid_kopecks, placement: "combined" }] }]
  })
  const cluster = { advert_id: 1001, nm_id: 500101, norm_query: "a" }

  /** By operation, status and case of a published refusal: a call that has it as its answer. */
  const provoked: Readonly<Record<string, readonly [string, unknown?]>> = {
    "GET /api/advert/v2/adverts 400": ["?payment_type=cpx"],
    "PATCH /api/advert/v1/bids 400": ["", bid(1001, 3)],
    "PATCH /adv/v0/auction/nms 400": ["", { nms: [{ advert_id: 1001, nms: { add: [7], delete: [7] } }] }],
    "POST /adv/v0/normquery/bids 403": ["", { bids: [{ ...cluster, bid: 300 }] }],
    "DELETE /adv/v0/normquery/bids 403": ["", { bids: [cluster] }],
    "GET /adv/v3/fullstats 400 InvalidEndDate": ["?ids=x&beginDate=2026-01-01&endDate=2026-01-02"],
    "GET /adv/v3/fullstats 400 MaxDateRangeError": ["?ids=1001&beginDate=2026-01-01&endDate=2026-02-01"],
    "GET /adv/v0/stats/keywords 400 DateRangeExceeded": ["?advert_id=1001&from=2026-01-01&to=2026-01-08"],
    "GET /adv/v0/stats/keywords 404 CampaignNotFound": ["?advert_id=7&from=2026-01-01&to=2026-01-07"],
    "GET /adv/v0/start 400 IncorrectId": ["?id=x"],
    "GET /adv/v0/start 400 AdvertNotFound": ["?id=7"],
    "GET /adv/v0/start 400 LowBudget": ["?id=1005"],
    "GET /adv/v0/start 422 StatusNoChangeAdv": ["?id=1001"],
    "GET /adv/v0/pause 400 IncorrectId": [""],
    "GET /adv/v0/pause 400 AdvertNotFound": ["?id=7"],
    "GET /adv/v0/pause 422 StatusNoChangeAdv": ["?id=1004"],
    "GET /adv/v0/delete 400 ResponseInvalidCampaignID": ["?id=1001"],
    "GET /adv/v0/stop 400 IncorrectId": ["?id=x"],
    "GET /adv/v0/stop 400 AdvertNotFound": ["?id=7"],
    "GET /adv/v0/stop 422 StatusNoChangeAdv": ["?id=1005"],
    "POST /adv/v0/rename 400 InvalidRcIdAdv": ["", { advertId: 7, name: "New" }],
    "POST /adv/v0/rename 400 IncorrectName": ["", { advertId: 1001, name: "" }],
    "PUT /adv/v0/auction/placements 400 BadRequest": ["", {}],
    "PUT /adv/v0/auction/placements 400 BadAdvertPaymentType": [
      "",
      { placements: [{ advert_id: 1006, placements: { search: true, recommendations: true } }] }
    ],
    "POST /adv/v1/budget/deposit 400 MinimumDepositAmountError": ["?id=1001", { sum: 10 }]
  }

  /** Published refusals of which nothing says when they come. */
  const unexplained = [
    "POST /adv/v2/seacat/save-ad 400",
    ...["stats", "get-bids", "get-minus", "set-minus"].flatMap((name) => [
      `POST /adv/v0/normquery/${name} 400`,
      `POST /adv/v0/normquery/${name} 403`
    ]),
    "POST /adv/v0/normquery/bids 400",
    "DELETE /adv/v0/normquery/bids 400",
    "POST /api/advert/v1/normquery/bids 400",
    "POST /adv/v1/normquery/stats 400",
    "POST /adv/v0/normquery/list 400",
    "POST /adv/v0/rename 400 IncorrectSupplierIdAdv",
    "POST /adv/v0/rename 422 RequestBodyProcessErrorAdv",
    "POST /adv/v0/rename 422 CompanyNameChangeErr",
    "GET /adv/v1/balance 400 IncorrectSupplierIdAdv",
    "GET /adv/v1/upd 400 IncorrectSupplierIdAdv",
    "GET /api/advert/v0/bids/recommendations 400 IncorrectTypeAdv",
    "GET /api/advert/v0/bids/recommendations 400 IncorrectSupplierIdAdv",
    "GET /api/advert/v0/bids/recommendations 400 IncorrectUsingMethods"
  ]

  const keyOf = (one: (typeof errors)[number]) =>
    [one.operation, one.status, ...(one.case === null ? [] : [one.case])].join(" ")
  const ours = errors.filter(({ operation }) => published.has(operation))
  const gateway = ours.filter(({ status }) => status === 401 || status === 429)
  const refusals = ours.filter((one) => keyOf(one) in provoked)

  it("is tested below error by error, except where it is not known when an error comes", () => {
    assert.sameMembers(ours.map(keyOf), [...gateway.map(keyOf), ...Object.keys(provoked), ...unexplained])
  })

  const passing = new Set(["code", "requestId", "request_id", "timestamp"])
  /** The part that is the same in every refusal of its kind: no id, no moment, no number. */
  const stable = (body: unknown): unknown =>
    JSON.parse(
      JSON.stringify(body, (key, value: unknown) => {
        if (passing.has(key)) return "some"
        return typeof value === "string" ? value.replaceAll(/limited by .*|\d+/g, "some") : value
      })
    )

  it.effect.each(refusals)("equals the refusal of the embedded marketplace: $operation $status $case", (one) =>
    Effect.gen(function* () {
      const { method = "GET", path = "" } = published.get(one.operation) ?? {}
      const [query = "", body] = provoked[keyOf(one)] ?? []
      yield* ask("POST", "/adv/v2/seacat/save-ad", { name: "New", nms: [1] })
      yield* ask("POST", "/adv/v2/seacat/save-ad", { name: "Clicks", nms: [1], payment_type: "cpc" })
      const { contentType, json, status } = yield* ask(method, path + query, body)
      assert.deepStrictEqual([status, contentType, stable(json)], [one.status, one.contentType, stable(one.body)])
    }).pipe(Effect.provide(embedded({ wire: "published" })))
  )

  it.effect.each(gateway)("equals the answer of the embedded gateway: $operation $status", (one) =>
    Effect.gen(function* () {
      const { method = "GET", path = "" } = published.get(one.operation) ?? {}
      const key = one.status === 401 ? "another" : undefined
      let reply = yield* ask(method, path, undefined, key)
      while (reply.status !== one.status) reply = yield* ask(method, path)
      assert.deepStrictEqual(stable(reply.json), stable(one.body))
      assert.strictEqual(reply.contentType, "application/problem+json")
      assert.strictEqual("x-ratelimit-remaining" in reply.headers, one.status === 401)
      assert.strictEqual("x-ratelimit-retry" in reply.headers, one.status === 429)
    }).pipe(Effect.provide(embedded({ limits: "full" })))
  )
})
