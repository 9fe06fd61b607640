import { Effect } from "effect"

import type { ExecutionStatus } from "../../../../engine/Execution.ts"
import { Edition } from "../../store/Edition.ts"
import type { ExecutionRecord } from "../../store/ExecutionRecord.ts"
import { Store } from "../../store/Store.ts"
import { type Call, type Endpoint, ok } from "../../wire/Endpoint.ts"
import { byLastId } from "../../wire/paging.ts"
import { badRequest, notFound } from "../../wire/Refusal.ts"
import { firstExecution, firstItem, secondExecution, secondItem } from "./views.ts"

/** The id in the path as a number; the two engines find different things wrong with it. */
export const idOf = Effect.fnUntraced(function* ({ at }: Call) {
  const { isSecond } = yield* Edition
  const id = at("id")
  if (isSecond && !/^0*[1-9]\d*$/.test(id)) {
    return yield* badRequest("request/params/executionId must be a positive integer")
  }
  return Number.isNaN(Number(id)) ? yield* badRequest("request/params/id must be number") : Number(id)
})

const find = Effect.fnUntraced(function* (call: Call) {
  const { tables } = yield* Store
  return tables.executions.get(yield* idOf(call)) ?? (yield* notFound())
})

const show = Effect.fnUntraced(function* (execution: ExecutionRecord, includeData: boolean) {
  const { isSecond } = yield* Edition
  return isSecond ? secondExecution(execution, includeData) : firstExecution(execution, includeData)
})

/** Which executions a list without a filter, and one with, leaves out. */
const isListed = (status: ExecutionStatus, wanted: string | undefined, isSecond: boolean): boolean => {
  if (status === "running") return isSecond && wanted === "running"
  if (wanted === undefined) return true
  return status === wanted || (!isSecond && wanted === "error" && status === "crashed")
}

const list: Endpoint["run"] = Effect.fnUntraced(function* ({ query }) {
  const { tables } = yield* Store
  const { isSecond } = yield* Edition
  const workflow = query.get("workflowId")
  const project = query.get("projectId") ?? tables.owner.projectId
  const rows = [...tables.executions.values()]
    .filter(({ status }) => isListed(status, query.get("status"), isSecond))
    .filter(({ workflowId }) => workflow === undefined || workflowId === workflow)
    .filter(() => project === tables.owner.projectId)
    .sort((a, b) => b.id - a.id)
  const { data, nextCursor } = yield* byLastId(rows, query, isSecond)
  const includeData = query.get("includeData") === "true"
  const view = isSecond ? secondItem : firstItem
  return ok({ data: data.map((execution) => view(execution, includeData)), nextCursor })
})

const listing = (...statuses: ReadonlyArray<ExecutionStatus>): Endpoint => ({
  method: "GET",
  path: "/executions",
  query: {
    includeData: "boolean",
    status: statuses,
    workflowId: "encoded",
    projectId: "any",
    limit: "limit",
    cursor: "encoded"
  },
  run: list
})

export const firstListing = listing("error", "success", "waiting")

export const secondListing = listing("canceled", "crashed", "error", "new", "running", "success", "unknown", "waiting")

/** One execution: read, and deleted once it has ended. */
export const singleExecution: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/executions/:id",
    query: { includeData: "boolean" },
    run: Effect.fnUntraced(function* (call) {
      return ok(yield* show(yield* find(call), call.query.get("includeData") === "true"))
    })
  },
  {
    method: "DELETE",
    path: "/executions/:id",
    query: {},
    run: Effect.fnUntraced(function* (call) {
      const { commit } = yield* Store
      const execution = yield* find(call)
      if (execution.status === "running") return yield* badRequest("Cannot delete a running execution")
      yield* commit({ removedExecution: execution.id })
      return ok({ ...(yield* show(execution, false)), id: execution.id })
    })
  }
]
