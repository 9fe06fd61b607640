import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../../support/harness.ts"
import { engineWith, serverOf, workflowOf } from "../../support/manyWorkflows.ts"

const large = () => serverOf(engineWith(0))

describe("some nodes of a workflow of 1,000", () => {
  it.effect("come with the connections that begin or end at them, and with what is left out counted", () =>
    Effect.gen(function* () {
      const part = yield* ask("get_workflow", { id: "large", nodes: ["Node 7", "Node 900"] })
      assert.isBelow(JSON.stringify(part).length, 4000)
      assert.deepStrictEqual(Object.keys(Object(part["connections"])), ["Node 6", "Node 7", "Node 899", "Node 900"])
      assert.deepStrictEqual(part["leftOut"], { nodes: 998, connections: 995 })
      assert.match(String(part["notice"]), /The same holds for `connections`/)
    }).pipe(Effect.provide(large()))
  )

  it.effect("are refused where they are given back as the whole, and so are their connections", () =>
    Effect.gen(function* () {
      const { connections, nodes, version } = yield* ask("get_workflow", { id: "large", nodes: ["Node 7"] })
      const { message } = yield* refused("update_workflow", { id: "large", nodes, connections })
      assert.match(message, /references non-existent node Node/)
      const { message: ofConnections } = yield* refused("update_workflow", {
        id: "large",
        connections,
        ifVersion: version
      })
      assert.match(ofConnections, /would remove connections that were never shown/)
    }).pipe(Effect.provide(large()))
  )

  it.effect("come with all connections where these are few", () =>
    Effect.gen(function* () {
      const part = yield* ask("get_workflow", { id: "w1", nodes: ["Node 7"] })
      assert.deepStrictEqual(part["connections"], workflowOf(1).connections)
      assert.deepStrictEqual(part["leftOut"], { nodes: 11 })
    }).pipe(Effect.provide(large()))
  )
})
