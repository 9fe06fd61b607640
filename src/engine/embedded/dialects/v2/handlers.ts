import { Effect, Schema } from "effect"
import { Base64 } from "effect/encoding"

import { JsonObject, objectOf } from "../../../../internal/schema/JsonObject.ts"
import { checkData, findCredential } from "../../api/credentials.ts"
import { Dialect, type Handler, ok } from "../../api/Dialect.ts"
import { executionId } from "../../api/executions.ts"
import { findWorkflow, showWorkflow } from "../../api/workflowReads.ts"
import { snapshotOf, unpublish } from "../../run/publishing.ts"
import { Runner } from "../../run/Runner.ts"
import type { Pending } from "../../run/walk.ts"
import type { ExecutionRecord, SavedVersion, WorkflowRecord } from "../../store/records.ts"
import { Store } from "../../store/Store.ts"
import { now, present } from "../../store/values.ts"
import { badRequest, conflict, notFound } from "../../wire/http.ts"
import { byOffset } from "../../wire/query.ts"
import { ownerName } from "../viewParts.ts"
import { credential, listedCredential, retriedExecution, stoppedExecution } from "./views.ts"

/** Archives a workflow or brings it back; an archived one does not run. */
export const archive = (isArchived: boolean): Handler =>
  Effect.fnUntraced(function* ({ at }) {
    const { commit, tables } = yield* Store
    const { publishing } = yield* Dialect
    const before = yield* findWorkflow(at("id"), "Workflow not found")
    if (!isArchived && !before.isArchived) return yield* badRequest("Workflow is not archived.")
    const moment = yield* present
    const { publication, workflow } = unpublish(before, moment, {
      rules: publishing,
      publication: tables.counters.publication
    })
    const saved = { ...workflow, isArchived, updatedAt: moment.text }
    yield* commit({ workflow: saved }, { counters: { ...tables.counters, publication } })
    return ok(yield* showWorkflow(saved, "deactivate"))
  })

/** A retry continues at the failed node with its input; a run without a failed node starts over. */
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

export const retryExecution: Handler = Effect.fnUntraced(function* (call) {
  const { tables } = yield* Store
  const runner = yield* Runner
  const id = yield* executionId(call)
  const execution = tables.executions.get(id)
  if (execution === undefined) return yield* notFound(`The execution with the ID "${id}" does not exist.`)
  if (execution.status === "success") {
    return yield* conflict("The execution succeeded, so it cannot be retried.")
  }
  const { done, start } = resume(execution)
  const workflow = objectOf(call.body).loadWorkflow === true ? tables.workflows.get(execution.workflowId) : undefined
  const { end } = yield* runner.start({
    workflowId: execution.workflowId,
    snapshot: workflow === undefined ? execution.snapshot : snapshotOf(workflow),
    mode: "retry",
    retryOf: id,
    start,
    steps: done
  })
  return ok(retriedExecution(yield* end))
})

export const stopExecution: Handler = Effect.fnUntraced(function* (call) {
  const { tables } = yield* Store
  const runner = yield* Runner
  const id = yield* executionId(call)
  const execution = tables.executions.get(id)
  if (execution === undefined) return yield* notFound("Failed to find execution to stop")
  if (!(yield* runner.stop(id))) {
    return yield* conflict(
      `Only running or waiting executions can be stopped and ${id} is currently ${execution.status}`
    )
  }
  return ok(stoppedExecution(tables.executions.get(id) ?? execution))
})

const Selection = Schema.Struct({
  status: Schema.Array(Schema.String),
  workflowId: Schema.optionalKey(Schema.String)
})
const decodeSelection = Schema.decodeUnknownEffect(Selection)

export const stopExecutions: Handler = Effect.fnUntraced(function* ({ body }) {
  const { tables } = yield* Store
  const runner = yield* Runner
  const { status, workflowId = "all" } = yield* Effect.orDie(decodeSelection(body))
  if (status.length === 0) return yield* badRequest("request/body/status must include at least one status")
  const ids = [...tables.executions.values()]
    .filter((execution) => status.includes(execution.status))
    .filter((execution) => workflowId === "all" || execution.workflowId === workflowId)
  const results = yield* Effect.forEach(ids, ({ id }) => runner.stop(id))
  return ok({ stopped: results.filter(Boolean).length })
})

export const listCredentials: Handler = Effect.fnUntraced(function* ({ query }) {
  const { tables } = yield* Store
  const { paging } = yield* Dialect
  const rows = [...tables.credentials.values()].reverse()
  const { data, nextCursor } = yield* byOffset(rows, query, paging)
  return ok({ data: data.map((row) => listedCredential(tables, row)), nextCursor })
})

export const getCredential: Handler = Effect.fnUntraced(function* ({ at }) {
  return ok(credential(yield* findCredential(at("id"), "Credential not found")))
})

const Patch = Schema.Struct({ name: Schema.optionalKey(Schema.String), data: Schema.optionalKey(JsonObject) })
const decodePatch = Schema.decodeUnknownEffect(Patch)

export const updateCredential: Handler = Effect.fnUntraced(function* ({ at, body }) {
  const { commit } = yield* Store
  const before = yield* findCredential(at("id"), "Credential not found")
  const { data, name = before.name } = yield* Effect.orDie(decodePatch(body))
  if (name.length < 3 || name.length > 128) {
    return yield* badRequest("Credential name must be 3 to 128 characters long.")
  }
  if (data !== undefined) yield* checkData(before.type, data)
  const updated = { ...before, name, updatedAt: yield* now }
  yield* commit({ credential: updated })
  return ok(credential(updated))
})

export const testCredential: Handler = Effect.fnUntraced(function* ({ at }) {
  const id = at("id")
  yield* findCredential(id, `Credential with ID "${id}" was not found.`)
  return ok({ status: "Error", message: "No testing function found for this credential." })
})

/** All versions of a workflow, oldest first; for one from before versions existed, its current state. */
const versionsOf = Effect.fnUntraced(function* ({
  connections,
  id,
  nodeGroups = [],
  nodes,
  updatedAt,
  versionId
}: WorkflowRecord) {
  const saved = (yield* Store).tables.versions.get(id) ?? []
  return saved.some((version) => version.versionId === versionId)
    ? saved
    : [...saved, { workflowId: id, versionId, nodes, connections, nodeGroups, createdAt: updatedAt }]
})

const head = ({ versionId, workflowId }: SavedVersion) => ({ versionId, workflowId })
const words = { authors: ownerName, name: null, description: null }
const times = ({ createdAt }: SavedVersion) => ({ createdAt, updatedAt: createdAt })
const content = ({ connections, nodeGroups = [], nodes }: SavedVersion) => ({ nodes, connections, nodeGroups })

/** The fields of every version in a list, newest first. */
export const listVersions: Handler = Effect.fnUntraced(function* ({ at, query }) {
  const { paging } = yield* Dialect
  const versions = yield* versionsOf(yield* findWorkflow(at("id")))
  if (query.get("limit") === "0" && query.get("cursor") === undefined) {
    return ok({ data: [], nextCursor: Base64.encode(JSON.stringify({ limit: 0, offset: 0 })) })
  }
  const { data, nextCursor } = yield* byOffset(versions.toReversed(), query, paging)
  return ok({ data: data.map((version) => ({ ...head(version), ...words, ...times(version) })), nextCursor })
})

const find = Effect.fnUntraced(function* (id: string, versionId: string, missing: string) {
  const versions = yield* versionsOf(yield* findWorkflow(id, missing))
  const version = versions.find((one) => one.versionId === versionId)
  return version ?? (yield* notFound("Version not found"))
})

/** One complete version. */
export const getVersion: Handler = Effect.fnUntraced(function* ({ at }) {
  const version = yield* find(at("id"), at("versionId"), "Workflow not found")
  return ok({ ...head(version), ...content(version), ...words, ...times(version) })
})

/** The same at the former path, with its fields in another order. */
export const getVersionAtOldPath: Handler = Effect.fnUntraced(function* ({ at }) {
  const version = yield* find(at("id"), at("versionId"), "Version not found")
  const { createdAt, updatedAt } = times(version)
  return ok({ updatedAt, createdAt, ...head(version), ...content(version), ...words })
})
