import { Effect, type Option, Schema } from "effect"

import { fields } from "../../../internal/json/Selection.ts"
import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ExecutionId, type WorkflowId } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { notKept, notKeptBut } from "./historyErrors.ts"

/** What of an execution says how its workflow was. */
const workflowAlone = fields({ data: "nothing", workflowData: fields({ pinData: "nothing", staticData: "nothing" }) })

/** The execution that a version names: `execution-14`. */
export const executionIn = (version: string): Option.Option<ExecutionId> =>
  decode(Number(/^execution-(\d+)$/.exec(version)?.[1]))

const decode = Schema.decodeUnknownOption(ExecutionId)

/** The nodes and connections of a workflow as an execution ran them, in which engines have filled in defaults. */
export const contentOfRun = Effect.fnUntraced(function* (id: WorkflowId, execution: ExecutionId) {
  const { startedAt, workflowData } = yield* EngineClient.use((engine) =>
    engine.getExecution(execution, true, workflowAlone)
  )
  if (!isJsonObject(workflowData) || workflowData.id !== id || nodesOf(workflowData).length === 0) {
    return yield* new InvalidArgument({
      argument: "version",
      problem: `execution ${execution} does not show workflow ${id} as it ran: list_executions with its workflowId has those that do`
    })
  }
  const { connections, nodes } = workflowData
  return {
    content: { nodes, connections } satisfies JsonObject,
    named: `execution ${execution} of ${String(startedAt)}`
  }
})

/** The failure where nothing keeps versions of a workflow; it names the newest run, which shows what ran. */
export const nothingKept = (id: WorkflowId) =>
  EngineClient.use(({ instance, listExecutions }) =>
    Effect.match(listExecutions({ workflowId: id, limit: 1 }), {
      onFailure: () => notKept,
      onSuccess: ({ data: [last] }) =>
        last === undefined ? notKept : notKeptBut(`execution-${last.id} (${String(last.startedAt)})`, instance)
    })
  ).pipe(Effect.flatMap((error) => Effect.fail(error)))
