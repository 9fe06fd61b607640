import { Effect, Schedule } from "effect"

import { mayResend } from "../../../internal/http/resend.ts"
import { changes } from "../../../mcp/annotations.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import type { WorkflowId } from "../../workflow/models.ts"
import * as EngineTool from "../EngineTool.ts"
import { ifVersion, workflowId } from "../parameters.ts"
import * as results from "../results.ts"
import { exclusively, readUnchanged, whileDone } from "./guards.ts"
import { stateOf } from "./showWorkflow.ts"

export const deleteWorkflow = EngineTool.make("delete_workflow", {
  title: "Delete workflow",
  description: "Delete a workflow and its executions for good, active or not",
  annotations: changes,
  arguments: { id: workflowId, ifVersion },
  result: results.deleted,
  run: Effect.fnUntraced(function* ({ id, ifVersion }) {
    const unchanged = ifVersion === undefined ? Effect.void : readUnchanged(id, ifVersion)
    const deleted = yield* unchanged.pipe(Effect.andThen(eraseWorkflow(id)), exclusively(id))
    return { message: `Workflow ${id} was deleted`, id, deleted: stateOf(deleted) }
  })
})

/** Deletes a workflow, active or not. */
export const eraseWorkflow = (id: WorkflowId) =>
  Effect.catchIf(deletion(id), isPublished, () => deactivateAndDelete(id))

/** Pauses before a deletion is sent again: the engine has said that it is not done. */
const later = Schedule.exponential("300 millis", 3)

/**
 * An engine that has just stopped running a workflow may trip over its own housekeeping, and delete nothing: only where
 * a read shows that the workflow is still there, it is asked again, twice at most.
 */
const deletion = (id: WorkflowId) =>
  EngineClient.use((engine) => engine.deleteWorkflow(id)).pipe(
    Effect.retry({
      while: (error) =>
        isFault(error) && mayResend("still there", "write") ? isStillThere(id) : Effect.succeed(false),
      schedule: later,
      times: 2
    })
  )

/** Newer engines delete no active workflow, and a deactivated one only once it is no longer being unpublished. */
const deactivateAndDelete = Effect.fnUntraced(function* (id: WorkflowId) {
  const engine = yield* EngineClient
  yield* engine.deactivateWorkflow(id)
  const retried = Effect.retry(deletion(id), {
    while: (error) => isUnpublishing(error) && mayResend("refused for now", "write"),
    schedule: Schedule.exponential("100 millis"),
    times: 6
  })
  return yield* whileDone(retried, { id, done: "deactivated", step: "deleting it" })
})

const isPublished = (error: EngineError) => error._tag === "ApiError" && error.httpStatus === 409

/** The refusal that passes by itself, in the engine's own words. */
const isUnpublishing = (error: EngineError) =>
  isPublished(error) && error._tag === "ApiError" && /still being unpublished/i.test(error.problem)

const isFault = (error: EngineError) => error._tag === "ApiError" && error.httpStatus === 500

const isStillThere = (id: WorkflowId) => Effect.isSuccess(EngineClient.use((engine) => engine.getWorkflow(id)))
