import { Effect, Layer } from "effect"
import { LanguageModel } from "effect/ai"
import { EngineToolset, Instances } from "workflow-tool-server"
import * as Ai from "workflow-tool-server/ai"
import { EmbeddedEngine, layerInstance } from "workflow-tool-server/embedded"

/** These tools for any model of `effect/ai`, without MCP in between. Destructive tools ask for approval first. */
export const assistant = (prompt: string) =>
  Effect.gen(function* () {
    const toolkit = yield* Ai.toolkit(EngineToolset)
    return yield* LanguageModel.generateText({ prompt, toolkit })
  }).pipe(Effect.provide(engine))

const engine = Instances.layer.pipe(
  Layer.provide(layerInstance({ name: "sandbox" })),
  Layer.provide(EmbeddedEngine.layer({ seed: true }))
)
