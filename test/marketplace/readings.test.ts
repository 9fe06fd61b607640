import { assert, describe, it } from "@effect/vitest"

import { type Article, bidOf } from "../../src/marketplace/Campaign.ts"
import { type BidUnit, countsInRubles } from "../../src/marketplace/Clusters.ts"
import { floorsOf } from "../../src/marketplace/plan/floors.ts"
import { kopecks } from "./planned.ts"

describe("the lowest bids", () => {
  it.each([
    [100, 200],
    [200, 100]
  ])("of one place that are given twice, %i and %i, count as their highest", (...given) => {
    const place = { nm_id: 1, placement: "search", payment_type: "cpm" } as const
    const floor = floorsOf(given.map((amount) => ({ ...place, kopecks: kopecks(amount) })))
    assert.strictEqual(floor(place), 200)
    assert.isUndefined(floor({ ...place, payment_type: "cpc" }))
  })
})

describe("the bid of an article", () => {
  const article = (search: number, recommendations: number): Article => ({
    nm_id: 1,
    bids_kopecks: { search: kopecks(search), recommendations: kopecks(recommendations) }
  })

  it.each([
    [300, 500, 300],
    [0, 500, 500],
    [0, 0, null]
  ])("for both places is that of the search, %i, else that of the recommendations, %i: %o", (search, other, bid) => {
    assert.strictEqual(bidOf(article(search, other), "combined"), bid)
  })
})

describe("a marketplace that shows cluster bids", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<BidUnit>, boolean]> = [
    [["rubles", "unsaid"], true],
    [["rubles", "kopecks"], false],
    [["unsaid"], false],
    [[], false]
  ]
  it.each(cases)("in %o counts in rubles: %s", (units, expected) => {
    assert.strictEqual(countsInRubles(units.map((unit) => ({ unit }))), expected)
  })
})
