import { Effect } from "effect"

import { EngineClient } from "../../engine/EngineClient.ts"
import { type ApiError, WorkflowChanged } from "../../engine/EngineError.ts"
import type { Changes } from "../../engine/rules/body.ts"
import { isSameContent, isUntouched } from "../../engine/rules/same.ts"
import type { Workflow } from "../../engine/Workflow.ts"
import { namingCollisions } from "./namingCollisions.ts"
import { stepFailed } from "./steps.ts"

/**
 * Puts the changes over the workflow, unless somebody else changed it since `current` was read; that it was
 * deactivated since is then our own doing. Answers what the engine did not take.
 */
export const write = Effect.fnUntraced(function* (current: Workflow, wanted: Changes, deactivated: boolean) {
  const { id } = current
  const engine = yield* EngineClient
  const latest = yield* engine.getWorkflow(id)
  const isOurs = deactivated ? isSameContent(current, latest) : isUntouched(current, latest)
  if (!isOurs) return yield* new WorkflowChanged({ instance: engine.instance, id })

  const { dropped } = yield* engine.updateWorkflow(latest, wanted).pipe(
    namingCollisions(id, wanted.nodes),
    Effect.catchTag("ApiError", (error) => stateTruth(latest, error))
  )
  return dropped
})

/** Engines save a change of an active workflow before they refuse to run it. */
const stateTruth = Effect.fnUntraced(function* (before: Workflow, error: ApiError) {
  if (!before.active) return yield* error
  const { id } = before
  const engine = yield* EngineClient
  const after = yield* engine.getWorkflow(id)
  if (isSameContent(before, after)) return yield* error
  const story = { id, done: "saved with the changes", step: "running it in its new form" }
  return yield* stepFailed(error, { ...story, instance: engine.instance })
})
