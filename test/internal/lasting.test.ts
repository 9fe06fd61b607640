import { assert, describe, it } from "vitest"

import { lasting, onceOf } from "../../src/internal/lasting.ts"

describe("what is made of an object", () => {
  it("is made once of one that is lasting, and is lasting then, too", () => {
    let times = 0
    const copied = onceOf((object: { readonly name: string }) => ({ ...object, times: ++times }))
    const upper = onceOf(({ name }: { readonly name: string }) => `${name.toUpperCase()} ${++times}`)
    const lasts = lasting({ name: "a" })
    assert.strictEqual(copied(lasts), copied(lasts))
    assert.strictEqual(upper(copied(lasts)), "A 2")
    assert.strictEqual(upper(copied(lasts)), "A 2")
  })

  it("is made anew of any other one, and by any other function", () => {
    let times = 0
    const count = () => onceOf((object: object) => `${Object.keys(object).join()}${++times}`)
    const [one, other] = [count(), count()]
    const passes = {}
    assert.deepStrictEqual([one(passes), one(passes)], ["1", "2"])
    const lasts = lasting({})
    assert.deepStrictEqual([one(lasts), other(lasts), one(lasts)], ["3", "4", "3"])
    assert.strictEqual(one(lasting({})), "5")
  })
})
