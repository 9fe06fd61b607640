import { Effect, Equal } from "effect"

import { activationProblem } from "../../rules/activation.ts"
import { publish } from "../../rules/publishing.ts"
import { Edition } from "../../store/Edition.ts"
import { freshId, freshUuid, present } from "../../store/fresh.ts"
import type { WorkflowRecord } from "../../store/records.ts"
import { Store } from "../../store/Store.ts"
import { asFree, textOf } from "../../store/values.ts"
import { type Endpoint, ok } from "../../wire/Endpoint.ts"
import { badRequest, notFound, type Refusal } from "../../wire/Refusal.ts"
import { type Draft, inOrder, read, staticDataOf } from "./draft.ts"
import { find, show } from "./lookup.ts"
import { firstWorkflow, secondNewWorkflow, secondWorkflow } from "./shapes.ts"

const create: Endpoint["run"] = Effect.fnUntraced(function* ({ body }) {
  const { commit, tables } = yield* Store
  const { isSecond } = yield* Edition
  const draft = yield* read(body)
  const problem = isSecond ? problemOfNew(draft, tables.owner.projectId) : undefined
  if (problem !== undefined) return yield* problem
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
    staticData: yield* staticDataOf(draft),
    pinData: draft.pinData ?? null,
    tagIds: [],
    versionId: yield* freshUuid,
    versionCounter: 1,
    triggerCount: 0,
    createdAt: text,
    updatedAt: text,
    published: null,
    publications: [],
    busyUntil: 0
  }
  yield* commit({ workflow })
  return ok(
    isSecond
      ? yield* show(workflow, "create")
      : { ...inOrder(Object.keys(asFree(body)), draft), ...added(draft, workflow) }
  )
})

/** What is wrong with a new workflow in the eyes of a 2.x engine, beside its graph. */
const problemOfNew = ({ name, parentFolderId, projectId }: Draft, own: string): Refusal | undefined => {
  if (name.length === 0 || name.length > 128) return badRequest("Workflow name must be 1 to 128 characters long.")
  if (projectId !== undefined && projectId !== own) return notFound("Project not found")
  return parentFolderId === undefined ? undefined : notFound(`Could not find the folder: ${textOf(parentFolderId)}`)
}

/** What a 1.x engine puts behind what it was sent, to answer with that. */
const added = (draft: Draft, workflow: WorkflowRecord) => ({
  active: false,
  versionId: workflow.versionId,
  id: workflow.id,
  staticData: draft.staticData ?? null,
  meta: null,
  pinData: null,
  createdAt: workflow.createdAt,
  updatedAt: workflow.updatedAt,
  triggerCount: 0
})

const update: Endpoint["run"] = Effect.fnUntraced(function* ({ at, body, query }) {
  const { commit, tables } = yield* Store
  const { isSecond } = yield* Edition
  const draft = yield* read(body)
  const before = yield* find(at("id"), isSecond ? notYours("update") : notFound())
  if (before.isArchived) return yield* badRequest("Cannot update an archived workflow.")
  const moment = yield* present
  const isSameGraph = Equal.equals(draft.nodes, before.nodes) && Equal.equals(draft.connections, before.connections)
  const settings = isSecond ? { ...before.settings, ...draft.settings } : draft.settings
  const isSameText = JSON.stringify([draft.nodes, settings]) === JSON.stringify([before.nodes, before.settings])
  const saved: WorkflowRecord = {
    ...before,
    name: draft.name,
    description: draft.description ?? before.description,
    nodes: draft.nodes,
    connections: draft.connections,
    settings,
    staticData: draft.staticData === undefined ? before.staticData : yield* staticDataOf(draft),
    pinData: draft.pinData ?? before.pinData,
    versionId: isSecond && isSameGraph ? before.versionId : yield* freshUuid,
    versionCounter: before.versionCounter + (isSameText ? 0 : 1),
    updatedAt: moment.text
  }
  if (!saved.active || query.get("publishIfActive") === "false") {
    yield* commit({ workflow: saved })
    return ok(yield* show(saved, "update"))
  }
  const problem = activationProblem(saved, isSecond)
  if (problem !== undefined) {
    yield* commit({ workflow: isSecond ? saved : { ...saved, published: null } })
    return yield* problem
  }
  const { publication, workflow } = publish(saved, moment, { isSecond, publication: tables.counters.publication })
  yield* commit({ workflow }, { counters: { ...tables.counters, publication } })
  return ok(yield* show(workflow, "update"))
})

/** How a 2.x engine says that there is no such workflow to change. */
export const notYours = (verb: string) =>
  notFound(`You do not have permission to ${verb} this workflow. Ask the owner to share it with you.`)

const creation = { method: "POST", path: "/workflows", query: {}, run: create } as const
const replacement = { method: "PUT", path: "/workflows/:id", query: {}, run: update } as const

export const firstWrites: ReadonlyArray<Endpoint> = [
  { ...creation, body: { shape: firstWorkflow } },
  { ...replacement, body: { shape: firstWorkflow } }
]

export const secondWrites: ReadonlyArray<Endpoint> = [
  { ...creation, body: { shape: secondNewWorkflow } },
  { ...replacement, query: { publishIfActive: "boolean" }, body: { shape: secondWorkflow } }
]
