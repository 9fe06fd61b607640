import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, type Json } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { decodePage, unique } from "./fixtures.ts"
import { TestedEngine } from "./TestedEngine.ts"

const columns = { sku: "string", name: "string", stock: "number", price: "number", since: "date", supplier: "string" }

const rows: ReadonlyArray<Json> = [
  { sku: "A-17", name: "Hammer * (steel)", stock: 12, price: 9.5, since: "2023-05-01", supplier: "Nord & Süd" },
  { sku: "A-18", name: "Saw", stock: 0, price: 19, since: "2024-02-29", supplier: "Nord & Süd" },
  { sku: "A-19", name: "Drill", stock: 3, price: 129, since: "2024-12-31T23:30:00Z" },
  { sku: "A-20", name: "Nails", stock: 900, price: 2.25, since: "2025-01-01", supplier: "Ost" }
]

const where = (columnName: string, condition: string, value: unknown) => ({ columnName, condition, value })

/** Jobs with data tables as people word them, each with the calls of an assistant that has read the list of tools. */
export const tableJobs = (it: Suite) => {
  it.effect("twenty jobs with data tables take at most three calls each", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isV2) return
      const table = unique("articles")
      const copy = `${table} before the stocktaking`
      let calls = 0
      const jobs: Array<string> = []
      const call = (tool: string, args: Json) =>
        Effect.suspend(() => {
          calls += 1
          return ask(tool, args)
        })
      const read = (args: Json) => Effect.map(call("read_data_table", { action: "rows", table, ...args }), decodePage)
      const skus = (args: Json) => Effect.map(read(args), ({ data }) => data.map(({ sku }) => sku))
      const apply = (planned: Json) => call("apply_plan", { plan_id: String(planned["plan_id"]), confirm: true })
      const change = Effect.fnUntraced(function* (args: Json) {
        const planned = yield* call("change_data_table", { table, ...args })
        assert.deepInclude(yield* apply(planned), { state: "applied" })
        return planned
      })
      const job = Effect.fnUntraced(function* <A, E, R>(words: string, answer: Effect.Effect<A, E, R>, expected: A) {
        calls = 0
        assert.deepStrictEqual(yield* answer, expected, words)
        assert.isAtMost(calls, 3, words)
        jobs.push(words)
      })
      const done = (args: Json) => Effect.as(change(args), "done")
      const cells = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
        const { data } = yield* read({})
        return data.map((row) => names.map((name) => row[name]))
      })

      yield* job("Make a table of these articles", done({ action: "create_table", columns, rows }), "done")
      const { data } = decodePage(yield* ask("read_data_table", { action: "list", limit: 250 }))
      assert.deepInclude(
        data.find(({ name }) => name === table),
        { columns }
      )
      const count = (args: Json) =>
        Effect.map(call("read_data_table", { action: "count", table, ...args }), (one) => one["rows"])
      yield* job("How many articles are there", count({}), 4)
      yield* job(
        "How many came in 2024",
        count({ filter: { filters: [where("since", "gte", "2024-01-01"), where("since", "lt", "2025-01-01")] } }),
        2
      )
      yield* job(
        "Set the stock of article A-17 to 5",
        done({ action: "update", filter: { filters: [where("sku", "eq", "A-17")] }, values: { stock: 5 } }),
        "done"
      )
      yield* job("Which articles are sold out", skus({ filter: { filters: [where("stock", "lte", 0)] } }), ["A-18"])
      yield* job("Which are the two dearest articles", skus({ sort: "price:desc", limit: 2 }), ["A-19", "A-18"])
      yield* job("Which article has no supplier", skus({ filter: { filters: [where("supplier", "eq", null)] } }), [
        "A-19"
      ])
      yield* job("What comes from Nord & Süd", skus({ filter: { filters: [where("supplier", "eq", "Nord & Süd")] } }), [
        "A-17",
        "A-18"
      ])
      yield* job("Which hammers are of steel", skus({ search: "hammer * (st" }), ["A-17"])
      yield* job(
        "Add another article",
        done({ action: "insert", rows: [{ sku: "A-21", name: "Pliers", stock: 1 }] }),
        "done"
      )
      yield* job("Keep a copy of the table", done({ action: "copy_table", name: copy }), "done")
      yield* job(
        "Here is what was counted, with a new article",
        done({
          action: "upsert",
          column: "sku",
          rows: [
            { sku: "A-18", stock: 7 },
            { sku: "A-22", stock: 8 }
          ]
        }),
        "done"
      )
      assert.deepStrictEqual(yield* cells("sku", "stock"), [
        ["A-17", 5],
        ["A-18", 7],
        ["A-19", 3],
        ["A-20", 900],
        ["A-21", 1],
        ["A-22", 8]
      ])
      const raised = Effect.gen(function* () {
        const drills = yield* read({ search: "Drill" })
        return yield* done({ action: "update", column: "id", rows: drills.data.map(({ id }) => ({ id, price: 139 })) })
      })
      yield* job("Raise the price of the drill by 10", raised, "done")
      yield* job(
        "Add a column due, the end of the year for all that came before 2025",
        done({
          action: "add_columns",
          columns: { due: "date" },
          filter: { filters: [where("since", "lt", "2025-01-01")] },
          values: { due: "2026-12-31" }
        }),
        "done"
      )
      yield* job(
        "Add the shelf of each of these",
        done({
          action: "add_columns",
          columns: { shelf: "string" },
          column: "sku",
          rows: [
            { sku: "A-17", shelf: "R1" },
            { sku: "A-20", shelf: "R2" }
          ]
        }),
        "done"
      )
      const due = "2026-12-31T00:00:00.000Z"
      assert.deepStrictEqual(yield* cells("price", "due", "shelf"), [
        [9.5, due, "R1"],
        [19, due, null],
        [139, due, null],
        [2.25, null, "R2"],
        [null, null, null],
        [null, null, null]
      ])
      yield* job(
        "Call the column stock quantity",
        done({ action: "rename_column", column: "stock", name: "quantity" }),
        "done"
      )
      yield* job("The column supplier is not needed", done({ action: "delete_column", column: "supplier" }), "done")
      const from2024 = {
        action: "delete",
        filter: { filters: [where("since", "gte", "2024-01-01"), where("since", "lt", "2025-01-01")] }
      }
      let deletion: Json = {}
      const deleted = Effect.gen(function* () {
        deletion = yield* change(from2024)
        return "done"
      })
      yield* job("Delete what came in 2024", deleted, "done")
      assert.deepStrictEqual((yield* cells("sku")).flat(), ["A-17", "A-20", "A-21", "A-22"])
      const back = Effect.gen(function* () {
        const { state } = yield* apply(yield* call("plan_rollback", { plan_id: String(deletion["plan_id"]) }))
        return state
      })
      yield* job("No, take that back", back, "applied")
      assert.sameMembers((yield* cells("sku")).flat(), ["A-17", "A-18", "A-19", "A-20", "A-21", "A-22"])
      yield* job(
        "Empty the copy",
        done({ action: "delete", table: copy, filter: { filters: [where("id", "gt", 0)] } }),
        "done"
      )
      yield* job("Call the copy old", done({ action: "rename_table", table: copy, name: `${table} old` }), "done")
      yield* job("Delete it", done({ action: "delete_table", table: `${table} old` }), "done")
      assert.isAtLeast(jobs.length, 20)
    })
  )
}
