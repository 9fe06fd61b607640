import { Effect, Predicate, Schedule } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import type { WorkflowId, Workflow } from "../../workflow/models.ts"
import { hasValidTrigger } from "../../workflow/triggers.ts"
import { namingCollisions } from "./guards.ts"

/**
 * Activates a workflow. Engines of generation 2 say yes before they start its triggers, and never say that one could
 * not be started: there it is waited, for some seconds, until they count what listens.
 */
export const switchOn = Effect.fnUntraced(function* (id: WorkflowId) {
  const engine = yield* EngineClient
  const workflow = yield* engine.activateWorkflow(id).pipe(namingCollisions(id))
  if (!isSilent(workflow)) return workflow
  return yield* Effect.repeat(engine.getWorkflow(id), {
    while: isSilent,
    schedule: Schedule.spaced("100 millis"),
    times: 30
  }).pipe(Effect.orElseSucceed(() => workflow))
})

/**
 * Whether an engine counts no trigger of an active workflow that listens; older ones start them before they answer. One
 * that only others call has none to count.
 */
const isSilent = ({ active, activeVersionId, nodes, triggerCount }: Workflow) =>
  active && Predicate.isString(activeVersionId) && triggerCount === 0 && hasValidTrigger(nodes)

/** A notice about triggers that the engine has not started, if that shows. */
export const notStarted = (workflow: Workflow): ReadonlyArray<string> =>
  isSilent(workflow)
    ? [
        "The workflow is active, but the engine shows no running trigger (triggerCount is 0). A trigger may be one that it " +
          "cannot start, such as a schedule with a wrong cron expression: read the workflow again in a moment, or open it " +
          "in the engine UI."
      ]
    : []
