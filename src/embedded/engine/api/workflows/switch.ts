import { Effect } from "effect"

import { activationProblem } from "../../rules/activation.ts"
import { addressesOf } from "../../rules/addresses.ts"
import { isListening, publish, unpublish } from "../../rules/publishing.ts"
import { Edition } from "../../store/Edition.ts"
import { type Moment, present } from "../../store/fresh.ts"
import type { WorkflowRecord } from "../../store/records.ts"
import { Store } from "../../store/Store.ts"
import { asFree } from "../../store/values.ts"
import { type Endpoint, ok } from "../../wire/Endpoint.ts"
import { badRequest, conflict, notFound } from "../../wire/Refusal.ts"
import { anything } from "../../wire/shapes.ts"
import { find, show } from "./lookup.ts"
import { notYours } from "./write.ts"

const activate: Endpoint["run"] = Effect.fnUntraced(function* ({ at, body }) {
  const { commit, tables } = yield* Store
  const { isSecond } = yield* Edition
  const before = yield* find(at("id"), isSecond ? notYours("activate") : notFound())
  if (!isSecond && before.active) return ok(yield* show(before, "activate"))
  if (before.isArchived) return yield* badRequest("Cannot activate an archived workflow.")
  const { versionId } = asFree(body)
  if (versionId !== undefined && versionId !== before.versionId) return yield* notFound("Version not found")
  const problem = activationProblem(before, isSecond)
  if (problem !== undefined) return yield* problem
  const moment = yield* present
  if (isSecond && collides(before, [...tables.workflows.values()], moment)) {
    return yield* conflict("There is a conflict with one of the webhooks.")
  }
  const { publication, workflow } = publish(before, moment, { isSecond, publication: tables.counters.publication })
  const saved = isSecond ? workflow : { ...workflow, updatedAt: moment.text }
  yield* commit({ workflow: saved }, { counters: { ...tables.counters, publication } })
  return ok(yield* show(workflow, "activate"))
})

/** Whether another workflow already listens where this one would. */
const collides = (workflow: WorkflowRecord, others: ReadonlyArray<WorkflowRecord>, moment: Moment): boolean => {
  const wanted = new Set(addressesOf(workflow.id, workflow.nodes).map(({ method, path }) => `${method} ${path}`))
  return others
    .filter((other) => other.id !== workflow.id && isListening(other, moment))
    .flatMap((other) => addressesOf(other.id, other.published?.nodes ?? []))
    .some(({ method, path }) => wanted.has(`${method} ${path}`))
}

const deactivate: Endpoint["run"] = Effect.fnUntraced(function* ({ at }) {
  const { commit, tables } = yield* Store
  const { isSecond } = yield* Edition
  const before = yield* find(at("id"), isSecond ? notYours("deactivate") : notFound())
  if (!before.active) return ok(yield* show(before, "deactivate"))
  const moment = yield* present
  const { publication, workflow } = unpublish(before, moment, { isSecond, publication: tables.counters.publication })
  const saved = isSecond ? workflow : { ...workflow, updatedAt: moment.text }
  yield* commit({ workflow: saved }, { counters: { ...tables.counters, publication } })
  return ok(yield* show(workflow, "deactivate"))
})

/** Archives or brings back; what is archived does not run. */
const archive = (isArchived: boolean): Endpoint["run"] =>
  Effect.fnUntraced(function* ({ at }) {
    const { commit, tables } = yield* Store
    const before = yield* find(at("id"))
    if (!isArchived && !before.isArchived) return yield* badRequest("Workflow is not archived.")
    const moment = yield* present
    const { publication, workflow } = unpublish(before, moment, {
      isSecond: true,
      publication: tables.counters.publication
    })
    const saved = { ...workflow, isArchived, updatedAt: moment.text }
    yield* commit({ workflow: saved }, { counters: { ...tables.counters, publication } })
    return ok(yield* show(saved, "deactivate"))
  })

const activation = { method: "POST", path: "/workflows/:id/activate", query: {}, run: activate } as const
const deactivation = { method: "POST", path: "/workflows/:id/deactivate", query: {}, run: deactivate } as const
const body = { shape: anything, isOptional: true }

/** Whatever is sent with the call, 1.x engines do not look at it. */
export const firstSwitches: ReadonlyArray<Endpoint> = [activation, deactivation]

export const secondSwitches: ReadonlyArray<Endpoint> = [
  { ...activation, body },
  { ...activation, body, path: "/workflows/:id/publish" },
  { ...deactivation, body },
  { ...deactivation, body, path: "/workflows/:id/unpublish" },
  { method: "POST", path: "/workflows/:id/archive", query: {}, run: archive(true) },
  { method: "POST", path: "/workflows/:id/unarchive", query: {}, run: archive(false) }
]
