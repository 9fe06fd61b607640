import { readFileSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { objectOf, objectsOf } from "../../../src/internal/schema/JsonObject.ts"
import { ask, type Json } from "../../support/harness.ts"
import { folder, git, historyIn } from "../history/support.ts"
import { appliedDespiteLosses, Beside, twoEmbedded } from "./support.ts"

const instance = "staging"

const columns = [
  { name: "city", type: "string" },
  { name: "amount", type: "number" },
  { name: "paid", type: "boolean" },
  { name: "due", type: "date" }
]
const rows = Array.from({ length: 45 }, (_, amount) => ({
  city: `city ${amount}`,
  amount,
  paid: amount % 2 === 0,
  due: amount % 3 === 0 ? null : "2026-11-26T09:00:00.000Z"
}))

const reading = (table: string) => ({
  name: "Read",
  type: "n8n-nodes-base.dataTable",
  typeVersion: 1,
  position: [0, 0],
  parameters: {
    operation: "get",
    dataTableId: { __rl: true, mode: "list", value: table, cachedResultName: "Orders" }
  }
})

const world = Effect.gen(function* () {
  const { send } = yield* Beside
  const table = String((yield* send(instance, "POST", "/data-tables", { name: "Orders", columns }))["id"])
  yield* send(instance, "POST", `/data-tables/${table}/rows`, { data: rows })
  const { id } = yield* ask("create_workflow", {
    instance,
    name: "Sales",
    nodes: [reading(table)],
    connections: {}
  })
  return {
    table,
    tables: Effect.map(send(instance, "GET", "/data-tables?limit=250"), ({ data }) => objectsOf(data)),
    rowsOf: (of: unknown) =>
      Effect.map(send(instance, "GET", `/data-tables/${String(of)}/rows?limit=100`), ({ data }) =>
        objectsOf(data).map(({ amount, city, due, paid }) => ({ city, amount, paid, due }))
      ),
    tableInNode: Effect.map(
      ask("get_workflow", { instance, id }),
      ({ nodes }) => objectOf(objectOf(objectsOf(nodes)[0]?.["parameters"])["dataTableId"])["value"]
    )
  }
})

const backedUp = Effect.fnUntraced(function* (directory: string, more: Json = {}) {
  const { data } = yield* ask("backup", { instances: [instance], ...more })
  return { version: git(directory, "rev-parse", "HEAD").trim(), answer: objectOf(objectsOf(data)[0]) }
})

const inHistory = <A, E>(
  work: (directory: string) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof twoEmbedded>>>
) =>
  Effect.gen(function* () {
    const directory = yield* folder
    yield* Effect.provide(work(directory), twoEmbedded(["2.41.1", "2.41.1"]).pipe(Layer.provide(historyIn(directory))))
  })

describe("data tables in a backup", () => {
  it.live("lie in a file with a line for each, of which a changed column is one line of a diff", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const { table } = yield* world
        const { send } = yield* Beside
        const { answer } = yield* backedUp(directory)
        assert.deepInclude(answer, { workflows: 1, tables: 1, variables: 0, folders: 0 })
        assert.notProperty(answer, "notice")
        const file = path.join(directory, instance, "data-tables.jsonl")
        const lines = () =>
          readFileSync(file, "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => objectOf(JSON.parse(line)))
        assert.deepInclude(lines()[0], { id: table, name: "Orders", columns })
        const before = git(directory, "rev-parse", "HEAD^{tree}")
        yield* backedUp(directory)
        assert.strictEqual(git(directory, "rev-parse", "HEAD^{tree}"), before)
        yield* send(instance, "POST", `/data-tables/${table}/columns`, { name: "note", type: "string" })
        yield* send(instance, "POST", "/data-tables", { name: "Archive", columns: [{ name: "a", type: "string" }] })
        yield* backedUp(directory)
        assert.deepStrictEqual(
          lines().map(({ name }) => name),
          ["Archive", "Orders"]
        )
        const changed = git(directory, "diff", "--numstat", before.trim(), "HEAD")
        assert.strictEqual(changed.trim(), `2\t1\t${instance}/data-tables.jsonl`)
        const log = git(directory, "log", "-1", "--skip=1", "--format=%an %B")
        assert.match(log, /^unknown Changed since the last backup: data tables on staging/)
        assert.include(log, "+ Archive, changed Orders")
      })
    )
  )

  it.live("come back by a plan with their rows where these were kept, once, and go again by its rollback", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const { rowsOf, table, tableInNode, tables } = yield* world
        const { send } = yield* Beside
        const { answer, version } = yield* backedUp(directory, { rows: true })
        assert.deepInclude(answer, { tables: 1, rows: 45 })
        yield* send(instance, "DELETE", `/data-tables/${table}`)
        const plan = yield* ask("plan_restore", { instance, version })
        assert.deepInclude(plan, { steps: 4, blocked: [] })
        assert.deepStrictEqual(yield* tables, [])
        yield* appliedDespiteLosses(plan)
        const [made, ...others] = yield* tables
        assert.lengthOf(others, 0)
        assert.notStrictEqual(made?.["id"], table)
        assert.deepStrictEqual(
          objectsOf(made?.["columns"])
            .toSorted((one, other) => Number(one["index"]) - Number(other["index"]))
            .map(({ name, type }) => ({ name, type })),
          columns
        )
        assert.deepStrictEqual(yield* rowsOf(made?.["id"]), rows)
        assert.strictEqual(yield* tableInNode, made?.["id"])
        yield* appliedDespiteLosses(yield* ask("plan_rollback", { plan_id: plan["plan_id"] }))
        assert.deepStrictEqual(yield* tables, [])
        assert.strictEqual(yield* tableInNode, table)
      })
    )
  )
})
