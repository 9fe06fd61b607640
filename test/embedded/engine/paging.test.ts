import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"

import { byLastId, byOffset, type Page } from "../../../src/embedded/engine/wire/paging.ts"
import type { Query } from "../../../src/embedded/engine/wire/query.ts"

interface Row {
  readonly id: number
}

/** Every row that is seen on the way from the first page to the last. */
const walk = Effect.fnUntraced(function* (page: (query: Query) => Effect.Effect<Page<Row>, unknown>, limit: number) {
  const seen: Array<number> = []
  let query: Query | undefined = new Map([["limit", `${limit}`]])
  while (query !== undefined) {
    const { data, nextCursor }: Page<Row> = yield* page(query)
    seen.push(...data.map(({ id }) => id))
    query = nextCursor === null ? undefined : new Map([["cursor", nextCursor]])
  }
  return seen
})

const sizes = fc.record({ rows: fc.nat(40), limit: fc.integer({ min: 1, max: 50 }), isSecond: fc.boolean() })

it("pages by offset hold every row once", () =>
  fc.assert(
    fc.property(sizes, ({ isSecond, limit, rows }) => {
      const all = Array.from({ length: rows }, (_, id) => ({ id }))
      const seen = Effect.runSync(walk((query) => byOffset(all, query, isSecond), limit))
      assert.deepStrictEqual(
        seen,
        all.map(({ id }) => id)
      )
    })
  ))

it("pages by the last id hold every row once", () =>
  fc.assert(
    fc.property(sizes, ({ isSecond, limit, rows }) => {
      const all = Array.from({ length: rows }, (_, index) => ({ id: rows - index }))
      const seen = Effect.runSync(walk((query) => byLastId(all, query, isSecond), limit))
      assert.deepStrictEqual(
        seen,
        all.map(({ id }) => id)
      )
    })
  ))

it.effect("a page that holds the last row is the last page", () =>
  Effect.gen(function* () {
    const two = [{ id: 2 }, { id: 1 }]
    for (const query of [new Map([["limit", "2"]]), new Map([["limit", "3"]])]) {
      assert.strictEqual((yield* byOffset(two, query, false)).nextCursor, null)
      assert.strictEqual((yield* byLastId(two, query, false)).nextCursor, null)
    }
  })
)

it.effect("a limit of 0 is the trap that it is in the real engines", () =>
  Effect.gen(function* () {
    const { data, nextCursor } = yield* byOffset([{ id: 1 }, { id: 2 }], new Map([["limit", "0"]]), false)
    assert.lengthOf(data, 2)
    assert.deepStrictEqual(nextCursor, "eyJsaW1pdCI6MCwib2Zmc2V0IjowfQ==")
    assert.deepStrictEqual(yield* byOffset([{ id: 1 }], new Map([["cursor", `${nextCursor}`]]), false), {
      data: [{ id: 1 }],
      nextCursor
    })
  })
)

it.effect("a cursor is believed, also when it asks for more than a page", () =>
  Effect.gen(function* () {
    const all = Array.from({ length: 400 }, (_, id) => ({ id }))
    const { data } = yield* byOffset(all, new Map([["cursor", btoa(`{"limit":300,"offset":10}`)]]), true)
    assert.lengthOf(data, 300)
  })
)
