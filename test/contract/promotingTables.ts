import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { objectOf, objectsOf } from "../../src/internal/schema/JsonObject.ts"
import { appliedDespiteLosses, Beside } from "../engine/plans/support.ts"
import { ask, type Json } from "../support/harness.ts"
import type { Pair } from "./promoting.ts"
import { scene } from "./twoEngines.ts"

export const columns = [
  { name: "city", type: "string" },
  { name: "amount", type: "number" },
  { name: "paid", type: "boolean" },
  { name: "due", type: "date" }
]
export const rows = Array.from({ length: 45 }, (_, amount) => ({
  city: `city ${amount}`,
  amount,
  paid: amount % 2 === 0,
  due: amount % 3 === 0 ? null : "2026-11-26T09:00:00.000Z"
}))

/** Data tables in promotions between engines, or users of one, that have some. */
export const promotingTablesSuite = (title: string, { layerOf }: Pick<Pair, "layerOf">) => {
  describe(`A promotion of data tables ${title}`, () => {
    it.live("makes the table that the target lacks, with its rows, once, and takes it back", () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const { make, shown } = yield* scene
        const name = `Orders ${crypto.randomUUID().slice(0, 8)}`
        const source = yield* send("staging", "POST", "/data-tables", { name, columns })
        const table = String(source["id"])
        yield* send("staging", "POST", `/data-tables/${table}/rows`, { data: rows })
        const dataTableId = { __rl: true, mode: "list", value: table, cachedResultName: name }
        const reading = {
          name: "Read",
          type: "n8n-nodes-base.dataTable",
          typeVersion: 1,
          position: [0, 0],
          parameters: { operation: "get", dataTableId }
        }
        const id = yield* make("staging", "Sales", { nodes: [reading], connections: {} })
        const plan = (more: Json = {}) =>
          ask("plan_promotion", { from: "staging", to: "production", ids: [id], ...more })
        // Where both are users of one engine, the source shows the table of the other one, too.
        const others = Effect.map(send("production", "GET", "/data-tables?limit=250"), ({ data }) =>
          objectsOf(data).filter((one) => one["name"] === name && one["id"] !== table)
        )
        const planned = yield* plan({ include: ["rows"] })
        assert.deepInclude(planned, { blocked: [], steps: 4 })
        yield* appliedDespiteLosses(planned)
        const [made, ...more] = yield* others
        assert.lengthOf(more, 0)
        const { data } = yield* send("production", "GET", `/data-tables/${String(made?.["id"])}/rows?limit=100`)
        assert.deepStrictEqual(
          objectsOf(data).map(({ amount, city, due, paid }) => ({ city, amount, paid, due })),
          rows
        )
        const { nodes } = yield* shown("Sales")
        assert.deepStrictEqual(objectOf(objectsOf(nodes)[0]?.["parameters"])["dataTableId"], {
          ...dataTableId,
          value: made?.["id"]
        })
        assert.deepInclude(yield* plan(), { steps: 0, blocked: [] })
        yield* appliedDespiteLosses(yield* ask("plan_rollback", { plan_id: planned["plan_id"] }))
        assert.lengthOf(yield* others, 0)
        yield* send("staging", "DELETE", `/data-tables/${table}`)
      }).pipe(Effect.provide(layerOf({})))
    )
  })
}
