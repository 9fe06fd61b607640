import { Effect, Option, Result } from "effect"

import { changes } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { executionNotFound } from "../../client/isMissing.ts"
import { type ExecutionId, WorkflowId } from "../../client/models.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { executionId, optional } from "../../tools/parameters.ts"
import { lackOf, lacks } from "../offered.ts"

const route = {
  call: "POST /executions/{executionId}/stop",
  scope: "execution:stop",
  since: "2.10.0",
  verb: "stop executions",
  instead: "Stop it in the engine UI, under Executions; deactivate_workflow keeps new ones from beginning."
}

/** Executions that one call stops at most. */
const most = 100

export const stopExecution = EngineTool.make("stop_execution", {
  title: "Stop execution",
  description: "Stop one running or waiting execution, or all of a workflow",
  annotations: changes,
  arguments: {
    id: optional(executionId),
    workflowId: optional(WorkflowId.annotate({ description: "All of this one" }))
  },
  run: Effect.fnUntraced(function* ({ id, workflowId }) {
    if ((id === undefined) === (workflowId === undefined)) {
      return yield* new InvalidArgument({ argument: "id", problem: "give either id or workflowId" })
    }
    const lack = yield* lackOf(route)
    if (lack !== undefined) return { guidance: lack }
    return id === undefined ? yield* stopAll(WorkflowId.make(workflowId ?? "")) : yield* stopOne(id)
  })
})

const stopOne = Effect.fnUntraced(function* (id: ExecutionId) {
  const stopped = yield* EngineClient.use((engine) => engine.stopExecutionIfSupported(id)).pipe(
    Effect.mapError(executionNotFound(id))
  )
  return Option.match(stopped, {
    onNone: () => ({ guidance: lacks(route) }),
    onSome: ({ startedAt, status, stoppedAt }) => ({
      message: `Execution ${id} was stopped`,
      id,
      status,
      startedAt,
      stoppedAt
    })
  })
})

/** Each by its id, so that nothing of another workflow is ever met. */
const stopAll = Effect.fnUntraced(function* (workflowId: WorkflowId) {
  const engine = yield* EngineClient
  yield* engine.getWorkflow(workflowId)
  const pages = yield* Effect.forEach(["new", "running", "waiting"] as const, (status) =>
    engine.listExecutions({ workflowId, status, limit: most })
  )
  const found = pages.flatMap(({ data }) => data.filter((execution) => execution.workflowId === workflowId))
  const ids = [...new Set(found.map(({ id }) => id))].slice(0, most)
  const results = yield* Effect.forEach(ids, (id) => Effect.result(stopOne(id)), { concurrency: 4 })
  const failures = results.flatMap((result, index) =>
    Result.isFailure(result) ? [{ id: ids[index], error: result.failure }] : []
  )
  const failed = failures.filter(({ error }) => !hasEnded(error))
  return {
    stopped: ids.filter((id) => failures.every((failure) => failure.id !== id)),
    ...(failures.length > failed.length
      ? { endedByThemselves: failures.filter(({ error }) => hasEnded(error)).map(({ id }) => id) }
      : {}),
    ...(failed.length === 0 ? {} : { failed: failed.map(({ error, id }) => ({ id, error: error.message })) }),
    ...(found.length > ids.length || pages.some(({ nextCursor }) => (nextCursor ?? "") !== "")
      ? { notice: "There are more: call again." }
      : {})
  }
})

/** Too late to be stopped. */
const hasEnded = (error: EngineError) => error._tag === "ApiError" && [404, 409].includes(error.httpStatus)

export const stopTools = [stopExecution]
