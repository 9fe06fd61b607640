import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { Linked, LinkedSet } from "../../src/internal/collections.ts"

class Member extends Linked<Member> {
  readonly id: number

  constructor(id: number) {
    super()
    this.id = id
  }
}

const idsOf = (members: Iterable<Member>) => Array.from(members, ({ id }) => id)

describe("members of a linked set", () => {
  it("are those that came and have not left, in the order in which they came", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 100 }), (ids) => {
        const set = new LinkedSet<Member>()
        const members = Array.from({ length: 10 }, (_, id) => new Member(id))
        const model = new Set<number>()
        for (const id of ids) {
          const member = members[id] ?? new Member(id)
          if (model.delete(id)) set.delete(member)
          else {
            set.delete(member)
            model.add(id)
            set.add(member)
          }
          assert.deepStrictEqual(idsOf(set), [...model])
          assert.strictEqual(set.isEmpty, model.size === 0)
        }
      })
    )
  })

  it("are told of as they were, whoever leaves or comes meanwhile, and hold nobody once they have left", () => {
    const set = new LinkedSet<Member>()
    const [first, second, third] = [new Member(1), new Member(2), new Member(3)]
    for (const member of [first, second]) set.add(member)
    const collected: Array<number> = []
    for (const { id } of set) {
      collected.push(id)
      set.delete(second)
      if (!third.isThere) set.add(third)
    }
    assert.deepStrictEqual(collected, [1, 2])
    assert.deepStrictEqual(idsOf(set), [1, 3])
    assert.deepInclude(second, { isThere: false, before: undefined, after: undefined })
  })
})
