import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"

import {
  digits,
  Kopecks,
  kopecksToRubles,
  percentOf,
  RublesGiven,
  rublesTold,
  rublesToKopecks
} from "../../src/marketplace/client/money.ts"

const anyKopecks = fc.nat(Number.MAX_SAFE_INTEGER).map((amount) => Kopecks.make(amount))
const given = Schema.decodeUnknownResult(RublesGiven)
const kopecksFrom = (amount: unknown) => Result.map(given(amount), rublesToKopecks)

describe("money", () => {
  it("converts kopecks to rubles and back without loss, at any size", () => {
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

  it.each([
    [10.19, { kopecks: 1019, rubles: "10.19" }],
    [1e-7, { kopecks: 0, rubles: "0.00" }],
    [0.1 + 0.2, { kopecks: 30, rubles: "0.30" }],
    [-1.5, { kopecks: -150, rubles: "-1.50", odd: "below zero" }],
    [1e21, { kopecks: null, rubles: "1000000000000000000000", odd: "too large to be an amount of money" }],
    [-1e21, { kopecks: null, rubles: "-1000000000000000000000", odd: "too large to be an amount of money" }],
    [Number.POSITIVE_INFINITY, { kopecks: null, rubles: "Infinity", odd: "too large to be an amount of money" }],
    [null, null],
    [undefined, null]
  ])("shows %s rubles of a statistic in both units, and names what is odd", (amount, shown) => {
    assert.deepStrictEqual<unknown>(rublesTold(amount), shown)
  })

  it("writes any number by the digits it is shown with, without an exponent", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (amount) => {
        assert.match(digits(amount), /^-?\d+(\.\d+)?$/)
        assert.strictEqual(Number(digits(amount)), amount === 0 ? 0 : amount)
      })
    )
  })

  it("stays exact for a percentage of any size", () => {
    assert.strictEqual(percentOf(Kopecks.make(30_000), 1e300), Number.MAX_SAFE_INTEGER)
    assert.strictEqual(Result.getOrThrow(kopecksFrom(0.1 + 0.2)), 30)
  })
})
