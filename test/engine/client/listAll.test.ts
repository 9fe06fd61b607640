import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"

import { firstPages, firstPagesIfSupported, listAll, workflowsIn } from "../../../src/engine/client/listAll.ts"
import type { PageQuery } from "../../../src/engine/workflow/models.ts"

/** A list whose pages are led to by these cursors, and the queries that it was asked with. */
const listOf = (next: Readonly<Record<string, string | null>>) => {
  const queries: Array<PageQuery> = []
  const list = (query: PageQuery) => {
    queries.push(query)
    const at = query.cursor ?? "first"
    return Effect.succeed({ data: [at, `${at} too`], nextCursor: next[at] ?? null })
  }
  return { queries, list }
}

describe("listAll", () => {
  it.effect("reads page after page, and reports how many items there are so far", () =>
    Effect.gen(function* () {
      const { queries, list } = listOf({ first: "b", b: "c", c: "" })
      const counts: Array<number> = []
      const all = yield* listAll(list, (count) => Effect.sync(() => counts.push(count)))
      assert.deepStrictEqual(all, ["first", "first too", "b", "b too", "c", "c too"])
      assert.deepStrictEqual(queries, [{ limit: 250 }, { limit: 250, cursor: "b" }, { limit: 250, cursor: "c" }])
      assert.deepStrictEqual(counts, [2, 4, 6])
    })
  )

  it.effect("ends where a cursor comes again, however far back", () =>
    Effect.gen(function* () {
      const { queries, list } = listOf({ first: "b", b: "c", c: "b" })
      assert.lengthOf(yield* listAll(list), 6)
      assert.lengthOf(queries, 3)
    })
  )
})

describe("firstPages", () => {
  it.effect("keeps what is picked, and tells whether there is more than it may read", () =>
    Effect.gen(function* () {
      const { list } = listOf({ first: "b", b: "c" })
      const pick = (items: ReadonlyArray<string>) => items.filter((item) => !item.endsWith("too"))
      const read = (pages: number) => firstPages(list, { limit: 2, pages }, pick)
      assert.deepStrictEqual(yield* read(2), { matches: ["first", "b"], isWhole: false })
      assert.deepStrictEqual(yield* read(3), { matches: ["first", "b", "c"], isWhole: true })
    })
  )

  it.effect("is nothing where the engine has no such list, and asks for the first page once where it has", () =>
    Effect.gen(function* () {
      const { queries, list } = listOf({ first: "b" })
      const all = (items: ReadonlyArray<string>) => items
      const supported = yield* firstPagesIfSupported((query) => Effect.asSome(list(query)), { pages: 4 }, all)
      assert.deepStrictEqual(Option.getOrUndefined(supported)?.matches, ["first", "first too", "b", "b too"])
      assert.lengthOf(queries, 2)
      assert.isTrue(Option.isNone(yield* firstPagesIfSupported(() => Effect.succeedNone, { pages: 4 }, all)))
    })
  )
})

describe("workflowsIn", () => {
  it("leaves out what has not the shape of a workflow", () => {
    const workflow = { id: "w1", name: "One", active: false, nodes: [], connections: {}, unheard: 1 }
    assert.deepStrictEqual<ReadonlyArray<unknown>>(workflowsIn([workflow, { id: "w2" }, null]), [workflow])
  })
})
