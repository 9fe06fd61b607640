import { Effect, Option, Schema, Struct } from "effect"

import { EngineClient } from "../engine/EngineClient.ts"
import { type ApiError, type EngineError, reworded } from "../engine/EngineError.ts"
import type { Execution } from "../engine/Execution.ts"
import { type ExecutionId, WorkflowId } from "../engine/ids.ts"
import { withoutStacks } from "../engine/rules/withoutStacks.ts"
import type { Free } from "../engine/Workflow.ts"
import { changes, reads, runs } from "./annotations.ts"
import * as EngineTool from "./EngineTool.ts"
import { large } from "./meta.ts"
import { listPage } from "./paging.ts"
import { cursor, executionId, executionStatus, flag, limit, optional } from "./parameters.ts"
import * as results from "./results.ts"

const filters = {
  workflowId: optional(WorkflowId.annotate({ description: "Only of this workflow" })),
  status: optional(executionStatus),
  projectId: optional(Schema.String.annotate({ description: "Only of this project" })),
  includeData: optional(flag("Also the data of every node"))
}

type Filters = Schema.Struct<typeof filters>["Type"]

export const listExecutions = EngineTool.make("list_executions", {
  title: "List executions",
  description: "List executions, newest first, without their data unless asked for",
  annotations: reads,
  arguments: { ...filters, limit, cursor },
  result: results.page,
  narrow: "Leave includeData out, give a smaller limit, or read single executions with get_execution.",
  meta: large,
  run: ({ cursor, limit, ...given }) =>
    listPage({
      list: "list_executions",
      filters: Schema.Struct(filters),
      given,
      cursor,
      limit,
      fetch: (filters, query) => EngineClient.use((engine) => engine.listExecutions({ ...filters, ...query })),
      keep: matches,
      show: (execution, { includeData = false }) => (includeData ? withoutStacks : record)(execution)
    })
})

export const getExecution = EngineTool.make("get_execution", {
  title: "Get execution",
  description: "Read one execution; with includeData also what every node returned or failed with",
  annotations: reads,
  arguments: { id: executionId, includeData: optional(flag("Also the data of every node")) },
  result: results.execution,
  narrow: "Leave includeData out, and read the data of this execution in the engine UI.",
  meta: large,
  run: ({ id, includeData = false }) =>
    EngineClient.use((engine) => engine.getExecution(id, includeData)).pipe(
      named(id),
      Effect.map(includeData ? withoutStacks : record)
    )
})

export const deleteExecution = EngineTool.make("delete_execution", {
  title: "Delete execution",
  description: "Delete the record of one execution for good",
  annotations: changes,
  arguments: { id: executionId },
  result: results.deleted,
  run: Effect.fnUntraced(function* ({ id }) {
    const deleted = yield* EngineClient.use((engine) => engine.deleteExecution(id)).pipe(named(id))
    return { message: `Execution ${id} was deleted`, id, deleted: withoutStacks(deleted) }
  })
})

export const retryExecution = EngineTool.make("retry_execution", {
  title: "Retry execution",
  description: "Run a failed execution again; answers when that has ended",
  annotations: runs,
  arguments: { id: executionId },
  run: Effect.fnUntraced(function* ({ id }) {
    const engine = yield* EngineClient
    const retried = yield* engine.retryExecutionIfOffered(id).pipe(
      Effect.catchIf(isMissing, (error) =>
        // A host without the call may say the same as one without the execution.
        Effect.flatMap(Effect.isSuccess(engine.getExecution(id, false)), (isThere) =>
          isThere ? Effect.succeedNone : Effect.fail(error)
        )
      ),
      named(id)
    )
    return Option.match(retried, {
      onNone: () => ({
        guidance:
          `This engine's API cannot retry executions. Open execution ${id} in the engine UI and choose Retry, ` +
          "or call execute_workflow to run its workflow again."
      }),
      onSome: withoutStacks
    })
  })
})

/** The metadata of an execution, whatever the engine sends with it. */
const record = (execution: Execution): Free =>
  withoutStacks(Struct.omit(execution, ["customData", "data", "workflowData"]))

/** Checks what an engine says of an item against the filters; older ones do not say the status. */
const matches = (execution: Execution, { status, workflowId }: Filters): boolean =>
  (status === undefined || execution.status === undefined || isIn(status, execution.status)) &&
  (workflowId === undefined || execution.workflowId === undefined || execution.workflowId === workflowId)

/** Where engines had no state of its own for a crash, it counted as an error. */
const isIn = (status: string, actual: string) => actual === status || (status === "error" && actual === "crashed")

/** An unknown execution has the contract's words; the engine's own stay in `apiResponse`. */
const named = (id: ExecutionId) =>
  Effect.mapError((error: EngineError) =>
    isMissing(error) ? reworded(error, `Execution not found (execution ${id})`) : error
  )

const isMissing = (error: EngineError): error is ApiError => error._tag === "ApiError" && error.httpStatus === 404
