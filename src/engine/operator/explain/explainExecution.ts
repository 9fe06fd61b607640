import { Context, Effect, Result } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { Instances } from "../../client/Instances.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { executionId, optional, workflowId as workflow } from "../../tools/parameters.ts"
import type { Execution } from "../../workflow/models.ts"
import { describeUnfailed, statusOf } from "./describeExecution.ts"
import { explainFailure, explainTool } from "./explainFailure.ts"
import { messageOf } from "./failure.ts"
import { classShown } from "./failureClass.ts"
import { failureClassOf } from "./failureRules.ts"
import { readFailed, readSuccess } from "./readExecutions.ts"
import { compareFailures, failureKind, lastFailed, lastStopped, relatedRunsOf } from "./relatedRuns.ts"
import { runDataOf } from "./runData.ts"
import { failedRunOf, failedRuns, failuresOfTools } from "./subRuns.ts"

const ofOneInstance = EngineTool.make("explain_execution", {
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
    const failed = failedRunOf(execution)
    if (failed === undefined || execution.status === "canceled") {
      const tools = (yield* failuresOfTools(execution)).map(([tool, ...inner]) => explainTool({ ...tool, inner }))
      return {
        ...describeUnfailed(execution, runDataOf(execution)),
        ...(isStopped(execution) ? classShown(failureClassOf(execution, failed), execution) : {}),
        ...(tools.length === 0 ? {} : { failedTools: tools })
      }
    }

    const related = yield* relatedRunsOf(execution)
    const [run, ...inner] = yield* failedRuns(failed)
    const { failure, references } = run
    const node = failure.at?.node
    const [compared, success] = yield* Effect.all(
      [
        compareFailures(execution, related, failureKind(node, messageOf(failure.error))),
        readSuccess(related.lastSuccess, node, references)
      ],
      { concurrency: 2 }
    )
    return explainFailure({ ...run, inner, related, compared, success })
  }, withSearch)
})

/** Whether a run ended before its end, by whatever. */
const isStopped = (execution: Execution) => ["canceled", "crashed", "error"].includes(statusOf(execution))

/** The instance that a search over all has led to, and those that could not be searched, for the answer. */
const Search = Context.Reference<object>("workflow-tool-server/engine/operator/explain/Search", {
  defaultValue: () => ({})
})

function withSearch<A extends object, E, R>(explained: Effect.Effect<A, E, R>) {
  return Effect.flatMap(Search, (search) => Effect.map(explained, (answer): object => ({ ...search, ...answer })))
}

/** The time in which an instance says when a run last failed there. */
const timeToSay = "15 seconds"

/** The instance whose last failure is the newest of all, and those that could not be asked. */
const newestFailure = Effect.gen(function* () {
  const { defaultName, names, resolve } = yield* Instances
  const looked = yield* Effect.forEach(
    names,
    (name) =>
      Effect.flatMap(resolve(name), (engine) =>
        Effect.provideService(lastFailed(undefined), EngineClient, engine)
      ).pipe(
        Effect.timeout(timeToSay),
        Effect.result,
        Effect.map((result) => ({ name, result }))
      ),
    { concurrency: 8 }
  )
  const failed = looked.flatMap(({ name, result }) =>
    Result.isSuccess(result) && result.success !== undefined
      ? [{ name, at: Date.parse(String(result.success.startedAt)) }]
      : []
  )
  const [newest = { name: defaultName }] = failed.sort((a, b) => b.at - a.at)
  return {
    instance: newest.name,
    unusable: looked.flatMap(({ name, result }) =>
      Result.isFailure(result) ? [{ instance: name, error: result.failure.message }] : []
    )
  }
})

/** The same tool, which looks at all instances where nothing says which run is meant. */
export const explainExecution: typeof ofOneInstance = {
  ...ofOneInstance,
  call: (input) => {
    const given = objectOf(input)
    return ["id", "instance", "workflowId"].some((name) => given[name] !== undefined)
      ? ofOneInstance.call(input)
      : Effect.flatMap(newestFailure, ({ instance, unusable }) =>
          Effect.provideService(ofOneInstance.call({ ...given, instance }), Search, {
            instance,
            ...(unusable.length === 0 ? {} : { unusable })
          })
        )
  }
}
