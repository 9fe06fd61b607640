import { Effect, Predicate } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { isKnownType } from "../run/knownTypes.ts"
import { isListening, losers, publish, sharesAddress, unpublish } from "../run/publishing.ts"
import { type Moment, present } from "../store/fresh.ts"
import type { WorkflowRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { textOf } from "../store/values.ts"
import { badRequest, conflict, notFound, type Refusal } from "../wire/http.ts"
import { Dialect, type Handler, ok, type WorkflowRules } from "./Dialect.ts"
import { findWorkflow, showWorkflow } from "./workflowReads.ts"

/** Why an engine refuses to activate a workflow, if it does. */
export const activationProblem = (workflow: WorkflowRecord, rules: WorkflowRules): Refusal | undefined => {
  const stranger = workflow.nodes.find(({ type }) => !Predicate.isString(type) || !isKnownType(type))
  return stranger === undefined
    ? rules.activationProblem(workflow)
    : badRequest(`Unrecognized node type: ${textOf(stranger.type)}`)
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
  const others = losers(workflow, all).map((other) => ({ workflow: other }))
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
