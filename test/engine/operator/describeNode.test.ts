import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { ask, operatorToolsets } from "../../support/harness.ts"
import { engineThat, json, serving } from "../tools/standIn.ts"

const parameters = { rule: { interval: [{ field: "hours" }] } }
const nodes = [
  { name: "Every hour", type: "n8n-nodes-base.scheduleTrigger", typeVersion: 1.2, position: [0, 0], parameters },
  { name: "Own", type: "n8n-nodes-shop.order", typeVersion: 1, position: [0, 0], parameters: { id: 1 } }
]

describe("describe_node, where an engine does not tell its types", () => {
  it.effect("finds how a node is used here under its short name", () =>
    Effect.gen(function* () {
      const trigger = yield* ask("describe_node", { type: "scheduleTrigger" })
      assert.deepInclude(trigger, { type: "n8n-nodes-base.scheduleTrigger", used: 1, versions: [1.2] })
      const answer = yield* ask("describe_node", { type: "order" })
      assert.deepInclude(answer, { type: "n8n-nodes-shop.order", used: 1, parametersUsedHere: ["id"] })
    }).pipe(
      Effect.provide(
        serving(
          engineThat(({ path }) =>
            path.includes("/workflows")
              ? json({ data: [{ id: "w1", name: "Orders", active: false, nodes, connections: {} }], nextCursor: null })
              : json({ message: "not found" }, 404)
          ).client,
          {},
          operatorToolsets
        )
      )
    )
  )
})
