import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { decodePage, unique } from "./fixtures.ts"
import { sent, TestedEngine } from "./TestedEngine.ts"

const columns = [
  { name: "city", type: "string" },
  { name: "amount", type: "number" },
  { name: "paid", type: "boolean" },
  { name: "due", type: "date" }
]

const decodeId = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))

const rows: ReadonlyArray<Json> = [
  { city: "Paris", amount: 1.5, paid: true, due: "2026-01-02" },
  { city: "Rome", amount: 2, due: "2026-01-02T10:00:00+02:00" },
  { city: "paris", paid: false, due: "2026-01-03" },
  {}
]

/** A new table of four rows, past all of our code. */
const madeTable = Effect.gen(function* () {
  const name = unique("table")
  const { id } = decodeId(yield* sent("POST", "/data-tables", { name, columns }))
  yield* sent("POST", `/data-tables/${id}/rows`, { data: rows })
  return { id, name }
})

const rowsOf = Effect.fnUntraced(function* (args: Json) {
  const { data } = decodePage(yield* ask("read_data_table", { action: "rows", ...args }))
  return data
})

const condition = (columnName: string, name: string, value: unknown) => ({
  filters: [{ columnName, condition: name, value }]
})

export const dataTables = (it: Suite) => {
  it.effect("data tables are listed, described and read, or told to be missing", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      if (!isV2) {
        const { data, message } = yield* refused("read_data_table", { action: "list" })
        assert.include(message, "the API of the engine of production has no data tables")
        assert.include(data, { code: "API_ERROR", httpStatus: 404 })
        return
      }
      const { id, name } = yield* madeTable
      const types = { city: "string", amount: "number", paid: "boolean", due: "date" }
      assert.deepInclude(yield* ask("read_data_table", { action: "describe", table: name }), {
        id,
        name,
        columns: types
      })
      let page = decodePage(yield* ask("read_data_table", { action: "list", limit: 1 }))
      const names = page.data.map((table) => table.name)
      while (page.nextCursor !== undefined) {
        page = decodePage(yield* ask("read_data_table", { action: "list", cursor: page.nextCursor }))
        names.push(...page.data.map((table) => table.name))
      }
      assert.include(names, name)
      assert.lengthOf(new Set(names), names.length)
      const [first, second, , last] = yield* rowsOf({ table: id })
      assert.deepInclude(first, { id: 1, ...rows[0], due: "2026-01-02T00:00:00.000Z" })
      assert.deepInclude(second, { id: 2, paid: null, due: "2026-01-02T08:00:00.000Z" })
      assert.deepInclude(last, { id: 4, city: null, amount: null, paid: null, due: null })
    })
  )

  it.effect("rows are filtered, sorted, searched and paged, times to the millisecond", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isV2) return
      const { id: table } = yield* madeTable
      const matches = Effect.fnUntraced(function* (filter: Json) {
        return (yield* rowsOf({ table, filter })).map(({ id }) => id)
      })
      assert.deepStrictEqual(yield* matches(condition("city", "eq", "Paris")), [1])
      assert.deepStrictEqual(yield* matches(condition("city", "ilike", "PAR%")), [1, 3])
      assert.deepStrictEqual(yield* matches(condition("city", "like", "ar")), [1, 3])
      assert.deepStrictEqual(yield* matches(condition("city", "neq", "Paris")), [2, 3, 4])
      assert.deepStrictEqual(yield* matches(condition("city", "eq", null)), [4])
      assert.deepStrictEqual(yield* matches(condition("amount", "gte", 1.5)), [1, 2])
      assert.deepStrictEqual(yield* matches(condition("paid", "neq", true)), [2, 3, 4])
      assert.deepStrictEqual(yield* matches(condition("due", "eq", "2026-01-02")), [1])
      assert.deepStrictEqual(yield* matches(condition("due", "gt", "2026-01-02")), [2, 3])
      assert.deepStrictEqual(yield* matches(condition("due", "lte", "2026-01-02T08:00:00Z")), [1, 2])
      assert.deepStrictEqual(yield* matches(condition("due", "neq", "2026-01-03")), [1, 2, 4])
      const either = {
        type: "or",
        filters: [...condition("due", "eq", "2026-01-03").filters, ...condition("id", "lt", 2).filters]
      }
      assert.deepStrictEqual(yield* matches(either), [1, 3])
      const sorted = yield* rowsOf({ table, sort: "amount:desc", limit: 2 })
      assert.deepStrictEqual(
        sorted.map(({ id }) => id),
        [2, 1]
      )
      assert.deepStrictEqual(
        (yield* rowsOf({ table, search: "rom" })).map(({ id }) => id),
        [2]
      )
      const one = decodePage(
        yield* ask("read_data_table", {
          action: "rows",
          table,
          limit: 1,
          sort: "city:desc",
          filter: condition("city", "neq", null)
        })
      )
      const two = decodePage(yield* ask("read_data_table", { action: "rows", table, cursor: one.nextCursor }))
      const three = decodePage(yield* ask("read_data_table", { action: "rows", table, cursor: two.nextCursor }))
      assert.deepStrictEqual(
        [one, two, three].map(({ data }) => data.map(({ city }) => city)),
        [["paris"], ["Rome"], ["Paris"]]
      )
      assert.isUndefined(three.nextCursor)
    })
  )

  it.effect("a table, column or value that does not exist or fit is named, with the nearest that does", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isV2) return
      const { name } = yield* madeTable
      const problem = Effect.fnUntraced(function* (args: Json) {
        const { code, message } = yield* refused("read_data_table", { action: "rows", ...args })
        assert.strictEqual(code, -32602)
        return message
      })
      assert.include(yield* problem({ table: `${name}x` }), `Did you mean ${name}?`)
      assert.include(yield* problem({ table: "'; DROP TABLE x; --" }), "there is no data table")
      assert.include(yield* problem({}), "is needed to read rows")
      const of = (filter: Json) => problem({ table: name, filter })
      assert.include(yield* of(condition("citty", "eq", 1)), "Did you mean city?")
      assert.include(yield* of(condition("amount", "gt", "much")), "amount: must be a number")
      assert.include(yield* of(condition("due", "lt", "2026-02-31")), "due: must be a date or a time")
      assert.include(yield* of(condition("amount", "like", 1)), "amount: like is for texts")
      assert.include(yield* of(condition("amount", "gt", null)), "amount: gt needs a value")
      assert.include(yield* problem({ table: name, sort: "nope:asc" }), 'the table has no column "nope"')
    })
  )
}
