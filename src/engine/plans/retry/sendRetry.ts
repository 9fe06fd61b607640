import { Effect, Option } from "effect"

import { monotonicMillis } from "../../../internal/time.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ApiError, type EngineError } from "../../client/EngineError.ts"
import { runDataOf } from "../../operator/explain/runData.ts"
import { callOnceRegistered } from "../../tools/workflows/execute.ts"
import { ExecutionId, WorkflowId } from "../../workflow/models.ts"
import type { Retried } from "../Change.ts"
import { readRetries } from "./readRetries.ts"
import { callAnew, markOf } from "./selectRuns.ts"

type Client = EngineClient["Service"]

/** Milliseconds between the beginnings of two runs on one instance, so that a service that was down is not met by all at once. */
const usualInterval = 1000

/** The moments at which the last runs began, by client, on the clock that nobody sets. */
const lastBegun = new WeakMap<Client, number>()

/** Runs a failed execution again: once the last one has ended, and no sooner than the pace allows. */
export const sendRetry = Effect.fnUntraced(function* (
  client: Client,
  change: Retried
): Effect.fn.Return<{ readonly created?: number }, EngineError> {
  const now = yield* monotonicMillis
  const wait = (lastBegun.get(client) ?? -Infinity) + (change.interval ?? usualInterval) - now
  if (wait > 0) yield* Effect.sleep(wait)
  lastBegun.set(client, yield* monotonicMillis)
  return yield* change.kind === "retry" ? retry(client, change) : runAnew(client, change)
})

const retry = (client: Client, { execution, latest }: Extract<Retried, { readonly kind: "retry" }>) =>
  Effect.flatMap(client.retryExecutionIfSupported(ExecutionId.make(execution), latest === true), (retried) =>
    Option.isSome(retried)
      ? Effect.succeed({ created: retried.value.id })
      : Effect.fail(refusal(client, "the engine's API retries no executions"))
  )

const refusal = ({ instance }: Client, problem: string) =>
  new ApiError({ instance, httpStatus: 404, problem, apiResponse: null })

const runAnew = Effect.fnUntraced(function* (client: Client, change: Retried) {
  const workflow = yield* client.getWorkflow(WorkflowId.make(change.workflow))
  const failed = yield* client.getExecution(ExecutionId.make(change.execution), true)
  const request = yield* Effect.mapError(
    Effect.fromResult(callAnew(workflow, runDataOf(failed), change.execution)),
    (problem) => refusal(client, problem)
  )
  const sought = { after: change.execution, mark: markOf(change.execution), isMarked: true }
  yield* Effect.provideService(callOnceRegistered(request, workflow.id, sought), EngineClient, client)
  const begun = yield* Effect.option(readRetries(client, [change]))
  const created = Option.isSome(begun) ? begun.value.get(change.execution) : undefined
  return created === undefined ? {} : { created }
})
