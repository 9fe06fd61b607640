import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { BoundedCache } from "../../src/internal/caching.ts"

const keys = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 200 })

describe("what was given recently", () => {
  it("is known as it was first given, as long as half of what is kept has not come since", () => {
    fc.assert(
      fc.property(keys, (given) => {
        const recent = new BoundedCache<number>(10)
        const last: Array<number> = []
        given.forEach((key, at) => {
          const kept = recent.keep(`${key}`, () => at)
          assert.strictEqual(recent.get(`${key}`), kept)
          last.push(key)
          const young = [...new Set(last.toReversed())].slice(0, 5)
          for (const one of young) assert.isDefined(recent.get(`${one}`), `${one} of ${last.join()}`)
        })
      })
    )
  })

  it("never weighs more than it may, and what alone is too heavy is not kept", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 12 }))), (given) => {
        const recent = new BoundedCache<number>(20, (weight) => weight)
        for (const [key, weight] of given) {
          recent.keep(`${key}`, () => weight)
          const held = Array.from({ length: 21 }, (_, one) => recent.get(`${one}`) ?? 0)
          assert.isAtMost(
            held.reduce((sum, one) => sum + one, 0),
            20
          )
          assert.isAtMost(Math.max(...held), 10)
        }
      })
    )
  })
})
