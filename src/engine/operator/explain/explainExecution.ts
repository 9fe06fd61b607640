import { Effect } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { reworded } from "../../client/EngineError.ts"
import { type Execution, WorkflowId } from "../../client/models.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { executionId, optional } from "../../tools/parameters.ts"
import { account } from "./account.ts"
import { failureOf, messageOf } from "./failure.ts"
import { comparedWith, failureKind, lastFailed, pastOf, sizeOf } from "./past.ts"
import { runDataOf } from "./runData.ts"
import { otherEnd } from "./states.ts"

/** More characters than this are a large execution: then others like it are not read. */
const counted = 3_000_000

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
    const wanted = id ?? (yield* lastFailed(workflowId))?.id
    if (wanted === undefined) {
      const where = workflowId === undefined ? `on instance ${engine.instance}` : `of workflow ${workflowId}`
      if (workflowId !== undefined) yield* engine.getWorkflow(workflowId)
      return { message: `No failed run ${where} is on record.` }
    }
    const execution = yield* read(wanted)
    const data = runDataOf(execution)
    const failure = data && failureOf(data)
    if (data === undefined || failure === undefined || execution.status === "canceled") return otherEnd(execution, data)

    const past = yield* pastOf(execution)
    const kind = failureKind(failure.at?.node, messageOf(failure.error))
    const size = sizeOf(execution.data, counted)
    const [compared, success] = yield* Effect.all(
      [comparedWith(execution, past, kind, size), wholeSuccess(past.lastSuccess)],
      { concurrency: 2 }
    )
    return account({ execution, data, failure, past, compared, success })
  })
})

const read = Effect.fnUntraced(function* (id: Execution["id"]) {
  const engine = yield* EngineClient
  return yield* engine.getExecution(id, true).pipe(
    Effect.catch((error) => {
      if (error._tag === "ApiError" && error.httpStatus === 404) {
        return Effect.fail(reworded(error, `Execution not found (execution ${id})`))
      }
      // Too large to be read whole: what is known without the data.
      return error._tag === "NetworkError" && /larger than/.test(error.problem)
        ? engine.getExecution(id, false)
        : Effect.fail(error)
    })
  )
})

/** The last success with its data, as far as it can be read. */
const wholeSuccess = (found: Execution | undefined): Effect.Effect<Execution | undefined, never, EngineClient> =>
  found === undefined
    ? Effect.succeed(undefined)
    : EngineClient.use((engine) => Effect.orElseSucceed(engine.getExecution(found.id, true), () => undefined))

export const explainTools = [explainExecution]
