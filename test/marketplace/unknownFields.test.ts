import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { readTools } from "../../src/marketplace/tools/catalog.ts"
import { toolNamed } from "./offered.ts"
import { intercepted } from "./support.ts"

const at = { advert_id: 1001, nm_id: 500101 }
const bid = { ...at, bid_rubles: 310 }
const cluster = { advert_id: 1003, nm_id: 500301, norm_query: "diary", bid_rubles: 300 }

const refused: ReadonlyArray<readonly [string, object, string]> = [
  [
    "ads_plan_bids",
    { changes: [{ ...bid, bid: 35_000 }] },
    "changes.0.bid: unknown argument. Known: advert_id, nm_id, placement, bid_rubles, bid_kopecks, change_percent"
  ],
  [
    "ads_plan_bids",
    { changes: [bid, { ...at, bid_ruble: 35 }] },
    "changes.1.bid_ruble: unknown argument. Did you mean bid_rubles?"
  ],
  [
    "ads_plan_cluster_bids",
    { changes: [{ ...cluster, dropp: true }] },
    "changes.0.dropp: unknown argument. Did you mean drop?"
  ],
  [
    "ads_plan_migration",
    { snapshot: [{ advert_id: 1001, price: 250 }] },
    "snapshot.0.price: unknown argument. Known: advert_id, bid_rubles, bids, minus_phrases, nm_ids"
  ],
  [
    "ads_plan_migration",
    { snapshot: [{ advert_id: 1001, minus_phrase: ["a"] }] },
    "snapshot.0.minus_phrase: unknown argument. Did you mean minus_phrases?"
  ],
  [
    "ads_plan_migration",
    { snapshot: [{ advert_id: 1001, bids: [{ nm_id: 500101, rubles: 3, ruble: 4 }] }] },
    "snapshot.0.bids.0.ruble: unknown argument. Did you mean rubles?"
  ],
  ["ads_get_minus_phrases", { items: [{ ...at, nmid: 5 }] }, "items.0.nmid: unknown argument. Did you mean nm_id?"],
  [
    "ads_get_minus_phrases",
    { items: [{ ...at, constructor: 5 }] },
    "items.0.constructor: unknown argument. Known: advert_id, nm_id"
  ],
  ["ads_report", { campaigns: { id: [1001] } }, "campaigns.id: unknown argument. Did you mean ids?"],
  ["ads_plan_rules", { campaigns: { id: [1001] }, named: ["x"] }, "campaigns.id: unknown argument. Did you mean ids?"],
  [
    "ads_plan_rules",
    { rules: [{ when: ["spent > 1"], at_least: { clicks: 1 }, do: "pause", percents: 5 }] },
    "rules.0.percents: unknown argument. Did you mean percent?"
  ],
  ["ads_plan_state", { pause: { status: [9] } }, "pause.status: unknown argument. Did you mean statuses?"],
  ["ads_plan_state", { start: { id: 1001 } }, "start.id: unknown argument. Did you mean ids?"],
  [
    "ads_plan_state",
    { campaigns: { statuse: [9] }, name: "x" },
    "campaigns.statuse: unknown argument. Did you mean statuses?"
  ],
  [
    "ads_plan_money",
    { top_up: [{ advert_id: 1001, rubles: 1000, purse: "x" }] },
    "top_up.0.purse: unknown argument. Known: advert_id, rubles, from"
  ],
  [
    "ads_plan_money",
    { daily_limits: [{ advert_id: 1001, rubles: 700, kopecks: 1 }] },
    "daily_limits.0.kopecks: unknown argument. Known: advert_id, rubles"
  ],
  // JSON text is read as what it says, and held to the same.
  ["ads_plan_bids", { changes: JSON.stringify([{ ...bid, "a.b": 1 }]) }, "changes.0.a.b: unknown argument. Known: "]
]

describe("an unknown field inside an argument", () => {
  it.effect.each(refused)("is refused by name in %s %o before anything is sent", ([name, args, expected]) => {
    const seen: Array<string> = []
    const watched = intercepted((path) => {
      seen.push(path)
      return undefined
    })
    return Effect.gen(function* () {
      const tool = yield* toolNamed(name)
      const error = yield* Effect.flip(tool.call(args))
      assert.include(error.message, `Invalid ${expected}`)
      assert.isEmpty(seen)
    }).pipe(Effect.provide(watched))
  })

  it("is tested above for every list of objects and every object that a tool takes", () => {
    const lists = readTools.flatMap(({ inputSchema, name }) =>
      Object.entries(Object(inputSchema().properties)).flatMap(([argument, shown]) =>
        (Object(shown).items ?? Object(shown)).type === "object" ? [`${name} ${argument}`] : []
      )
    )
    const tried = refused.map(([name, args]) => `${name} ${Object.keys(args)[0]}`)
    assert.sameMembers([...new Set(tried)], lists)
  })
})
