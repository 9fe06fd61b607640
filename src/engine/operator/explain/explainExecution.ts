import { Effect } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { WorkflowId } from "../../client/models.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { executionId, optional } from "../../tools/parameters.ts"
import { account } from "./account.ts"
import { failureOf, messageOf } from "./failure.ts"
import { mentionsOf } from "./fields.ts"
import { comparedWith, failureKind, lastFailed, lastStopped, pastOf } from "./past.ts"
import { readFailed, readSuccess } from "./reading.ts"
import { runDataOf } from "./runData.ts"
import { otherEnd } from "./states.ts"

export const explainExecution = EngineTool.make("explain_execution", {
  title: "Explain execution",
  description:
    "Why a run failed, in few words: node, error, the item it failed on, the way there, what the last success had instead, " +
    "failures alike, what was changed between. Without id: the last failed run",
  annotations: reads,
  arguments: {
    id: optional(executionId),
    workflowId: optional(WorkflowId.annotate({ description: "Its last failed run" }))
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
    if (data === undefined || failure === undefined || execution.status === "canceled") return otherEnd(execution, data)

    const past = yield* pastOf(execution)
    const node = failure.at?.node
    const mentions = mentionsOf({ data, input: failure.input }, node)
    const [compared, success] = yield* Effect.all(
      [
        comparedWith(execution, past, failureKind(node, messageOf(failure.error))),
        readSuccess(past.lastSuccess, node, mentions)
      ],
      { concurrency: 2 }
    )
    return account({ execution, data, failure, mentions, past, compared, success })
  })
})

export const explainTools = [explainExecution]
