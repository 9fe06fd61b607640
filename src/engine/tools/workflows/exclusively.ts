import { Effect } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { WorkflowChanged } from "../../client/EngineError.ts"
import type { WorkflowId } from "../../client/ids.ts"
import type { Workflow } from "../../client/Workflow.ts"

/** Runs a change of a workflow when all earlier ones of this process have ended there. */
export const exclusively =
  (id: WorkflowId) =>
  <A, E, R>(change: Effect.Effect<A, E, R>) =>
    EngineClient.use((engine) => engine.exclusively(id, change))

/** Reads the workflow that is to be changed; fails where it is not any more what the caller last saw. */
export const readUnchanged = Effect.fnUntraced(function* (id: WorkflowId, ifVersion: string | undefined) {
  const { getWorkflow, versions } = yield* EngineClient
  const workflow = yield* getWorkflow(id)
  if (ifVersion !== undefined) yield* stopIfChanged(versions.changesSince(ifVersion, workflow), workflow, "ifVersion")
  return workflow
})

/** Fails with the conflict, if something changed. */
export const stopIfChanged = (
  changed: ReadonlyArray<string>,
  { id }: Workflow,
  since: WorkflowChanged["since"]
): Effect.Effect<void, WorkflowChanged, EngineClient> =>
  changed.length === 0
    ? Effect.void
    : EngineClient.use(({ instance }) => Effect.fail(new WorkflowChanged({ instance, id, changed, since })))
