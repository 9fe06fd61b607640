import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import * as fc from "fast-check"

import { refusal } from "../../src/marketplace/client/refusal.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { lowestBidsShown } from "../../src/marketplace/tools/articles.ts"
import { campaignShown } from "../../src/marketplace/tools/campaigns.ts"
import { offered, toolNamed } from "./offered.ts"
import { type Canned, intercepted, inTime, plansOver, smallMarketplace } from "./support.ts"

/** Numbers as JSON can have them, written out: some come as Infinity, or with a tail of digits. */
const anyNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("null", "0", "-0", "-5", "-0.004", "0.30000000000000004", "1e21", "-1e21", "1e999", "-1e999", "9e15")
)

const days = { from: "2026-01-01", to: "2026-02-20" }
const week = { from: "2026-01-01", to: "2026-01-07" }
interface Case {
  readonly tool: string
  readonly args: object
  readonly path: string
  readonly text: (n: string) => string
  readonly shape: Schema.Codec<unknown, unknown>
}

const cases: ReadonlyArray<Case> = [
  {
    tool: "ads_get_campaign",
    args: { advert_id: 1001 },
    path: "/api/advert/v2/budget",
    text: (n) => `{"adverts":[{"advertId":1001,"total":${n}}]}`,
    shape: campaignShown
  },
  {
    tool: "ads_min_bids",
    args: { advert_id: 1001 },
    path: "/api/advert/v1/bids/min",
    text: (n) => `{"bids":[{"nm_id":500101,"bids":[{"type":"combined","value":${n}}]}]}`,
    shape: lowestBidsShown
  }
]

/** A tool's answer where the marketplace sends this text. */
const ask = ({ args, path, tool }: Case, text: string) => {
  const canned: Canned = { text }
  return Effect.gen(function* () {
    const match = (yield* offered).find(({ name }) => name === tool)
    if (match === undefined) return yield* Effect.die(`no tool ${tool}`)
    return (yield* inTime(match.call(args))).structured
  }).pipe(Effect.provide(intercepted((asked) => (asked === path ? canned : undefined))))
}

describe("an unexpected number from the marketplace", () => {
  it.effect.each(cases)("is shown by $tool in the shape that the tool lists", (one) =>
    Effect.gen(function* () {
      for (const n of fc.sample(anyNumber, { numRuns: 25, seed: 11 })) {
        const answer = yield* ask(one, one.text(n))
        const sent: unknown = JSON.parse(JSON.stringify(answer))
        yield* Schema.decodeUnknownEffect(one.shape)(sent).pipe(
          Effect.mapError(({ message }) => `${n}: ${message}\n${JSON.stringify(sent)}`)
        )
      }
    })
  )

  const lowest = (n: string) =>
    Effect.flatMap(Effect.fromNullishOr(cases.find(({ tool }) => tool === "ads_min_bids")), (one) =>
      ask(one, one.text(n))
    )

  it.effect.each([
    ["null", null],
    ["-500", { kopecks: -500, rubles: "-5.00", odd: "below zero" }],
    ["0.5", { kopecks: 1, rubles: "0.01", odd: "not whole kopecks" }],
    ["1e21", { kopecks: null, rubles: "10000000000000000000", odd: "too large to be an amount of money" }],
    ["1e999", { kopecks: null, rubles: "Infinity", odd: "too large to be an amount of money" }]
  ] as const)("is shown as it is, never as another number: %s", ([n, expected]) =>
    Effect.map(lowest(n), (answer) =>
      assert.deepNestedPropertyVal(Object(answer), "articles[0].lowest.combined", expected)
    )
  )

  const change = { changes: [{ advert_id: 1001, nm_id: 500101, bid_rubles: 300 }] }
  const planned = (text: string) =>
    ask(
      { tool: "ads_plan_bids", args: change, path: "/api/advert/v1/bids/min", text: () => "", shape: Schema.Unknown },
      text
    )

  it.effect("becomes a warning of the plan where it is a lowest bid", () =>
    Effect.gen(function* () {
      const plan = yield* planned('{"bids":[{"nm_id":500101,"bids":[{"type":"combined","value":-1}]}]}')
      assert.nestedPropertyVal(plan, "steps", 1)
      const words = "the lowest bid of article 500101 at combined is told as -1, and should be whole kopecks"
      assert.include(JSON.stringify(plan), words)
    })
  )

  it.effect.each(["-5", "1e21", "1e999", "null"])(
    "fails the plan with ADS_UNREADABLE where it is a cluster bid of %s",
    (n) =>
      Effect.gen(function* () {
        const args = { changes: [{ advert_id: 1003, nm_id: 500301, norm_query: "diary", bid_rubles: 300 }] }
        const text = `{"bids":[{"advert_id":1003,"nm_id":500301,"norm_query":"diary","bid":${n}}]}`
        const request = { tool: "ads_plan_cluster_bids", args, path: "/adv/v0/normquery/get-bids", text: () => "" }
        const error = yield* Effect.flip(ask({ ...request, shape: Schema.Unknown }, text))
        assert.deepInclude(error, { _tag: "ToolError", code: "ADS_UNREADABLE" })
        assert.include(error.message, "bids.0.bid")
      })
  )

  const each = { advert_id: 1003, nm_id: 500301 }
  const everyTool: ReadonlyArray<readonly [string, object]> = [
    ["ads_check_key", {}],
    ["ads_list_campaigns", {}],
    ["ads_get_campaign", { advert_id: 1003 }],
    ["ads_report", { campaigns: { ids: [1001, 1003] }, ...days }],
    ["ads_report", { level: "cluster", campaigns: { ids: [1003] }, ...week }],
    ["ads_get_minus_phrases", { advert_id: 1003 }],
    ["ads_min_bids", { advert_id: 1003 }],
    ["ads_plan_bids", { changes: [{ ...each, placement: "search", change_percent: 10 }] }],
    ["ads_plan_minus_phrases", { advert_id: 1003, phrases: ["a"], mode: "merge" }],
    ["ads_plan_products", { advert_id: 1003, delete_nms: [500301] }],
    ["ads_plan_cluster_bids", { changes: [{ ...each, norm_query: "diary", bid_rubles: 300 }] }],
    ["ads_plan_migration", { target: "new-manual-campaign", on_below_floor: "raise" }],
    ["ads_plan_campaign", { name: "New", nms: [500301], bid_rubles: 300 }],
    ["ads_start_campaign", { advert_id: 1003 }]
  ]

  /** The embedded marketplace, in one of whose answers one number of all is another one. */
  const withOneOdd = (n: string, pick: number) => {
    let seen = 0
    const replaced = (text: string) =>
      text.replaceAll(/(?<=[:[,])-?\d+(\.\d+)?(?=[,\]}])/g, (number) => (seen++ % 97 === pick ? n : number))
    const client = Layer.effect(
      HttpClient.HttpClient,
      Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
        HttpClient.transform(httpClient, (answer, request) =>
          Effect.flatMap(answer, (response) =>
            Effect.map(response.text, (text) => {
              const { headers, status } = response
              return HttpClientResponse.fromWeb(request, new Response(replaced(text), { status, headers }))
            })
          )
        )
      )
    )
    return plansOver({}, client).pipe(Layer.provideMerge(smallMarketplace({ limits: "none" })))
  }

  it.effect.each(everyTool)("never crashes %s, wherever it is in an answer", ([name, args]) =>
    Effect.gen(function* () {
      const numbers = fc.record({ n: anyNumber, pick: fc.nat(60) })
      for (const { n, pick } of fc.sample(numbers, { numRuns: 12, seed: 5 })) {
        const asking = Effect.gen(function* () {
          const tool = yield* toolNamed(name)
          return yield* inTime(tool.call(args))
        }).pipe(Effect.provide(withOneOdd(n, pick)))
        const exit = yield* Effect.exit(asking)
        assert.isFalse(Exit.hasDies(exit), `${n} at ${pick}: ${String(exit)}`)
      }
    })
  )

  it("in a refused bid leaves the text of the refusal as it is", () => {
    const error = refusal("updateBids", 400, JSON.stringify({ detail: `wrong bid value: 5; min: ${"9".repeat(400)}` }))
    assert.strictEqual(error.reason._tag, "AdsBadRequest")
  })
})
