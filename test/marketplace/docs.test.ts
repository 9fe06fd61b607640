import { readFileSync } from "node:fs"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"

import { ChangesToolset } from "../../src/changes/toolset.ts"
import { operations } from "../../src/marketplace/index.ts"
import { readTools, writeTools } from "../../src/marketplace/tools/catalog.ts"
import { offered } from "./offered.ts"
import { names, started } from "./pageProgram.ts"
import { intercepted, inTime } from "./support.ts"

const page = ["marketplace", "marketplace-operations"]
  .map((name) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8"))
  .join("\n")

describe("the pages about the marketplace", () => {
  it.each(Object.values(operations))("has a row for the operation $name", ({ method, name, path }) => {
    const row = page.split("\n").find((line) => line.startsWith(`| ${method} ${path} `))
    if (row === undefined) {
      const alone = /^For programs alone, [^]*?\n\n/m.exec(page)?.[0].replaceAll("\n", " ")
      return assert.include(alone, `\`${name}\` (${method} ${path})`)
    }
    assert.include(row, `\`${name}\``)
    assert.match(row, /`(?:ads_|plan_rollback)/)
  })

  it.each([...readTools, ...writeTools, ...ChangesToolset.tools])("names the tool $name", ({ name }) => {
    assert.include(page, `\`${name}`)
  })

  const pair = { advert_id: 1003, nm_id: 500301 }
  const days = { from: "2026-01-01", to: "2026-01-07" }
  const snapshot = [{ advert_id: 1001, bid_rubles: 300, minus_phrases: ["toy"] }]
  const calls: ReadonlyArray<readonly [string, object]> = [
    ["ads_check_key", {}],
    ["ads_list_campaigns", {}],
    ["ads_get_campaign", { advert_id: 1001 }],
    ["ads_report", { campaigns: { ids: [1001] }, ...days }],
    ["ads_report", { level: "cluster", campaigns: { ids: [1001] }, ...days }],
    ["ads_report", { level: "keyword", campaigns: { ids: [1001] }, ...days }],
    ["ads_get_minus_phrases", { advert_id: 1003 }],
    ["ads_min_bids", { advert_id: 1001 }],
    ["ads_plan_bids", { changes: [{ advert_id: 1001, nm_id: 500101, bid_rubles: 260 }] }],
    ["ads_plan_minus_phrases", { advert_id: 1001, phrases: ["toy"], mode: "merge" }],
    ["ads_plan_products", { advert_id: 1003, add_nms: [5], delete_nms: [500301] }],
    ["ads_plan_cluster_bids", { changes: [{ ...pair, norm_query: "diary", bid_rubles: 300 }] }],
    ["ads_plan_campaign", { name: "New", nms: Array.from({ length: 52 }, (_, more) => 600 + more), bid_rubles: 400 }],
    ["ads_plan_migration", { snapshot }],
    ["ads_plan_migration", { snapshot, target: "new-manual-campaign" }],
    ["ads_start_campaign", { advert_id: 1001 }],
    ["ads_pause_campaign", { advert_id: 1001, confirm: true }]
  ]

  it.effect.each(calls)("tells which operations serve %s %o", ([name, args]) => {
    const seen = new Set<string>()
    const watched = intercepted((path, _body, method) => {
      seen.add(`${method} ${path}`)
      return undefined
    })
    return Effect.gen(function* () {
      const tools = yield* offered
      const call = (name: string, args: object) =>
        Effect.forEach(
          tools.filter((tool) => tool.name === name),
          (tool) => inTime(tool.call(args))
        )
      const [answer] = yield* call(name, args)
      const before = new Set(seen)
      const { plan_id } = Object(answer?.structured)
      if (plan_id !== undefined) yield* call("apply_plan", { plan_id, confirm: true, max_seconds: 600 })
      assert.isNotEmpty(seen)
      for (const one of seen) {
        const row = page.split("\n").find((line) => line.startsWith(`| ${one} `)) ?? one
        // Every apply also reads what it is about.
        const isItsOwn = before.has(one) || !/get-minus|get-bids/.test(one)
        if (isItsOwn && !row.includes("and most others")) assert.include(row, `\`${name}\``)
      }
    }).pipe(Effect.provide(watched))
  })

  it("counts the tools as they are", () => {
    const words = new Map([
      [19, "Nineteen"],
      [20, "Twenty"],
      [21, "Twenty-one"],
      [22, "Twenty-two"],
      [23, "Twenty-three"],
      [24, "Twenty-four"]
    ])
    const [, counted] = /^(\S+) tools read advertising campaigns/m.exec(page) ?? []
    assert.strictEqual(counted, words.get(readTools.length + writeTools.length + ChangesToolset.tools.length))
  })

  it.effect("shows a program that lists the active campaigns", () => {
    const addresses: Array<string> = []
    const body = { adverts: [{ id: 7, bid_type: "auto", status: 9, settings: { name: "Mugs" } }] }
    const fetch: typeof globalThis.fetch = (input) => {
      addresses.push(new Request(input).url)
      return Promise.resolve(Response.json(body))
    }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* names, ["7 Mugs"])
      assert.lengthOf(addresses, 1)
      assert.match(addresses[0] ?? "", /^https:.*\/api\/advert\/v2\/adverts\?statuses=9$/)
    }).pipe(Effect.provideService(FetchHttpClient.Fetch, fetch))
  })

  it.effect("shows how the reason of a failure is caught", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* started(7), "no money")
    }).pipe(
      Effect.provide(
        intercepted((path) =>
          path.startsWith("/adv/v0/start") ? { status: 400, body: { detail: "low budget", title: "bad" } } : undefined
        )
      )
    )
  )
})
