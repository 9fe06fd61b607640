import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Instances } from "workflow-tool-server"
import { EmbeddedEngine, layerInstance } from "workflow-tool-server/embedded"

import { ask, refused } from "../support/harness.ts"
import { WithOwnTool } from "./ownTool.ts"

const engines = Instances.layer.pipe(
  Layer.provide(layerInstance({ name: "sandbox" })),
  Layer.provide(EmbeddedEngine.layer({ seed: true }))
)

layer(Layer.provide(WithOwnTool, engines))("a tool of one's own among those of the engine", (it) => {
  it.effect("works on the instance that is asked for, beside the others", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask("count_active", { instance: "sandbox" }), { active: 25 })
      assert.property(yield* ask("list_workflows"), "data")
      const { message } = yield* refused("count_active", { instance: "moon" })
      assert.include(message, "Instance moon not found")
    })
  )
})
