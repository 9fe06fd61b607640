import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../../support/harness.ts"
import { Beside, twoEmbedded } from "../plans/support.ts"

layer(twoEmbedded(["1.82.3", "2.41.1"]))("compare_workflows between two instances", (it) => {
  it.effect("finds the other workflow by its name, and says where none has it", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const empty = { nodes: [], connections: {}, settings: {} }
      const { id } = yield* send("staging", "POST", "/workflows", { name: "Orders", ...empty })
      const between = { a: id, instances: ["staging", "production"] }
      const { message } = yield* refused("compare_workflows", between)
      assert.strictEqual(
        message,
        `Invalid b: is missing: instance production has neither a workflow of id ${String(id)} nor one called "Orders"`
      )
      const other = yield* send("production", "POST", "/workflows", { name: "Orders", ...empty })
      assert.nestedPropertyVal(yield* ask("compare_workflows", between), "b.id", other["id"])
    })
  )
})
