import { Effect, Predicate, Schema } from "effect"

import { parseJson } from "../../../internal/json/values.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { isKnownType } from "../nodes/nodeTypes.ts"
import { isListening, publish, sharesAddress, unpublish, withLostAddresses } from "../run/publishing.ts"
import type { WorkflowRecord } from "../store/records.ts"
import { Store, type Tables } from "../store/Store.ts"
import { freshId, freshUuid, type Moment, pick, present, textOf } from "../store/values.ts"
import { badRequest, conflict, notFound, type Refusal } from "../wire/http.ts"
import { Dialect, Draft, type Handler, ok, type WorkflowRules } from "./Dialect.ts"
import { findWorkflow, showWorkflow } from "./workflowReads.ts"

const decode = Schema.decodeUnknownEffect(Draft)

/** Reads a body; its nodes get the ids they lack, and credentials their names. */
const read = Effect.fnUntraced(function* (body: unknown): Effect.fn.Return<Draft, Refusal, Dialect | Store> {
  const { graphProblem, keptNode, keptSettings } = (yield* Dialect).workflows
  const draft = yield* Effect.orDie(decode(body))
  const problem = graphProblem(draft)
  if (problem !== undefined) return yield* badRequest(problem)
  const { tables } = yield* Store
  const nodes = yield* Effect.forEach(draft.nodes, (node) => complete(withNamedCredentials(keptNode(node), tables)))
  return { ...draft, nodes, settings: keptSettings(draft.settings) }
})

const complete = Effect.fnUntraced(function* (node: JsonObject): Effect.fn.Return<JsonObject, never, Dialect> {
  const { needsWebhookId } = (yield* Dialect).workflows
  const named = Predicate.isString(node.id) && node.id !== "" ? node : { ...node, id: yield* freshUuid }
  return needsWebhookId(node) ? { ...named, webhookId: yield* freshUuid } : named
})

/** Static data may be sent as an object or as the text of one. */
const staticDataOf = (draft: Draft): Effect.Effect<unknown> =>
  Predicate.isString(draft.staticData)
    ? Effect.orDie(Effect.fromOption(parseJson(draft.staticData)))
    : Effect.succeed(draft.staticData ?? null)

/** The new groups of a workflow: those in the request, or its current ones. */
const groupsOf = Effect.fnUntraced(function* (
  draft: Draft,
  before: ReadonlyArray<unknown> = []
): Effect.fn.Return<ReadonlyArray<unknown>, Refusal, Dialect> {
  const groups = draft.nodeGroups === undefined ? before : listOf(draft.nodeGroups)
  const problem = (yield* Dialect).workflows.groupProblem(groups, draft)
  return problem === undefined ? groups : yield* badRequest(problem)
})

/** The version of a workflow, on engines that have versions. */
const versionOf = Effect.fnUntraced(function* (
  { connections, id, nodeGroups = [], nodes, updatedAt, versionId }: WorkflowRecord,
  before?: WorkflowRecord
) {
  const { keepsHistory } = (yield* Dialect).publishing
  return keepsHistory && versionId !== before?.versionId
    ? [{ savedVersion: { workflowId: id, versionId, nodes, connections, nodeGroups, createdAt: updatedAt } }]
    : []
})

export const createWorkflow: Handler = Effect.fnUntraced(function* ({ body }) {
  const { commit, tables } = yield* Store
  const { views, workflows } = yield* Dialect
  const draft = yield* read(body)
  const problem = workflows.creationProblem(draft, tables)
  if (problem !== undefined) return yield* problem
  const nodeGroups = yield* groupsOf(draft)
  const { text } = yield* present
  const workflow: WorkflowRecord = {
    id: yield* freshId,
    name: draft.name,
    description: null,
    active: false,
    isArchived: false,
    nodes: draft.nodes,
    connections: draft.connections,
    settings: draft.settings,
    nodeGroups,
    staticData: yield* staticDataOf(draft),
    pinData: draft.pinData ?? null,
    tagIds: [],
    ...(Predicate.isString(draft.projectId) ? { project: draft.projectId } : {}),
    ...(Predicate.isString(draft.parentFolderId) ? { folder: draft.parentFolderId } : {}),
    versionId: yield* freshUuid,
    versionCounter: 1,
    triggerCount: 0,
    createdAt: text,
    updatedAt: text,
    published: null,
    publications: [],
    busyUntil: 0
  }
  yield* commit({ workflow }, ...(yield* versionOf(workflow)))
  return ok(views.createdWorkflow(tables, workflow, pick(Object.keys(objectOf(body)), draft)))
})

export const updateWorkflow: Handler = Effect.fnUntraced(function* ({ at, body, query }) {
  const { commit, tables } = yield* Store
  const { messages, publishing, workflows } = yield* Dialect
  const draft = yield* read(body)
  const before = yield* findWorkflow(at("id"), messages.noWorkflow("update"))
  if (before.isArchived) return yield* badRequest("Cannot update an archived workflow.")
  const nodeGroups = yield* groupsOf(draft, before.nodeGroups)
  const moment = yield* present
  const settings = workflows.updatedSettings(before.settings, draft.settings)
  const isSameText = JSON.stringify([draft.nodes, settings]) === JSON.stringify([before.nodes, before.settings])
  const saved: WorkflowRecord = {
    ...before,
    name: draft.name,
    description: draft.description ?? before.description,
    nodes: draft.nodes,
    connections: draft.connections,
    settings,
    nodeGroups,
    staticData: draft.staticData === undefined ? before.staticData : yield* staticDataOf(draft),
    pinData: draft.pinData ?? before.pinData,
    versionId: workflows.isNewVersion(before, draft) ? yield* freshUuid : before.versionId,
    versionCounter: before.versionCounter + (isSameText ? 0 : 1),
    updatedAt: moment.text
  }
  const versions = yield* versionOf(saved, before)
  if (!saved.active || query.get("publishIfActive") === "false") {
    yield* commit({ workflow: saved }, ...versions)
    return ok(yield* showWorkflow(saved, "update"))
  }
  const problem = activationProblem(saved, workflows) ?? workflows.callProblem(saved, tables)
  if (problem !== undefined) {
    yield* commit({ workflow: workflows.afterRefusedUpdate(saved) }, ...versions)
    return yield* problem
  }
  const { publication, workflow } = publish(saved, moment, {
    rules: publishing,
    publication: tables.counters.publication
  })
  const others = withLostAddresses(workflow, [...tables.workflows.values()]).map((other) => ({ workflow: other }))
  yield* commit({ workflow }, { counters: { ...tables.counters, publication } }, ...versions, ...others)
  return ok(yield* showWorkflow(workflow, "update"))
})

/** Deletes a workflow with its executions. */
export const deleteWorkflow: Handler = Effect.fnUntraced(function* ({ at }) {
  const { commit, tables } = yield* Store
  const { publishing, workflows } = yield* Dialect
  const workflow = yield* findWorkflow(at("id"))
  const problem = workflows.deletionProblem(workflow)
  if (problem !== undefined) return yield* problem
  // A clock that was set back meanwhile makes nothing last longer.
  const busyFor = workflow.busyUntil - (yield* present).millis
  if (busyFor > 0 && busyFor <= publishing.busyFor) {
    return yield* conflict("Workflow is still being unpublished. Please try again in a few moments.")
  }
  const view = yield* showWorkflow(workflow, "delete")
  const runs = [...tables.executions.values()].filter(({ workflowId }) => workflowId === workflow.id)
  yield* commit({ removedWorkflow: workflow.id }, ...runs.map(({ id }) => ({ removedExecution: id })))
  return ok(view)
})

/** A node with the actual names of its credentials: found by their ids, or else by name and type. */
const withNamedCredentials = (node: JsonObject, { credentials }: Pick<Tables, "credentials">): JsonObject => {
  const { credentials: given } = node
  if (!isJsonObject(given)) return node
  const all = [...credentials.values()]
  const named = Object.entries(given).map(([type, value]) => {
    const { id, name } = isJsonObject(value) ? value : { id: undefined, name: value }
    const byId = all.find((one) => one.type === type && one.id === id)
    const byName = Predicate.isString(name) ? all.filter((one) => one.type === type && one.name === name) : []
    const credential = byId ?? (byName.length === 1 ? byName[0] : undefined)
    return [type, credential === undefined ? value : { id: credential.id, name: credential.name }] as const
  })
  return { ...node, credentials: Object.fromEntries(named) }
}

/** The refusal to activate a workflow, if the engine refuses. */
const activationProblem = (workflow: WorkflowRecord, rules: WorkflowRules): Refusal | undefined => {
  const unknownNode = workflow.nodes.find(({ type }) => !Predicate.isString(type) || !isKnownType(type))
  return unknownNode === undefined
    ? rules.activationProblem(workflow)
    : badRequest(`Unrecognized node type: ${textOf(unknownNode.type)}`)
}

export const activate: Handler = Effect.fnUntraced(function* ({ at, body }) {
  const { commit, tables } = yield* Store
  const { messages, publishing, workflows } = yield* Dialect
  const before = yield* findWorkflow(at("id"), messages.noWorkflow("activate"))
  if (before.active && !workflows.activatesAgain) return ok(yield* showWorkflow(before, "activate"))
  if (before.isArchived) return yield* badRequest("Cannot activate an archived workflow.")
  const { versionId } = objectOf(body)
  if (versionId !== undefined && versionId !== before.versionId) return yield* notFound("Version not found")
  const problem = activationProblem(before, workflows)
  if (problem !== undefined) return yield* problem
  const moment = yield* present
  const all = [...tables.workflows.values()]
  if (!workflows.sharesAddresses && collides(before, all, moment)) {
    return yield* conflict("There is a conflict with one of the webhooks.")
  }
  const missing = workflows.callProblem(before, tables)
  if (missing !== undefined) return yield* missing
  const { publication, workflow } = publish(before, moment, {
    rules: publishing,
    publication: tables.counters.publication
  })
  const saved = publishing.isUpdate ? { ...workflow, updatedAt: moment.text } : workflow
  const others = withLostAddresses(workflow, all).map((other) => ({ workflow: other }))
  yield* commit({ workflow: saved }, { counters: { ...tables.counters, publication } }, ...others)
  return ok(yield* showWorkflow(workflow, "activate"))
})

/** Whether another workflow already listens at an address of this one. */
const collides = (workflow: WorkflowRecord, others: ReadonlyArray<WorkflowRecord>, moment: Moment): boolean =>
  others.some((other) => other.id !== workflow.id && isListening(other, moment) && sharesAddress(workflow, other))

export const deactivate: Handler = Effect.fnUntraced(function* ({ at }) {
  const { commit, tables } = yield* Store
  const { messages, publishing } = yield* Dialect
  const before = yield* findWorkflow(at("id"), messages.noWorkflow("deactivate"))
  if (!before.active) return ok(yield* showWorkflow(before, "deactivate"))
  const moment = yield* present
  const { publication, workflow } = unpublish(before, moment, {
    rules: publishing,
    publication: tables.counters.publication
  })
  const saved = publishing.isUpdate ? { ...workflow, updatedAt: moment.text } : workflow
  yield* commit({ workflow: saved }, { counters: { ...tables.counters, publication } })
  return ok(yield* showWorkflow(workflow, "deactivate"))
})
