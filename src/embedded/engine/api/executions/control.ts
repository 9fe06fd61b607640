import { Effect, Schema } from "effect"

import { snapshotOf } from "../../rules/snapshot.ts"
import { Runner } from "../../run/Runner.ts"
import type { Pending } from "../../run/walk.ts"
import type { ExecutionRecord } from "../../store/ExecutionRecord.ts"
import { Store } from "../../store/Store.ts"
import { asFree } from "../../store/values.ts"
import { type Endpoint, ok } from "../../wire/Endpoint.ts"
import { conflict, notFound } from "../../wire/Refusal.ts"
import { anything, array, choice, fields } from "../../wire/shapes.ts"
import { idOf } from "./endpoints.ts"
import { retried, stopped } from "./views.ts"

/** A retry goes on at the node that failed, with what that node got; a run that no node has failed begins anew. */
const resume = ({
  snapshot,
  steps
}: ExecutionRecord): { readonly start: Pending; readonly done: ExecutionRecord["steps"] } => {
  const last = steps.at(-1)
  if (last !== undefined && last.failure !== null) {
    return { start: { node: last.node, source: last.source, input: last.failure.input }, done: steps.slice(0, -1) }
  }
  const trigger = steps[0]?.node ?? String(snapshot.nodes[0]?.name)
  return { start: { node: trigger, source: null, input: steps[0]?.outputs[0] ?? [] }, done: [] }
}

const retry: Endpoint<Runner>["run"] = Effect.fnUntraced(function* (call) {
  const { tables } = yield* Store
  const runner = yield* Runner
  const id = yield* idOf(call)
  const execution = tables.executions.get(id)
  if (execution === undefined) return yield* notFound(`The execution with the ID "${id}" does not exist.`)
  if (execution.status === "success") {
    return yield* conflict("The execution succeeded, so it cannot be retried.")
  }
  const { done, start } = resume(execution)
  const workflow = asFree(call.body).loadWorkflow === true ? tables.workflows.get(execution.workflowId) : undefined
  const { end } = yield* runner.start({
    workflowId: execution.workflowId,
    snapshot: workflow === undefined ? execution.snapshot : snapshotOf(workflow),
    mode: "retry",
    retryOf: id,
    start,
    steps: done
  })
  return ok(retried(yield* end))
})

const stop: Endpoint<Runner>["run"] = Effect.fnUntraced(function* (call) {
  const { tables } = yield* Store
  const runner = yield* Runner
  const id = yield* idOf(call)
  const execution = tables.executions.get(id)
  if (execution === undefined) return yield* notFound("Failed to find execution to stop")
  if (!(yield* runner.stop(id))) {
    return yield* conflict(
      `Only running or waiting executions can be stopped and ${id} is currently ${execution.status}`
    )
  }
  return ok(stopped(tables.executions.get(id) ?? execution))
})

const Selection = Schema.Struct({ status: Schema.Array(Schema.String) })
const decode = Schema.decodeUnknownEffect(Selection)

const stopMany: Endpoint<Runner>["run"] = Effect.fnUntraced(function* ({ body }) {
  const { tables } = yield* Store
  const runner = yield* Runner
  const { status } = yield* Effect.orDie(decode(body))
  const ids = [...tables.executions.values()].filter((execution) => status.includes(execution.status))
  const results = yield* Effect.forEach(ids, ({ id }) => runner.stop(id))
  return ok({ stopped: results.filter(Boolean).length })
})

/** What only 2.x engines offer: to try an execution again, and to end one. */
export const executionControl: ReadonlyArray<Endpoint<Runner>> = [
  {
    method: "POST",
    path: "/executions/:id/retry",
    query: {},
    body: { shape: anything, isOptional: true },
    takesTurns: true,
    run: retry
  },
  { method: "POST", path: "/executions/:id/stop", query: {}, takesTurns: true, run: stop },
  {
    method: "POST",
    path: "/executions/stop",
    query: {},
    body: { shape: fields({ status: array(choice("queued", "running", "waiting")) }, "status") },
    takesTurns: true,
    run: stopMany
  }
]
