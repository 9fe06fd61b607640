import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { answer, chain, created, inEngineWords, manual } from "./fixtures.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

const Listed = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ version: Schema.String, from: Schema.String, by: Schema.String, change: Schema.String }))
)

/** Former versions where no history is kept: those of the engine's own, if it has any. */
export const engineHistory = (it: Suite) => {
  it.effect("workflow_history and restore_workflow work on the engine's own versions, or say what to configure", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const { id } = yield* created({ nodes: [manual(), answer("Answer", "a")], connections: chain("Start", "Answer") })
      const good = yield* shown(`/workflows/${id}`)
      const nodes = [inEngineWords({ ...manual(), id: "start" })]
      yield* sent("PUT", `/workflows/${id}`, { name: "Broken", nodes, connections: {}, settings: {} })
      if (!isV2) {
        for (const tool of ["workflow_history", "restore_workflow"]) {
          const { data, message } = yield* refused(tool, { id })
          assert.strictEqual(data?.code, "CONFIGURATION_ERROR")
          assert.include(message, "start with --history DIR")
        }
        return
      }
      const versions = Listed((yield* ask("workflow_history", { id })).data)
      assert.deepStrictEqual(
        versions.map(({ from }) => from),
        ["engine", "engine"]
      )
      assert.include(versions[0]?.change, "removed Answer")
      yield* ask("restore_workflow", { id })
      const restored = yield* shown(`/workflows/${id}`)
      assert.deepStrictEqual([restored.nodes, restored.connections], [good.nodes, good.connections])
      assert.strictEqual(restored.name, "Broken")
    })
  )
}
