import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"

import { v1 } from "../../../src/engine/embedded/dialects/v1/v1.ts"
import { v2 } from "../../../src/engine/embedded/dialects/v2/v2.ts"
import { byLastId, byOffset, type Query } from "../../../src/engine/embedded/wire/query.ts"

interface Row {
  readonly id: number
}

/** One page of a list; the last one has no cursor. */
interface Page {
  readonly data: ReadonlyArray<Row>
  readonly nextCursor: string | null
}

/** Every row that is seen on the way from the first page to the last. */
const walk = Effect.fnUntraced(function* (page: (query: Query) => Effect.Effect<Page, unknown>, limit: number) {
  const seen: Array<number> = []
  let query: Query | undefined = new Map([["limit", `${limit}`]])
  while (query !== undefined) {
    const { data, nextCursor }: Page = yield* page(query)
    seen.push(...data.map(({ id }) => id))
    query = nextCursor === null ? undefined : new Map([["cursor", nextCursor]])
  }
  return seen
})

const sizes = fc.record({
  rows: fc.nat(40),
  limit: fc.integer({ min: 1, max: 50 }),
  rules: fc.constantFrom(v1.paging, v2.paging)
})

it("gives every row once in pages by offset", () =>
  fc.assert(
    fc.property(sizes, ({ limit, rows, rules }) => {
      const all = Array.from({ length: rows }, (_, id) => ({ id }))
      const seen = Effect.runSync(walk((query) => byOffset(all, query, rules), limit))
      assert.deepStrictEqual(
        seen,
        all.map(({ id }) => id)
      )
    })
  ))

it("gives every row once in pages by last id", () =>
  fc.assert(
    fc.property(sizes, ({ limit, rows, rules }) => {
      const all = Array.from({ length: rows }, (_, index) => ({ id: rows - index }))
      const seen = Effect.runSync(walk((query) => byLastId(all, query, rules), limit))
      assert.deepStrictEqual(
        seen,
        all.map(({ id }) => id)
      )
    })
  ))

it.effect("gives no cursor with the page that holds the last row", () =>
  Effect.gen(function* () {
    const two = [{ id: 2 }, { id: 1 }]
    for (const query of [new Map([["limit", "2"]]), new Map([["limit", "3"]])]) {
      assert.strictEqual((yield* byOffset(two, query, v1.paging)).nextCursor, null)
      assert.strictEqual((yield* byLastId(two, query, v1.paging)).nextCursor, null)
    }
  })
)

it.effect("answers a limit of 0 with all rows and a cursor that never ends", () =>
  Effect.gen(function* () {
    const { data, nextCursor } = yield* byOffset([{ id: 1 }, { id: 2 }], new Map([["limit", "0"]]), v1.paging)
    assert.lengthOf(data, 2)
    assert.deepStrictEqual(nextCursor, "eyJsaW1pdCI6MCwib2Zmc2V0IjowfQ==")
    assert.deepStrictEqual(yield* byOffset([{ id: 1 }], new Map([["cursor", `${nextCursor}`]]), v1.paging), {
      data: [{ id: 1 }],
      nextCursor
    })
  })
)

it.effect("accepts a cursor that asks for more than the largest page", () =>
  Effect.gen(function* () {
    const all = Array.from({ length: 400 }, (_, id) => ({ id }))
    const { data } = yield* byOffset(all, new Map([["cursor", btoa(`{"limit":300,"offset":10}`)]]), v2.paging)
    assert.lengthOf(data, 300)
  })
)
