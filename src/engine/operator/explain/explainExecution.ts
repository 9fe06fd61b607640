import { Effect } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { executionId, optional, workflowId as workflow } from "../../tools/parameters.ts"
import { describeUnfailed } from "./describeExecution.ts"
import { explainFailure } from "./explainFailure.ts"
import { failureOf, messageOf } from "./failure.ts"
import { fieldReferencesOf } from "./inputFields.ts"
import { readFailed, readSuccess } from "./readExecutions.ts"
import { compareFailures, failureKind, lastFailed, lastStopped, relatedRunsOf } from "./relatedRuns.ts"
import { runDataOf } from "./runData.ts"

export const explainExecution = EngineTool.make("explain_execution", {
  title: "Explain execution",
  description:
    "Say why a run failed: node, error, item, path, and what differs from the last success. Without arguments: the last failed run",
  annotations: reads,
  arguments: {
    id: optional(executionId),
    workflowId: optional(workflow.annotate({ description: "Id or name: its last failed run" }))
  },
  run: Effect.fnUntraced(function* ({ id, workflowId }) {
    if (id !== undefined && workflowId !== undefined) {
      return yield* new InvalidArgument({ argument: "workflowId", problem: "must be left out where id is given" })
    }
    const engine = yield* EngineClient
    const wanted = id ?? (yield* lastFailed(workflowId))?.id ?? (yield* lastStopped(workflowId))?.id
    if (wanted === undefined) {
      const where = workflowId === undefined ? `on instance ${engine.instance}` : `of workflow ${workflowId}`
      if (workflowId !== undefined) yield* engine.getWorkflow(workflowId)
      return { message: `No failed run ${where} is on record.` }
    }
    const execution = yield* readFailed(wanted)
    const data = runDataOf(execution)
    const failure = data && failureOf(data)
    if (data === undefined || failure === undefined || execution.status === "canceled")
      return describeUnfailed(execution, data)

    const related = yield* relatedRunsOf(execution)
    const node = failure.at?.node
    const references = fieldReferencesOf({ data, input: failure.input }, node)
    const [compared, success] = yield* Effect.all(
      [
        compareFailures(execution, related, failureKind(node, messageOf(failure.error))),
        readSuccess(related.lastSuccess, node, references)
      ],
      { concurrency: 2 }
    )
    return explainFailure({ execution, data, failure, references, related, compared, success })
  })
})
