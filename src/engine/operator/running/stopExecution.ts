import { Effect, Option, Result } from "effect"

import { changes } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ApiError, type EngineError } from "../../client/EngineError.ts"
import { executionNotFound } from "../../client/isMissing.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { executionId, optional, workflowId as workflow } from "../../tools/parameters.ts"
import { type ExecutionId, WorkflowId } from "../../workflow/models.ts"
import { unsupportedReason, unsupportedText } from "../routeSupport.ts"

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
    workflowId: optional(workflow.annotate({ description: "Id or name: all of this one" }))
  },
  run: Effect.fnUntraced(function* ({ id, workflowId }) {
    if ((id === undefined) === (workflowId === undefined)) {
      return yield* new InvalidArgument({ argument: "id", problem: "give either id or workflowId" })
    }
    const lack = yield* unsupportedReason(route)
    if (lack !== undefined) return { guidance: lack }
    return id === undefined ? yield* stopAll(WorkflowId.make(workflowId ?? "")) : yield* stopOne(id)
  })
})

const stop = (id: ExecutionId) =>
  EngineClient.use((engine) =>
    engine
      .stopExecutionIfSupported(id)
      .pipe(
        Effect.catchIf(isFault, (fault) =>
          Effect.flatMap(engine.getExecution(id, false), ({ status = "running" }) =>
            Effect.fail(stoppable.has(status) ? fault : endedAlready(fault, id, status))
          )
        )
      )
  ).pipe(Effect.mapError(executionNotFound(id)))

const isFault = (error: EngineError): error is ApiError => error._tag === "ApiError" && error.httpStatus === 500

const stoppable: ReadonlySet<string> = new Set(["new", "running", "unknown", "waiting"])

/** Engines before 2.40 answer with a fault of their own where the run has ended; later ones say this. */
const endedAlready = ({ apiResponse, instance }: ApiError, id: ExecutionId, status: string) =>
  new ApiError({
    instance,
    httpStatus: 409,
    problem: `Only running or waiting executions can be stopped and ${id} is currently ${status}`,
    apiResponse
  })

const stopOne = (id: ExecutionId) =>
  Effect.map(
    stop(id),
    Option.match({
      onNone: () => ({ guidance: unsupportedText(route) }),
      onSome: ({ startedAt, status, stoppedAt }) => ({
        message: `Execution ${id} was stopped`,
        id,
        status,
        startedAt,
        stoppedAt
      })
    })
  )

/** Each by its id, so that nothing of another workflow is ever met. */
const stopAll = Effect.fnUntraced(function* (workflowId: WorkflowId) {
  const engine = yield* EngineClient
  yield* engine.getWorkflow(workflowId)
  const pages = yield* Effect.forEach(["new", "running", "waiting"] as const, (status) =>
    engine.listExecutions({ workflowId, status, limit: most })
  )
  const executions = pages.flatMap(({ data }) => data.filter((execution) => execution.workflowId === workflowId))
  const ids = [...new Set(executions.map(({ id }) => id))].slice(0, most)
  const results = yield* Effect.forEach(
    ids,
    (id) => Effect.map(Effect.result(stop(id)), (result) => ({ id, result })),
    {
      concurrency: 4
    }
  )
  const stopped = results.flatMap(({ id, result }) =>
    Result.isSuccess(result) && Option.isSome(result.success) ? [id] : []
  )
  // An engine with the call, which has stopped others, does not know this one any more.
  const unknown = results.flatMap(({ id, result }) =>
    Result.isSuccess(result) && Option.isNone(result.success) ? [id] : []
  )
  if (unknown.length > 0 && stopped.length === 0) return { guidance: unsupportedText(route) }
  const failures = results.flatMap(({ id, result }) =>
    Result.isFailure(result) ? [{ id, error: result.failure }] : []
  )
  const failed = failures.filter(({ error }) => !hasEnded(error))
  const ended = [...unknown, ...failures.flatMap(({ error, id }) => (hasEnded(error) ? [id] : []))]
  return {
    stopped,
    ...(ended.length === 0 ? {} : { endedByThemselves: ended }),
    ...(failed.length === 0 ? {} : { failed: failed.map(({ error, id }) => ({ id, error: error.message })) }),
    ...(executions.length > ids.length ||
    pages.some(({ data, nextCursor }) => data.length > 0 && (nextCursor ?? "") !== "")
      ? { notice: "There are more: call again." }
      : {})
  }
})

/** Too late to be stopped. */
const hasEnded = (error: EngineError) => error._tag === "ApiError" && [404, 409].includes(error.httpStatus)
