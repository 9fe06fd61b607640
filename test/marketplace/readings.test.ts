import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

import { isRounded } from "../../src/marketplace/apply/ownWork.ts"
import { type Article, bidOf } from "../../src/marketplace/client/Campaign.ts"
import { clusterBidsRead } from "../../src/marketplace/client/wire.ts"
import { clusterUnit } from "../../src/marketplace/plan/clusterUnit.ts"
import { floorsOf } from "../../src/marketplace/plan/floors.ts"
import { kopecks } from "./planned.ts"

describe("the lowest bids", () => {
  it.each([
    [100, 200],
    [200, 100]
  ])("of one place, %i and %i, are read as the higher one", (...given) => {
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
  ])("at both places is the one for search (%i), or else for recommendations (%i): %o", (search, other, bid) => {
    assert.strictEqual(bidOf(article(search, other), "combined"), bid)
  })
})

describe("the cluster bids of an answer", () => {
  const bidOf = (bid: number, bid_kopecks?: number | null) =>
    bid_kopecks === undefined ? { bid } : { bid, bid_kopecks: bid_kopecks === null ? null : kopecks(bid_kopecks) }

  it.each([
    ["rubles, by the hundredfold beside them", bidOf(331, 33_100), "rubles", 33_100],
    ["rubles with kopecks", bidOf(331.5, 33_150), "rubles", 33_150],
    ["kopecks, by the same number beside them", bidOf(33_100, 33_100), "kopecks", 33_100],
    ["nothing alone", bidOf(33_100), "unsaid", 33_100],
    ["nothing beside null", bidOf(33_100, null), "unsaid", 33_100],
    ["nothing where both are 0", bidOf(0, 0), "unsaid", 0],
    ["nothing where the two do not fit", bidOf(330, 33_150), "unsaid", 33_150]
  ] as const)("prove %s", (_, bid, unit, expected) => {
    assert.deepInclude(clusterBidsRead("spec", [bid])[0], { unit, bid: kopecks(expected) })
  })

  it("are read in the unit that the answer proves, not in that of the wire", () => {
    const bids = (...all: ReadonlyArray<ReturnType<typeof bidOf>>) =>
      clusterBidsRead("spec", all).map(({ bid }) => Number(bid))
    assert.deepStrictEqual(bids(bidOf(331, 33_100), bidOf(200)), [33_100, 20_000])
    assert.deepStrictEqual(bids(bidOf(331, 33_100), bidOf(5, 5), bidOf(200)), [33_100, 5, 200])
  })
})

describe("the unit of cluster bids", () => {
  it.each([
    ["published", [], { unit: "rubles", isProven: false }],
    ["spec", [], { unit: "kopecks", isProven: false }],
    [undefined, ["rubles"], { unit: "rubles", isProven: true }],
    [undefined, ["kopecks", "kopecks"], { unit: "kopecks", isProven: true }],
    ["published", ["rubles"], { unit: "rubles", isProven: true }]
  ] as const)("is found from wire %s and the proven units %o: %o", (wire, proofs, expected) => {
    assert.deepStrictEqual(Result.getOrThrow(clusterUnit(wire, proofs)), expected)
  })

  it.each([
    [undefined, [], "set marketplace.wire to"],
    ["spec", ["rubles"], 'set marketplace.wire to "published"'],
    ["published", ["kopecks"], 'set marketplace.wire to "spec"'],
    ["spec", ["rubles", "kopecks"], "some cluster bids in rubles and others in kopecks"]
  ] as const)("is not known from wire %s and the proven units %o, and says what to do", (wire, proofs, advice) => {
    const unit = clusterUnit(wire, proofs)
    assert.include(Result.isFailure(unit) ? unit.failure : "", advice)
  })
})

describe("isRounded", () => {
  it.each([
    [33_150, 33_200, true],
    [33_150, 33_100, true],
    [33_149, 33_150, true],
    [33_400, 33_000, true],
    [650, 700, true],
    [33_100, 33_100, false],
    [33_150, 33_173, false],
    [33_150, 36_000, false],
    [600, 1000, false]
  ])("tells whether %i shown as %i is rounded: %s", (sent, shown, expected) => {
    assert.strictEqual(isRounded(shown, sent), expected)
  })
})
