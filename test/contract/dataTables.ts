import { assert } from "@effect/vitest"
import { Effect, Result, Schema, Struct } from "effect"

import { csvHead, csvRows, rowsOfCsv } from "../../src/engine/workflow/csv.ts"
import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { answer, created, decodePage, manual, node, unique } from "./fixtures.ts"
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
        const { guidance } = yield* ask("read_data_table", { action: "list" })
        assert.include(guidance, "the API of the engine of production has no data tables")
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

  it.effect("what a workflow uses is found by its id and name, and told where it is missing", () =>
    Effect.gen(function* () {
      const { isV2, send } = yield* TestedEngine
      const use = (name: string, dataTableId: unknown) => ({
        ...node("dataTable", name, { operation: "get", dataTableId }),
        typeVersion: 1.1
      })
      const choice = (mode: string, value: string, more: Json = {}) => ({ __rl: true, mode, value, ...more })
      const gone = choice("list", "gone123456789012", { cachedResultName: "gone" })
      const problems = Effect.fnUntraced(function* (args: Json) {
        const { findings } = yield* ask("check_workflow", args)
        const texts = Array.isArray(findings) ? findings.map((one) => Object(one)) : []
        return texts
          .filter(({ problem }) => /data tables?|variable/.test(problem))
          .map(({ fix, node, problem }) => [node, problem, fix])
      })
      if (!isV2) {
        const [[name, problem] = []] = yield* problems({ nodes: [manual(), use("Read", gone)] })
        assert.deepStrictEqual([name, problem], ["Read", "this engine has no data tables: they came with generation 2"])
        return
      }
      const { id, name } = yield* madeTable
      const nodes = [manual(), use("By id", choice("list", id)), use("By name", choice("name", name))]
      const workflow = yield* created({ nodes })
      for (const uses of [id, name]) {
        const [row, ...others] = decodePage(yield* ask("search_workflows", { uses })).data
        assert.lengthOf(others, 0)
        assert.strictEqual(row?.id, workflow.id)
        assert.lengthOf(Array.isArray(row?.matches) ? row.matches : [], 2)
      }
      assert.deepStrictEqual(yield* problems({ id: workflow.id }), [])
      const wrong = [
        manual(),
        use("Gone", gone),
        use("Misspelt", choice("name", `${name}x`)),
        use("Computed", choice("name", "={{ $json.table }}")),
        node("noOp", "Off", {}, { disabled: true }),
        { ...use("Disabled", gone), disabled: true }
      ]
      assert.deepStrictEqual(yield* problems({ nodes: wrong }), [
        ["Gone", "there is no data table gone (gone123456789012) here", "Create it"],
        ["Misspelt", `there is no data table ${name}x here`, `There is ${name} (${id})`]
      ])
      const making = node("dataTable", "Make", { resource: "table", operation: "create", tableName: `${name}x` })
      assert.deepStrictEqual(yield* problems({ nodes: [...wrong.slice(2), making] }), [], "a run may make it")

      const key = unique("key").replaceAll("-", "_")
      const isLicensed = (yield* send("POST", "/variables", { key, value: "eu" })).status === 201
      const reading = [manual(), answer("Right", `={{ $vars.${key} }}`), answer("Wrong", `={{ $vars.${key}s }}`)]
      const missing = ["Wrong", `there is no variable ${key}s here: $vars.${key}s is undefined`, `There is ${key}`]
      assert.deepStrictEqual(yield* problems({ nodes: reading }), isLicensed ? [missing] : [])
      const reader = yield* created({ nodes: reading })
      const [row] = decodePage(yield* ask("search_workflows", { uses: key })).data
      assert.deepInclude(row, { id: reader.id, matches: [{ node: "Right", field: "$vars", snippet: key }] })
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
      assert.deepStrictEqual(yield* matches(condition("city", "like", "New * York's (a+b)")), [])
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
      const count = (args: Json) =>
        Effect.map(ask("read_data_table", { action: "count", table, ...args }), (one) => one["rows"])
      assert.strictEqual(yield* count({}), 4)
      assert.strictEqual(yield* count({ filter: condition("due", "gt", "2026-01-02") }), 2)
      assert.strictEqual(yield* count({ search: "a + b" }), 0)
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
      assert.include(yield* problem({ action: "count" }), "is needed to count rows")
      const of = (filter: Json) => problem({ table: name, filter })
      assert.include(yield* of(condition("citty", "eq", 1)), "Did you mean city?")
      assert.include(yield* of(condition("amount", "gt", "much")), "amount: must be a number")
      assert.include(yield* of(condition("due", "lt", "2026-02-31")), "due: must be a date or a time")
      assert.include(yield* of(condition("amount", "like", 1)), "amount: like is for texts")
      assert.include(yield* of(condition("amount", "gt", null)), "amount: gt needs a value")
      assert.include(yield* of(condition("city", "eq", "x".repeat(20_000))), "is longer than engines take")
      assert.include(yield* of(condition("constructor", "eq", "x")), 'has no column "constructor"')
      assert.include(yield* problem({ table: name, search: "x".repeat(2000) }), "at most 1000 characters")
      assert.include(yield* problem({ table: name, sort: "nope:asc" }), 'the table has no column "nope"')
    })
  )

  it.effect("rows are inserted, changed and deleted by plans, and put back", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isV2) {
        const planned = yield* ask("change_data_table", { action: "insert", table: "x", rows: [{}] })
        assert.include(JSON.stringify(planned["blocked"]), "has no data tables")
        assert.strictEqual(planned["steps"], 0)
        return
      }
      const { id: table } = yield* madeTable
      const before = yield* cellsOf(table)
      const changed = Effect.fnUntraced(function* (args: Json, expected: ReadonlyArray<Json>) {
        const planned = yield* ask("change_data_table", { table, ...args })
        assert.deepStrictEqual(yield* cellsOf(table), before)
        assert.deepInclude(yield* applied(planned), { state: "applied" })
        assert.deepStrictEqual(yield* cellsOf(table), expected.map(whole))
        const rollback = yield* ask("plan_rollback", { plan_id: String(planned["plan_id"]) })
        assert.deepInclude(yield* applied(rollback), { state: "applied" })
        assert.sameDeepMembers([...(yield* cellsOf(table))], [...before])
        return planned
      })
      const oslo = { city: "Oslo", amount: 7, paid: false, due: "2026-02-03T04:05:06.000Z" }
      const inserted = yield* changed(
        { action: "insert", rows: [{ ...oslo, due: "2026-02-03 04:05:06" }, { city: "Bonn" }] },
        [...before, oslo, { city: "Bonn" }]
      )
      assert.deepInclude(Object(inserted["first_steps"])[0], { before: null })
      const paris = condition("city", "ilike", "paris")
      const [first, second, third, last] = before
      yield* changed({ action: "update", filter: paris, values: { paid: true, amount: 9 } }, [
        { ...first, paid: true, amount: 9 },
        second ?? {},
        { ...third, paid: true, amount: 9 },
        last ?? {}
      ])
      yield* changed({ action: "upsert", filter: condition("city", "eq", "Rome"), values: { amount: null } }, [
        first ?? {},
        { ...second, amount: null },
        third ?? {},
        last ?? {}
      ])
      yield* changed({ action: "upsert", filter: condition("city", "eq", "Oslo"), values: oslo }, [...before, oslo])
      yield* changed({ action: "upsert", column: "city", rows: [{ city: "Rome", amount: 3 }, oslo] }, [
        first ?? {},
        { ...second, amount: 3 },
        third ?? {},
        last ?? {},
        oslo
      ])
      yield* changed({ action: "delete", filter: condition("due", "gte", "2026-01-02T08:00:00Z") }, [
        first ?? {},
        last ?? {}
      ])
      assert.deepInclude(
        yield* ask("change_data_table", { table, action: "delete", filter: condition("id", "gt", 999) }),
        {
          steps: 0
        }
      )
    })
  )

  it.effect("rows are the same after they were written as CSV and read from it", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isV2) return
      const { id: table } = yield* madeTable
      const texts = [" =1+1", 'a "b", c', "two\r\nlines\n", "'=x", "", "é 名 🙂", ";\t"]
      yield* applied(
        yield* ask("change_data_table", {
          table,
          action: "insert",
          rows: [...texts.map((city) => ({ city })), { amount: 9007199254740992 }, { amount: -1.5e-7, paid: false }]
        })
      )
      const before = yield* rowsOf({ table, limit: 250 })
      for (const style of [{}, { isForSpreadsheets: true }]) {
        const copy = unique("copy")
        const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]))
        yield* applied(yield* ask("change_data_table", { action: "create_table", table: copy, columns: types }))
        const { rows } = Result.getOrThrow(
          rowsOfCsv(csvHead(columns, style) + csvRows(before, columns, style), columns, style)
        )
        yield* applied(yield* ask("change_data_table", { table: copy, action: "insert", rows }))
        assert.deepStrictEqual(yield* cellsOf(copy), yield* cellsOf(table))
      }
    })
  )

  it.effect("tables and columns are made, renamed and deleted by plans, and put back with their values", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isV2) return
      const { id: table, name } = yield* madeTable
      const before = yield* cellsOf(table)
      const columnsOf = Effect.map(ask("read_data_table", { action: "describe", table }), (one) => one["columns"])
      const types = yield* columnsOf
      const changed = Effect.fnUntraced(function* <A>(
        args: Json,
        check: Effect.Effect<A, unknown, Effect.Services<ReturnType<typeof ask>>>
      ) {
        const planned = yield* ask("change_data_table", { table, ...args })
        assert.deepInclude(yield* applied(planned), { state: "applied" })
        const seen = yield* check
        const rollback = yield* ask("plan_rollback", { plan_id: String(planned["plan_id"]) })
        assert.deepInclude(yield* applied(rollback), { state: "applied" })
        return seen
      })
      assert.deepStrictEqual(yield* changed({ action: "add_columns", columns: { note: "string" } }, columnsOf), {
        ...Object(types),
        note: "string"
      })
      assert.hasAllKeys(yield* changed({ action: "rename_column", column: "city", name: "town" }, columnsOf), [
        "amount",
        "due",
        "paid",
        "town"
      ])
      assert.hasAllKeys(yield* changed({ action: "delete_column", column: "amount" }, columnsOf), [
        "city",
        "due",
        "paid"
      ])
      assert.deepStrictEqual(yield* columnsOf, types)
      assert.deepStrictEqual(yield* cellsOf(table), before)
      const renamed = unique("renamed")
      const { name: seen } = yield* changed(
        { action: "rename_table", name: renamed },
        ask("read_data_table", { action: "describe", table: renamed })
      )
      assert.strictEqual(seen, renamed)
      const { message } = yield* changed(
        { action: "delete_table" },
        refused("read_data_table", { action: "rows", table: name })
      )
      assert.include(message, "there is no data table")
      assert.sameDeepMembers([...(yield* cellsOf(name))], [...before])
      const made = unique("made")
      const columns = { city: "string", due: "date" }
      const planned = yield* ask("change_data_table", { action: "create_table", table: made, columns })
      yield* applied(planned)
      assert.deepInclude(yield* ask("read_data_table", { action: "describe", table: made }), { columns })
      yield* sent("POST", `/data-tables/${yield* idOf(made)}/rows`, { data: [{ city: "Rome" }] })
      const rollback = yield* ask("plan_rollback", { plan_id: String(planned["plan_id"]) })
      assert.include(JSON.stringify(yield* applied(rollback)), "there are rows in it by now, so that it stays")
    })
  )

  it.effect("a change that cannot be made is refused by name before anything is sent", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isV2) return
      const { name: table } = yield* madeTable
      const before = yield* cellsOf(table)
      const of = Effect.fnUntraced(function* (args: Json) {
        const { code, message } = yield* refused("change_data_table", { table, ...args })
        assert.strictEqual(code, -32602, message)
        return message
      })
      assert.include(
        yield* of({ action: "insert", rows: [{ city: "a" }, { citty: "b" }] }),
        'rows.1: the table has no column "citty". Did you mean city?'
      )
      assert.include(yield* of({ action: "insert", rows: [{ amount: "" }] }), "amount: must be a number")
      assert.include(yield* of({ action: "insert", rows: [{ paid: "yes" }] }), "paid: must be true or false")
      assert.include(yield* of({ action: "insert", rows: [{ due: "02.01.2026" }] }), "due: must be a date")
      assert.include(yield* of({ action: "insert", rows: [{ id: 7 }] }), "the engine alone writes this column")
      assert.include(yield* of({ action: "update", values: { city: "x" } }), "filter")
      assert.include(
        yield* of({ action: "add_columns", columns: { City: "string" } }),
        "there is a column city already"
      )
      assert.include(
        yield* of({ action: "add_columns", columns: { 'a"; DROP TABLE x; --': "string" } }),
        "cannot be the name of a column"
      )
      assert.include(
        yield* of({ action: "add_columns", columns: { createdAt: "date" } }),
        "every table has a column createdAt already"
      )
      assert.include(
        yield* of({ action: "rename_column", column: "city", name: "due" }),
        "there is a column due already"
      )
      assert.include(yield* of({ action: "create_table", columns: {} }), "already")
      assert.include(
        yield* of({ action: "upsert", column: "city", rows: [{ city: "a" }, { city: "a" }] }),
        "stands in several rows"
      )
      assert.include(yield* of({ action: "insert", rows: [{ city: "[masked]" }] }), "masked")
      assert.include(
        yield* of({ action: "insert", rows: [{}], filter: condition("id", "gt", 0) }),
        "is not taken by insert"
      )
      assert.include(yield* of({ action: "rename_table", name: "x", values: {} }), "is not taken by rename_table")
      assert.include(yield* of({ action: "update", column: "city", rows: [{}], values: {} }), "go without")
      for (const name of ["constructor", "toString", "hasOwnProperty"]) {
        assert.include(yield* of({ action: "add_columns", columns: { [name]: "string" } }), "engines fail to insert")
      }
      assert.isBelow((yield* of({ action: "insert", rows: [{ ["x".repeat(200_000)]: 1 }] })).length, 300)
      assert.include(yield* of({ action: "rename_table", name: "a\u202Eb" }), "hide or turn text")
      assert.include(yield* of({ action: "rename_table", name: "a\u0000b" }), "hide or turn text")
      const byCity = { action: "update", column: "city" }
      assert.include(yield* of({ ...byCity, rows: [{ city: "Oslo", amount: 1 }] }), 'city: no row has "Oslo"')
      assert.include(yield* of({ action: "upsert", column: "id", rows: [{ id: 99 }] }), "id: no row has 99")
      assert.include(yield* of({ action: "update", column: "id", rows: [{ id: "1" }] }), "must be the number of a row")
      assert.include(yield* of({ action: "update", rows: [{ city: "Rome" }] }), "column: is needed")
      assert.include(
        yield* of({ action: "add_columns", columns: { note: "string" }, values: { note: 1 } }),
        "note: must be a text"
      )
      assert.include(yield* of({ action: "copy_table" }), "there is a data table")
      assert.deepStrictEqual(yield* cellsOf(table), before)
    })
  )

  it.effect("rows that somebody else has changed since a plan was made stay as they are", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isV2) return
      const { id: table } = yield* madeTable
      const planned = yield* ask("change_data_table", {
        table,
        action: "update",
        filter: condition("id", "lte", 2),
        values: { city: "Oslo" }
      })
      const others = yield* ask("change_data_table", {
        table,
        action: "update",
        filter: condition("id", "eq", 2),
        values: { city: "Bonn" }
      })
      yield* applied(others)
      assert.include(JSON.stringify(yield* applied(planned)), "someone else has changed it since")
      assert.deepStrictEqual(
        (yield* rowsOf({ table })).map(({ city }) => city),
        ["Paris", "Bonn", "paris", null]
      )
    })
  )
}

const applied = (planned: Json) => ask("apply_plan", { plan_id: String(planned["plan_id"]), confirm: true })

const idOf = (table: string) =>
  Effect.map(ask("read_data_table", { action: "describe", table }), ({ id }) => String(id))

/** The values of rows, in order, without what the engine writes. */
const cellsOf = (table: string) =>
  Effect.map(rowsOf({ table }), (all) => all.map((row): Json => Struct.omit(row, ["id", "createdAt", "updatedAt"])))

/** A row with all its cells. */
const whole = (cells: Json): Json => ({ city: null, amount: null, paid: null, due: null, ...cells })
