import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"

import { ask, type Json, refused } from "../../support/harness.ts"
import { Beside, twoEmbedded } from "./support.ts"

const engines = twoEmbedded(["1.82.3", "2.41.1"])

const on = { instance: "production" }
const plan = (args: Json) => ask("change_data_table", { ...on, ...args })
const apply = (planned: Json) => ask("apply_plan", { plan_id: String(planned["plan_id"]), confirm: true })
const rollbackOf = (planned: Json) => ask("plan_rollback", { plan_id: String(planned["plan_id"]) })

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
const amounts = Effect.gen(function* () {
  const { send } = yield* Beside
  const { data } = yield* send("production", "GET", "/data-tables")
  const [table] = Array.isArray(data) ? data.map((one) => Object(one)) : []
  if (table === undefined) return undefined
  const rows = yield* send("production", "GET", `/data-tables/${table.id}/rows?limit=0`)
  return Array.isArray(rows["data"]) ? rows["data"].map((row) => Object(row).amount) : []
})

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, place) => from + place)

/** Applies a plan while every one of its writes loses its answer, the server with it; answers how many there were. */
const appliedDespiteLosses = Effect.fnUntraced(function* (planned: Json) {
  const { meddle } = yield* Beside
  for (let losses = 0; ; losses++) {
    const lost = yield* Deferred.make<"lost">()
    yield* meddle((request, proceed) =>
      request.method === "GET"
        ? proceed
        : proceed.pipe(Effect.andThen(Deferred.succeed(lost, "lost")), Effect.andThen(Effect.never))
    )
    const running = yield* Effect.forkChild(apply(planned))
    const end = yield* Effect.raceFirst(Deferred.await(lost), Fiber.join(running))
    yield* meddle(undefined)
    if (end !== "lost") {
      assert.deepInclude(end, { state: "applied" })
      return losses
    }
    yield* Fiber.interrupt(running)
  }
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
    }).pipe(Effect.provide(engines))
  )
})
