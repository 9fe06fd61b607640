import { Effect } from "effect"

import { Store } from "../store/Store.ts"
import { badRequest, notFound } from "../wire/http.ts"
import { byLastId } from "../wire/query.ts"
import { type Call, Dialect, type Handler, ok } from "./Dialect.ts"

/** The id in the path of a call. */
export const executionId = Effect.fnUntraced(function* ({ at }: Call) {
  const { executions } = yield* Dialect
  return yield* Effect.fromResult(executions.id(at("id")))
})

const find = Effect.fnUntraced(function* (call: Call) {
  const { tables } = yield* Store
  return tables.executions.get(yield* executionId(call)) ?? (yield* notFound())
})

const momentOf = (text: string | undefined, otherwise: number) => (text === undefined ? otherwise : Date.parse(text))

export const listExecutions: Handler = Effect.fnUntraced(function* ({ query }) {
  const { tables } = yield* Store
  const { executions, paging, views } = yield* Dialect
  const workflow = query.get("workflowId")
  const project = query.get("projectId") ?? tables.owner.projectId
  const rows = [...tables.executions.values()]
    .filter(({ status }) => executions.isListed(status, query.get("status")))
    .filter(({ workflowId }) => workflow === undefined || workflowId === workflow)
    .filter(({ startedAt }) => startedAt >= momentOf(query.get("startedAfter"), -Infinity))
    .filter(({ startedAt }) => startedAt <= momentOf(query.get("startedBefore"), Infinity))
    .filter(() => project === tables.owner.projectId)
    .sort((a, b) => b.id - a.id)
  const { data, nextCursor } = yield* byLastId(rows, query, paging)
  const includeData = query.get("includeData") === "true"
  return ok({ data: data.map((execution) => views.listedExecution(execution, includeData)), nextCursor })
})

export const getExecution: Handler = Effect.fnUntraced(function* (call) {
  const { views } = yield* Dialect
  return ok(views.execution(yield* find(call), call.query.get("includeData") === "true"))
})

/** Deletes an execution that has ended. */
export const deleteExecution: Handler = Effect.fnUntraced(function* (call) {
  const { commit } = yield* Store
  const { views } = yield* Dialect
  const execution = yield* find(call)
  if (execution.status === "running") return yield* badRequest("Cannot delete a running execution")
  yield* commit({ removedExecution: execution.id })
  return ok({ ...views.execution(execution, false), id: execution.id })
})
