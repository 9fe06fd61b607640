import { assert, describe, it } from "vitest"

import { memoizable, memoized } from "../../src/internal/caching.ts"

describe("what is made of an object", () => {
  it("is made once of one that is memoizable, and is memoizable then, too", () => {
    let times = 0
    const copied = memoized((object: { readonly name: string }) => ({ ...object, times: ++times }))
    const upper = memoized(({ name }: { readonly name: string }) => `${name.toUpperCase()} ${++times}`)
    const marked = memoizable({ name: "a" })
    assert.strictEqual(copied(marked), copied(marked))
    assert.strictEqual(upper(copied(marked)), "A 2")
    assert.strictEqual(upper(copied(marked)), "A 2")
  })

  it("is made anew of any other one, and by any other function", () => {
    let times = 0
    const count = () => memoized((object: object) => `${Object.keys(object).join()}${++times}`)
    const [one, other] = [count(), count()]
    const passes = {}
    assert.deepStrictEqual([one(passes), one(passes)], ["1", "2"])
    const marked = memoizable({})
    assert.deepStrictEqual([one(marked), other(marked), one(marked)], ["3", "4", "3"])
    assert.strictEqual(one(memoizable({})), "5")
  })
})
