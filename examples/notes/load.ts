import { Effect, Layer } from "effect"
import { Toolset } from "workflow-tool-server/mcp"

import { NotesPlans, notesPlans } from "./plans.ts"
import { Embedded } from "./server.ts"
import { NotesToolset } from "./toolset.ts"

/** The toolset with what it works on, as the command of this project loads its own: see CONTRIBUTING. */
export const load = () =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.provideMerge(NotesPlans.layer, Embedded))
    const source = yield* Effect.provideContext(notesPlans, context)
    return {
      toolset: Toolset.provide(NotesToolset, context),
      plans: { isWritable: source.isWritable, source: Effect.succeed(source) }
    }
  })
