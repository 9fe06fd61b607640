import { Effect, Option, Schema, Struct } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { changes, large, reads, runs } from "../../mcp/annotations.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { executionNotFound } from "../client/isMissing.ts"
import { nodesIn, partOfExecution, isWithin, selectionOf, toUtc, withoutStacks } from "../workflow/executions.ts"
import type { Execution } from "../workflow/models.ts"
import * as EngineTool from "./EngineTool.ts"
import { listPage } from "./paging.ts"
import {
  refuseUnknownNodes,
  cursor,
  executionId,
  executionStatus,
  flag,
  itemsPerNode,
  limit,
  timestamp,
  nodeNames,
  optional,
  workflowId
} from "./parameters.ts"
import { noticesOfUnknown, withNotices } from "./references.ts"
import * as results from "./results.ts"

const filters = {
  workflowId: optional(workflowId.annotate({ description: "Of this workflow" })),
  status: optional(executionStatus),
  projectId: optional(Schema.String.annotate({ description: "Of this project" })),
  startedAfter: optional(timestamp("ISO 8601")),
  startedBefore: optional(timestamp("ISO 8601")),
  includeData: optional(flag("With all data"))
}

type Filters = Schema.Struct<typeof filters>["Type"]

export const listExecutions = EngineTool.make("list_executions", {
  title: "List executions",
  description: "List executions of workflows, newest first",
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
      fetch: (filters, query) =>
        EngineClient.use((engine) => engine.listExecutions({ ...filters, ...toUtc(filters), ...query })).pipe(
          EngineTool.toBeShown
        ),
      keep: matches,
      isOver: isPastPeriod,
      show: (execution, { includeData = false }) => (includeData ? withoutStacks : metadata)(execution)
    }).pipe(
      Effect.flatMap((page) =>
        page.data.length === 0 && cursor === undefined && given.workflowId !== undefined
          ? Effect.map(noticesOfUnknown(given.workflowId), (notices) => withNotices(page, notices))
          : Effect.succeed(page)
      )
    )
})

export const getExecution = EngineTool.make("get_execution", {
  title: "Get execution",
  description: "Read one execution; with includeData what each node returned or failed with",
  annotations: reads,
  arguments: {
    id: executionId,
    includeData: optional(flag("With all data")),
    nodes: optional(nodeNames("Only of these nodes")),
    items: optional(itemsPerNode)
  },
  result: results.execution,
  narrow: "Read less of it: give `nodes`, and `items` for each.",
  meta: large,
  run: Effect.fnUntraced(function* ({ id, includeData, items, nodes }) {
    const isPart = nodes !== undefined || items !== undefined
    if (isPart && includeData === false) {
      return yield* new InvalidArgument({
        argument: "includeData",
        problem: "must be true where nodes or items are given"
      })
    }
    const withData = includeData ?? isPart
    const execution = yield* EngineClient.use((engine) =>
      engine.getExecution(id, withData, selectionOf({ nodes, items }))
    ).pipe(EngineTool.toBeShown, Effect.mapError(executionNotFound(id)))
    const withId = (part: JsonObject) => ({ ...part, id: execution.id })
    if (!withData) return withId(metadata(execution))
    const whole = withoutStacks(execution)
    if (!isPart) return withId(whole)
    const nodesOfExecution = nodesIn(whole)
    if (nodesOfExecution.length > 0) yield* refuseUnknownNodes(`execution ${id}`, nodes ?? [], nodesOfExecution)
    return withId(partOfExecution(whole, { nodes, items }))
  })
})

export const deleteExecution = EngineTool.make("delete_execution", {
  title: "Delete execution",
  description: "Delete one execution for good",
  annotations: changes,
  arguments: { id: executionId },
  result: results.deleted,
  run: Effect.fnUntraced(function* ({ id }) {
    const deleted = yield* EngineClient.use((engine) => engine.deleteExecution(id)).pipe(
      Effect.mapError(executionNotFound(id))
    )
    return { message: `Execution ${id} was deleted`, id, deleted: withoutStacks(deleted) }
  })
})

export const retryExecution = EngineTool.make("retry_execution", {
  title: "Retry execution",
  description: "Run a failed execution again, from the node that failed",
  annotations: runs,
  arguments: { id: executionId, loadWorkflow: optional(flag("With the workflow as it is now")) },
  run: Effect.fnUntraced(function* ({ id, loadWorkflow }) {
    const engine = yield* EngineClient
    const retried = yield* engine
      .retryExecutionIfSupported(id, loadWorkflow)
      .pipe(Effect.mapError(executionNotFound(id)))
    return Option.match(retried, {
      onNone: () => ({
        guidance:
          `This engine's API cannot retry executions. Open execution ${id} in the engine UI and choose Retry, ` +
          "or call execute_workflow to run its workflow again."
      }),
      onSome: metadata
    })
  })
})

/** The metadata of an execution, whatever the engine sends with it. */
const metadata = (execution: Execution): JsonObject =>
  withoutStacks(Struct.omit(execution, ["customData", "data", "workflowData"]))

/** Whether an execution passes the filters as far as the engine says; older engines do not send the status. */
const matches = (execution: Execution, { startedAfter, startedBefore, status, workflowId }: Filters): boolean =>
  isWithin(execution.startedAt, { startedAfter, startedBefore }) &&
  (status === undefined || execution.status === undefined || isIn(status, execution.status)) &&
  (workflowId === undefined || execution.workflowId === undefined || execution.workflowId === workflowId)

/**
 * Whether a page lies before the period: lists go back in time, except for executions that were queued, for less than a
 * day.
 */
const isPastPeriod = (page: ReadonlyArray<Execution>, { startedAfter }: Filters): boolean =>
  startedAfter !== undefined &&
  page.some(({ startedAt }) => isWithin(startedAt, { startedBefore: dayBefore(startedAfter) }))

const dayBefore = (timestamp: string) => new Date(Date.parse(timestamp) - 86_400_000).toISOString()

/** Whether an execution is in a state; a crash counts as an error, as it did for engines without a state of its own for it. */
const isIn = (status: string, actual: string) => actual === status || (status === "error" && actual === "crashed")
