import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"

import {
  Kopecks,
  kopecksToRubles,
  moneyFromRubles,
  Rubles,
  RublesGiven,
  rublesToKopecks
} from "../../src/marketplace/money.ts"

const anyKopecks = fc.nat(Number.MAX_SAFE_INTEGER).map((amount) => Kopecks.make(amount))
const given = Schema.decodeUnknownResult(RublesGiven)
const kopecksFrom = (amount: unknown) => Result.map(given(amount), rublesToKopecks)

describe("money", () => {
  it("comes back from rubles as the same kopecks, at any size", () => {
    fc.assert(
      fc.property(anyKopecks, (amount) => {
        assert.strictEqual(rublesToKopecks(kopecksToRubles(amount)), amount)
      })
    )
  })

  it("shows the largest exact amount to the kopeck", () => {
    assert.strictEqual(kopecksToRubles(Kopecks.make(Number.MAX_SAFE_INTEGER)), "90071992547409.91")
  })

  it("reads a number by the digits it is shown with, for every amount of whole kopecks", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), (amount) => {
        assert.deepStrictEqual(kopecksFrom(amount / 100), Result.succeed(Kopecks.make(amount)))
      })
    )
  })

  it("rounds exactly half a kopeck up, where binary fractions would round it down", () => {
    assert.deepStrictEqual(
      [1.005, "1.005", 0.285, 1.115, "0.004", "0.005", 4.35].map((amount) => Result.getOrThrow(kopecksFrom(amount))),
      [101, 101, 29, 112, 0, 1, 435]
    )
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, "-1", "1,50", "", "ten", "90071992547409.92", 1e21])(
    "refuses %s as an amount",
    (amount) => {
      assert.isTrue(Result.isFailure(kopecksFrom(amount)))
    }
  )

  it.each([1.5, -1, Number.MAX_SAFE_INTEGER + 1])("refuses %s as kopecks", (amount) => {
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(Kopecks)(amount)))
  })

  it("shows statistics in both units", () => {
    assert.deepStrictEqual(moneyFromRubles(10.19), { kopecks: Kopecks.make(1019), rubles: Rubles.make("10.19") })
  })

  it("takes the tiny amounts of an average without choking on their exponent", () => {
    assert.strictEqual(moneyFromRubles(1e-7).kopecks, 0)
  })
})
