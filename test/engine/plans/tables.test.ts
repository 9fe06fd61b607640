import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpClientResponse, UrlParams } from "effect/http"

import { ask, callTool, type Json, refused } from "../../support/harness.ts"
import { appliedDespiteLosses, Beside, twoEmbedded } from "./support.ts"

const engines = twoEmbedded(["1.82.3", "2.41.1"])

const on = { instance: "production" }
const plan = (args: Json) => ask("change_data_table", { ...on, ...args })
const planIdOf = (planned: Json) => ({ plan_id: String(planned["plan_id"]) })
const apply = (planned: Json) => ask("apply_plan", { ...planIdOf(planned), confirm: true })
const rollbackOf = (planned: Json) => ask("plan_rollback", planIdOf(planned))

const columns = [
  { name: "city", type: "string" },
  { name: "amount", type: "number" }
]

/** A new table of so many rows, past all of our code. */
const madeTable = Effect.fnUntraced(function* (count: number) {
  const { send } = yield* Beside
  const { id } = yield* send("production", "POST", "/data-tables", { name: "Orders", columns })
  const data = Array.from({ length: count }, (_, amount) => ({ city: `city ${amount}`, amount }))
  if (count > 0) yield* send("production", "POST", `/data-tables/${String(id)}/rows`, { data })
  return String(id)
})

/** The amounts of all rows of the table, past all of our code; nothing where there is no table. */
const amountsOn = Effect.fnUntraced(function* (instance: string) {
  const { send } = yield* Beside
  const { data } = yield* send(instance, "GET", "/data-tables")
  const [table] = Array.isArray(data) ? data.map((one) => Object(one)) : []
  if (table === undefined) return undefined
  const rows = yield* send(instance, "GET", `/data-tables/${table.id}/rows?limit=0`)
  return Array.isArray(rows["data"]) ? rows["data"].map((row) => Object(row).amount) : []
})
const amounts = amountsOn("production")

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, place) => from + place)

/** Applies a plan until it makes such a request, which does not arrive, the server with it. */
const brokenOffBefore = Effect.fnUntraced(function* (
  planned: Json,
  method: string,
  isMeant: (request: { readonly url: string }) => boolean = () => true
) {
  const { meddle } = yield* Beside
  const sent = yield* Deferred.make<void>()
  yield* meddle((request, proceed) =>
    request.method === method && isMeant(request)
      ? Effect.andThen(Deferred.succeed(sent, undefined), Effect.never)
      : proceed
  )
  const running = yield* Effect.forkChild(apply(planned))
  yield* Deferred.await(sent)
  yield* Fiber.interrupt(running)
  yield* meddle(undefined)
})

describe("a plan of changes of a data table", () => {
  it.live("does everything once, though each write loses its answer, and so does its rollback", () =>
    Effect.gen(function* () {
      yield* madeTable(3)
      const table = "Orders"
      const rows = upTo(250, 3).map((amount) => ({ city: "new", amount }))
      const inserted = yield* plan({ action: "insert", table, rows })
      assert.deepInclude(inserted, { steps: 7 })
      assert.strictEqual(yield* appliedDespiteLosses(inserted), 7)
      assert.deepStrictEqual(yield* amounts, upTo(253))
      yield* appliedDespiteLosses(yield* rollbackOf(inserted))
      assert.deepStrictEqual(yield* amounts, upTo(3))

      const everything = { filters: [{ columnName: "id", condition: "gt", value: 0 }] }
      const updated = yield* plan({ action: "update", table, filter: everything, values: { amount: 7 } })
      yield* appliedDespiteLosses(updated)
      assert.deepStrictEqual(yield* amounts, [7, 7, 7])
      yield* appliedDespiteLosses(yield* rollbackOf(updated))
      assert.deepStrictEqual(yield* amounts, upTo(3))

      yield* apply(yield* plan({ action: "insert", table, rows }))
      const dropped = yield* plan({ action: "delete_table", table })
      assert.strictEqual(yield* appliedDespiteLosses(dropped), 8)
      assert.isUndefined(yield* amounts)
      yield* appliedDespiteLosses(yield* rollbackOf(dropped))
      assert.deepStrictEqual(yield* amounts, upTo(253))

      const emptied = yield* plan({ action: "delete_column", table, column: "amount" })
      yield* appliedDespiteLosses(emptied)
      assert.deepStrictEqual(
        yield* amounts,
        upTo(253).map(() => undefined)
      )
      yield* appliedDespiteLosses(yield* rollbackOf(emptied))
      assert.deepStrictEqual(yield* amounts, upTo(253))
    }).pipe(Effect.provide(engines))
  )

  it.live(
    "makes a table with its rows, fills a new column and copies a table, though each write loses its answer",
    () =>
      Effect.gen(function* () {
        const table = "Orders"
        const rows = upTo(50).map((amount) => ({ city: `city ${amount}`, amount }))
        const made = yield* plan({ action: "create_table", table, columns: { city: "string", amount: "number" }, rows })
        assert.strictEqual(yield* appliedDespiteLosses(made), 3)
        assert.deepStrictEqual(yield* amounts, upTo(50))

        const due = { columns: { due: "date" }, values: { due: "2026-12-31" } }
        const filled = yield* plan({ action: "add_columns", table, ...due })
        assert.strictEqual(yield* appliedDespiteLosses(filled), 2)
        const times = { filter: { filters: [{ columnName: "due", condition: "eq", value: "2026-12-31" }] } }
        const counted = yield* ask("read_data_table", { ...on, action: "count", table, ...times })
        assert.deepStrictEqual(counted, { rows: 50 })
        yield* appliedDespiteLosses(yield* rollbackOf(filled))
        const { columns: left } = yield* ask("read_data_table", { ...on, action: "describe", table })
        assert.deepStrictEqual(left, { city: "string", amount: "number" })

        const copied = yield* plan({ action: "copy_table", table, to: "staging" })
        assert.strictEqual(yield* appliedDespiteLosses(copied), 3)
        assert.deepStrictEqual(yield* amountsOn("staging"), upTo(50))
        yield* appliedDespiteLosses(yield* rollbackOf(copied))
        assert.isUndefined(yield* amountsOn("staging"))
        yield* appliedDespiteLosses(yield* rollbackOf(made))
        assert.isUndefined(yield* amounts)
      }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"])))
  )

  it.live("copies no table to an engine that has none, nor to one that nobody knows", () =>
    Effect.gen(function* () {
      const table = yield* madeTable(1)
      const copied = yield* plan({ action: "copy_table", table, to: "staging" })
      assert.include(JSON.stringify(copied["blocked"]), "the engine of staging has no data tables")
      const { message } = yield* refused("change_data_table", { ...on, action: "copy_table", table, to: "moon" })
      assert.include(message, "Instance moon not found")
    }).pipe(Effect.provide(engines))
  )

  it.live("refuses a filter and a column that would do nothing", () =>
    Effect.gen(function* () {
      const table = yield* madeTable(1)
      const filter = { filters: [{ columnName: "amount", condition: "eq", value: 0 }] }
      const added = { action: "add_columns", table, columns: { due: "date" }, filter }
      assert.include((yield* refused("change_data_table", { ...on, ...added })).message, "filter: goes with values")
      const updated = { action: "update", table, filter, values: { amount: 1 }, column: "city" }
      assert.include((yield* refused("change_data_table", { ...on, ...updated })).message, "column: goes with rows")
    }).pipe(Effect.provide(engines))
  )

  it.live("leaves a row alone that got the id of a deleted one", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const id = yield* madeTable(2)
      const last = { filters: [{ columnName: "id", condition: "eq", value: 2 }] }
      const deleted = yield* plan({ action: "delete", table: id, filter: last })
      const updated = yield* plan({ action: "update", table: id, filter: last, values: { amount: 9 } })
      yield* apply(yield* plan({ action: "delete", table: id, filter: last }))
      yield* send("production", "POST", `/data-tables/${id}/rows`, { data: [{ city: "city 1", amount: 1 }] })
      yield* apply(deleted)
      assert.deepStrictEqual(yield* amounts, [0, 1])
      assert.include(JSON.stringify(yield* apply(updated)), "someone else has changed it since")
      assert.deepStrictEqual(yield* amounts, [0, 1])
    }).pipe(Effect.provide(engines))
  )

  it.live("takes rows and a table for deleted only where the engine says that they are not there", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const table = yield* madeTable(2)
      const everything = { filters: [{ columnName: "id", condition: "gt", value: 0 }] }
      const deleted = yield* plan({ action: "delete", table, filter: everything })
      const answers = [
        Response.json({ message: "Internal server error" }, { status: 500 }),
        Response.json({ message: "Forbidden" }, { status: 403 }),
        Response.json({ message: "Not Found" }, { status: 404 })
      ]
      for (const answer of answers) {
        yield* meddle((request, proceed) =>
          request.url.endsWith(`/data-tables/${table}`)
            ? Effect.succeed(HttpClientResponse.fromWeb(request, answer.clone()))
            : proceed
        )
        const report = JSON.stringify(yield* callTool("apply_plan", { ...planIdOf(deleted), confirm: true }))
        yield* meddle(undefined)
        // That it does not find the table is what something in front of the engine says: the list shows it.
        const isDone = answer.status === 404
        assert.strictEqual(report.includes("Applied and read back"), isDone, report)
        assert.deepStrictEqual(yield* amounts, isDone ? [] : [0, 1])
      }
      const dropped = yield* plan({ action: "delete_table", table })
      const { send } = yield* Beside
      yield* send("production", "POST", `/data-tables/${table}/rows`, { data: [{ amount: 5 }] })
      yield* meddle((request, proceed) =>
        request.url.endsWith("/rows")
          ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ data: [] })))
          : proceed
      )
      yield* refused("apply_plan", { ...planIdOf(dropped), confirm: true })
      yield* meddle(undefined)
      assert.deepStrictEqual(yield* amounts, [5])
    }).pipe(Effect.provide(engines))
  )

  it.live("reads as much for the last rows that it inserts as for the first ones", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const rows = upTo(1000).map((amount) => ({ amount }))
      const made = yield* plan({ action: "create_table", table: "Orders", columns: { amount: "number" }, rows })
      let reads = 0
      yield* meddle((request, proceed) => {
        if (request.method === "GET" && request.url.endsWith("/rows")) reads += 1
        return proceed
      })
      assert.deepInclude(yield* apply(made), { state: "applied" })
      yield* meddle(undefined)
      assert.deepStrictEqual(
        yield* amounts,
        rows.map(({ amount }) => amount)
      )
      assert.isAtMost(reads, 2 * (rows.length / 40) + 2)
    }).pipe(Effect.provide(engines))
  )

  it.live("gives nothing back that was never taken, in a rollback after a write that did not arrive", () =>
    Effect.gen(function* () {
      const table = yield* madeTable(3)
      const everything = { filters: [{ columnName: "id", condition: "gt", value: 0 }] }
      const deleted = yield* plan({ action: "delete", table, filter: everything })
      yield* brokenOffBefore(deleted, "DELETE")
      yield* apply(yield* rollbackOf(deleted))
      assert.deepStrictEqual(yield* amounts, [0, 1, 2])
    }).pipe(Effect.provide(engines))
  )

  it.live("gives rows back to their table, where that was to be deleted with them and was not", () =>
    Effect.gen(function* () {
      const { meddle, send } = yield* Beside
      const table = yield* madeTable(3)
      const dropped = yield* plan({ action: "delete_table", table })
      yield* meddle((request, proceed) =>
        request.method === "DELETE"
          ? proceed.pipe(
              Effect.tap(() =>
                send("production", "POST", `/data-tables/${table}/rows`, { data: [{ city: "else", amount: 9 }] })
              )
            )
          : proceed
      )
      assert.deepInclude(yield* apply(dropped), { state: "partly applied" })
      yield* meddle(undefined)
      assert.deepStrictEqual(yield* amounts, [9])
      assert.deepInclude(yield* apply(yield* rollbackOf(dropped)), { state: "applied" })
      assert.deepStrictEqual(yield* amounts, [9, 0, 1, 2])
    }).pipe(Effect.provide(engines))
  )

  it.live("gives rows back to their table, where its deletion did not arrive", () =>
    Effect.gen(function* () {
      const table = yield* madeTable(3)
      const dropped = yield* plan({ action: "delete_table", table })
      yield* brokenOffBefore(dropped, "DELETE", ({ url }) => url.endsWith(table))
      assert.deepStrictEqual(yield* amounts, [])
      assert.deepInclude(yield* apply(yield* rollbackOf(dropped)), { state: "applied" })
      assert.deepStrictEqual(yield* amounts, [0, 1, 2])
    }).pipe(Effect.provide(engines))
  )

  it.live("takes no like rows for those of a step that did not arrive", () =>
    Effect.gen(function* () {
      const table = yield* madeTable(0)
      const rows = upTo(60).map(() => ({ amount: 7 }))
      const inserted = yield* plan({ action: "insert", table, rows })
      let posts = 0
      yield* brokenOffBefore(inserted, "POST", () => ++posts === 2)
      assert.lengthOf((yield* amounts) ?? [], 40)
      const { message } = yield* refused("apply_plan", { ...planIdOf(inserted), confirm: true, max_seconds: 1 })
      assert.include(message, "It is not known yet whether insert rows")
    }).pipe(Effect.provide(engines))
  )

  it.live("finds what it has inserted under the id of a row that was deleted since it was planned", () =>
    Effect.gen(function* () {
      const table = yield* madeTable(2)
      const inserted = yield* plan({ action: "insert", table, rows: [{ amount: 7 }] })
      const last = { filters: [{ columnName: "id", condition: "eq", value: 2 }] }
      yield* apply(yield* plan({ action: "delete", table, filter: last }))
      assert.strictEqual(yield* appliedDespiteLosses(inserted), 1)
      assert.deepStrictEqual(yield* amounts, [0, 7])
    }).pipe(Effect.provide(engines))
  )

  it.live("inserts no row by upsert that was inserted since, or is asked for by a mask", () =>
    Effect.gen(function* () {
      const table = yield* madeTable(1)
      const byKey = { action: "upsert", table, column: "city", rows: [{ city: "Oslo", amount: 5 }] }
      const byFilter = {
        action: "upsert",
        table,
        filter: { filters: [{ columnName: "city", condition: "eq", value: "Oslo" }] },
        values: { city: "Oslo", amount: 6 }
      }
      const [first, second, third] = [yield* plan(byKey), yield* plan(byKey), yield* plan(byFilter)]
      assert.deepInclude(yield* apply(first), { state: "applied" })
      assert.include(JSON.stringify(yield* apply(second)), "by now: plan again")
      assert.include(JSON.stringify(yield* apply(third)), "by now: plan again")
      assert.deepStrictEqual(yield* amounts, [0, 5])
      const masked = { filters: [{ columnName: "city", condition: "eq", value: "[masked]" }] }
      const { message } = yield* refused("change_data_table", { ...on, ...byFilter, filter: masked })
      assert.include(message, "[masked] stands for a secret that is not shown")
    }).pipe(Effect.provide(engines))
  )

  it.live("changes and inserts rows by keys of any alphabet through a server that takes 8 kB of an address", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const table = yield* madeTable(0)
      yield* meddle((request, proceed) =>
        `${request.url}?${UrlParams.toString(request.urlParams)}`.length > 8192
          ? Effect.succeed(HttpClientResponse.fromWeb(request, new Response("URI Too Long", { status: 414 })))
          : proceed
      )
      const upsert = (count: number, amount: number) =>
        plan({
          action: "upsert",
          table,
          column: "city",
          rows: upTo(count).map((place) => ({ city: `${"ж".repeat(300)}${place}`, amount }))
        })
      assert.deepInclude(yield* apply(yield* upsert(9, 1)), { state: "applied" })
      assert.deepInclude(yield* apply(yield* upsert(12, 2)), { state: "applied" })
      assert.deepStrictEqual(
        yield* amounts,
        upTo(12).map(() => 2)
      )
      const long = { action: "upsert", table, column: "city", rows: [{ city: "x".repeat(7000) }] }
      assert.include((yield* refused("change_data_table", { ...on, ...long })).message, "city: is too long")
    }).pipe(Effect.provide(engines))
  )

  it.live("puts back the rows that a step has changed before the others were refused", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const table = yield* madeTable(2)
      const rows = upTo(2).map((one) => ({ city: `city ${one}`, amount: 10 + one }))
      const updated = yield* plan({ action: "upsert", table, column: "city", rows })
      let patches = 0
      yield* meddle((request, proceed) =>
        request.method === "PATCH" && ++patches > 1
          ? Effect.succeed(
              HttpClientResponse.fromWeb(request, Response.json({ message: "Value not allowed" }, { status: 400 }))
            )
          : proceed
      )
      yield* refused("apply_plan", { ...planIdOf(updated), confirm: true })
      yield* meddle(undefined)
      assert.deepStrictEqual(yield* amounts, [10, 1])
      assert.deepInclude(yield* apply(yield* rollbackOf(updated)), { state: "applied" })
      assert.deepStrictEqual(yield* amounts, [0, 1])
    }).pipe(Effect.provide(engines))
  )

  it.live("tells in a rollback of what was changed in part, and then by somebody else", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const table = yield* madeTable(2)
      const rows = upTo(2).map((one) => ({ city: `city ${one}`, amount: 10 + one }))
      const updated = yield* plan({ action: "upsert", table, column: "city", rows })
      let patches = 0
      yield* brokenOffBefore(updated, "PATCH", () => ++patches === 2)
      yield* meddle(undefined)
      const other = { filters: [{ columnName: "city", condition: "eq", value: "city 1" }] }
      yield* apply(yield* plan({ action: "update", table, filter: other, values: { amount: 5 } }))
      assert.include(JSON.stringify(yield* apply(updated)), "someone else has changed it since")
      assert.deepStrictEqual(yield* amounts, [10, 5])
      const { message } = yield* refused("plan_rollback", planIdOf(updated))
      assert.include(message, "someone else has changed it since")
    }).pipe(Effect.provide(engines))
  )

  it.live("deletes no inserted row in a rollback that somebody else has filled further since", () =>
    Effect.gen(function* () {
      const table = yield* madeTable(0)
      const inserted = yield* plan({ action: "insert", table, rows: [{ city: "Oslo" }] })
      yield* apply(inserted)
      const all = { type: "and", filters: [{ columnName: "id", condition: "gt", value: 0 }] }
      yield* apply(yield* plan({ action: "update", table, filter: all, values: { amount: 3 } }))
      const { message } = yield* refused("plan_rollback", planIdOf(inserted))
      assert.include(message, "someone else has changed it since")
      assert.deepStrictEqual(yield* amounts, [3])
    }).pipe(Effect.provide(engines))
  )

  it.live("deletes no table that got another column or name since", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const table = yield* madeTable(0)
      const [dropped, renamed] = [
        yield* plan({ action: "delete_table", table }),
        yield* plan({ action: "rename_table", table, name: "Sales" })
      ]
      yield* apply(renamed)
      assert.include(JSON.stringify(yield* apply(dropped)), "someone else has changed it since")
      const again = yield* plan({ action: "delete_table", table })
      yield* send("production", "POST", `/data-tables/${table}/columns`, { name: "paid", type: "boolean" })
      assert.include(JSON.stringify(yield* apply(again)), "someone else has changed it since")
      assert.deepStrictEqual(yield* amounts, [])
    }).pipe(Effect.provide(engines))
  )

  it.live("gives rows back once, though a rollback that was refused in part is planned again", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const table = yield* madeTable(50)
      const everything = { filters: [{ columnName: "id", condition: "gt", value: 0 }] }
      const deleted = yield* plan({ action: "delete", table, filter: everything })
      yield* apply(deleted)
      const [first, second] = [yield* rollbackOf(deleted), yield* rollbackOf(deleted)]
      let posts = 0
      yield* meddle((request, proceed) =>
        request.method === "POST" && ++posts > 1
          ? Effect.succeed(
              HttpClientResponse.fromWeb(request, Response.json({ message: "Value not allowed" }, { status: 400 }))
            )
          : proceed
      )
      assert.deepInclude(yield* apply(first), { state: "partly applied" })
      yield* meddle(undefined)
      assert.lengthOf((yield* amounts) ?? [], 40)
      const third = yield* rollbackOf(deleted)
      yield* callTool("apply_plan", { ...planIdOf(second), confirm: true })
      yield* callTool("apply_plan", { ...planIdOf(third), confirm: true })
      assert.lengthOf((yield* amounts) ?? [], 50)
    }).pipe(Effect.provide(engines))
  )

  it.live("reads and changes some of 100,000 rows by few calls, and not more than it can keep", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const table = yield* madeTable(100_000)
      let requests = 0
      yield* meddle((_, proceed) => {
        requests++
        return proceed
      })
      const some = { filters: [{ columnName: "amount", condition: "gte", value: 99_990 }] }
      const { data, nextCursor } = yield* ask("read_data_table", {
        ...on,
        action: "rows",
        table,
        filter: some,
        limit: 4
      })
      assert.deepStrictEqual(
        Object(data).map((row: object) => Object(row).amount),
        upTo(4, 99_990)
      )
      assert.isString(nextCursor)
      const planned = yield* plan({ action: "update", table, filter: some, values: { city: "far" } })
      assert.deepInclude(yield* apply(planned), { state: "applied" })
      assert.isBelow(requests, 20)
      const { message } = yield* refused("change_data_table", { ...on, action: "delete_table", table })
      assert.include(message, "means more than 10000 rows")
      assert.isBelow(requests, 70)
      for (const [args, argument] of [
        [{ action: "delete_column", column: "city" }, "column"],
        [{ action: "copy_table", name: "Copy" }, "table"]
      ] as const) {
        const answer = yield* refused("change_data_table", { ...on, table, ...args })
        assert.include(answer.message, `Invalid ${argument}: means more than 10000 rows`)
      }
      requests = 0
      const rows = upTo(100, 50_000).map((amount) => ({ amount, city: "near" }))
      assert.deepInclude(yield* plan({ action: "update", table, column: "amount", rows }), { steps: 1 })
      assert.isBelow(requests, 15)
    }).pipe(Effect.provide(engines))
  )
})
