import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { objectOf, objectsOf, textOf } from "../../src/internal/schema/JsonObject.ts"
import { folder, git, historyIn } from "../engine/history/support.ts"
import { appliedDespiteLosses, Beside } from "../engine/plans/support.ts"
import { ask } from "../support/harness.ts"
import type { Pair } from "./promoting.ts"
import { columns, rows } from "./promotingTables.ts"

const instance = "production"

const reading = (table: string, name: string) => ({
  name: "Read",
  type: "n8n-nodes-base.dataTable",
  typeVersion: 1,
  position: [0, 0],
  parameters: { operation: "get", dataTableId: { __rl: true, mode: "list", value: table, cachedResultName: name } }
})

/** Tests of data tables in backups, on engines that may lack the licence for variables and folders. */
export const restoringTablesSuite = (
  title: string,
  { isLicensed, layerOf }: Pick<Pair, "layerOf"> & { readonly isLicensed: boolean }
) => {
  describe(`A backup of data tables ${title}`, () => {
    it.live(
      "brings deleted ones back with their rows, once, for the workflows that use them, and takes them away again",
      () =>
        Effect.gen(function* () {
          const directory = yield* folder
          yield* Effect.gen(function* () {
            const { send } = yield* Beside
            const name = `Orders ${crypto.randomUUID().slice(0, 8)}`
            const table = String((yield* send(instance, "POST", "/data-tables", { name, columns }))["id"])
            yield* send(instance, "POST", `/data-tables/${table}/rows`, { data: rows })
            const made = (name: string) =>
              ask("create_workflow", { instance, name, nodes: [reading(table, name)], connections: {} })
            const { id } = yield* made("Sales")
            const { id: deleted } = yield* made(`Deleted of ${name}`)
            const tables = Effect.map(send(instance, "GET", "/data-tables?limit=250"), ({ data }) =>
              objectsOf(data).filter((one) => one["name"] === name)
            )
            const namedBy = (workflow: unknown) =>
              Effect.map(ask("get_workflow", { instance, id: workflow }), ({ nodes }) =>
                objectOf(objectOf(objectsOf(nodes)[0]?.["parameters"])["dataTableId"])
              )
            const { data } = yield* ask("backup", { instances: [instance], rows: true })
            const [answer = {}] = objectsOf(data)
            assert.deepInclude(answer, isLicensed ? { variables: 0, folders: 0 } : {})
            assert.match(
              textOf(answer["notice"]),
              isLicensed
                ? /^$/
                : /^Not kept, as they are not to be read: variables \(.*The licence of this engine .*\); folders \(.*\)\.$/
            )
            const version = git(directory, "rev-parse", "HEAD").trim()
            yield* send(instance, "DELETE", `/data-tables/${table}`)
            yield* ask("delete_workflow", { instance, id: deleted })

            const plan = yield* ask("plan_restore", { instance, version })
            assert.deepInclude(plan, { steps: 5, blocked: [] })
            yield* appliedDespiteLosses(plan)
            const [anew, ...others] = yield* tables
            assert.lengthOf(others, 0)
            assert.deepStrictEqual(
              objectsOf(anew?.["columns"])
                .toSorted((one, other) => Number(one["index"]) - Number(other["index"]))
                .map(({ name, type }) => ({ name, type })),
              columns
            )
            const { data: back } = yield* send(instance, "GET", `/data-tables/${String(anew?.["id"])}/rows?limit=100`)
            assert.deepStrictEqual(
              objectsOf(back).map(({ amount, city, due, paid }) => ({ city, amount, paid, due })),
              rows
            )
            const { workflows } = yield* ask("list_workflows", { instance, name: `Deleted of ${name}` }).pipe(
              Effect.map(({ data }) => ({ workflows: objectsOf(data) }))
            )
            assert.lengthOf(workflows, 1)
            for (const workflow of [id, workflows[0]?.["id"]]) {
              assert.deepInclude(yield* namedBy(workflow), { value: anew?.["id"] })
            }
            assert.deepInclude(yield* ask("plan_restore", { instance, version }), { blocked: [] })
            yield* appliedDespiteLosses(yield* ask("plan_rollback", { plan_id: plan["plan_id"] }))
            assert.lengthOf(yield* tables, 0)
            assert.deepInclude(yield* namedBy(id), { value: table })
            yield* ask("delete_workflow", { instance, id })
          }).pipe(Effect.provide(layerOf({}).pipe(Layer.provide(historyIn(directory)))))
        })
    )
  })
}
