import { Effect, Schema } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { listWhole } from "../../client/listAll.ts"
import { tagIds } from "../../history/record.ts"
import { changesTo, creationOf, differencesFrom, tagsIn } from "../../history/restoring.ts"
import { whileDone } from "../../tools/workflows/guards.ts"
import { leftOut } from "../../tools/workflows/showWorkflow.ts"
import { notStarted, switchOn } from "../../tools/workflows/switchOn.ts"
import { write } from "../../tools/workflows/writes.ts"
import { changeLines } from "../../workflow/difference.ts"
import { TagId, type Workflow, type WorkflowId } from "../../workflow/models.ts"
import { callingInstead } from "../../workflow/subWorkflows.ts"
import { isSameJson } from "../../workflow/versions.ts"

/** A restored workflow, and notices about it. */
interface Restored {
  readonly workflow: Workflow
  readonly notices: ReadonlyArray<string>
}

/** Makes a workflow what it was in a record: its content, its tags, whether it is archived and whether it is active. */
export const restore = Effect.fnUntraced(function* (current: Workflow, record: JsonObject) {
  const engine = yield* EngineClient
  const { id } = current
  const wanted = changesTo(record, current)
  const stops = current.active && record.active !== true
  const notices: Array<string> = []

  const hasOtherTags = !isSameJson(tagIds(current), tagIds(record))
  yield* engine.requireRights([
    current.isArchived === true && "POST /workflows/{}/unarchive",
    stops && "POST /workflows/{}/deactivate",
    Object.keys(wanted).length > 0 && "PUT /workflows/{}",
    hasOtherTags && "PUT /workflows/{}/tags",
    record.isArchived === true && "POST /workflows/{}/archive",
    record.active === true && !current.active && "POST /workflows/{}/activate"
  ])
  if (current.isArchived === true) yield* engine.archiveWorkflowIfSupported(id, false)
  if (stops) yield* engine.deactivateWorkflow(id)
  if (Object.keys(wanted).length > 0) {
    const before = current.isArchived === true ? { ...current, isArchived: false, active: false } : current
    const written = write(before, wanted, stops)
    const done = yield* stops ? whileDone(written, { id, done: "deactivated", step: "changing it back" }) : written
    notices.push(...done.notices)
  }
  return yield* whileDone(completed(id, current, record), { id, done: "changed back", step: "the rest" }).pipe(
    Effect.map(({ notices: more, workflow }): Restored => ({ workflow, notices: [...notices, ...more] }))
  )
})

/** Makes a workflow that is gone anew, which gives it another id. */
export const recreate = Effect.fnUntraced(function* (formerId: WorkflowId, record: JsonObject) {
  const engine = yield* EngineClient
  yield* engine.requireRights([
    "POST /workflows",
    tagsIn(record).length > 0 && "PUT /workflows/{}/tags",
    record.isArchived === true && "POST /workflows/{}/archive",
    record.active === true && "POST /workflows/{}/activate"
  ])
  const { dropped, workflow } = yield* engine.createWorkflow(creationOf(record))
  const { id } = workflow
  // One that calls itself has to call itself anew.
  const relinked = callingInstead(workflow, formerId, id)
  const wanted = {
    ...record,
    ...(relinked.nodes === undefined ? {} : { nodes: relinked.nodes }),
    ...(relinked.settings === undefined ? {} : { settings: { ...workflow.settings, ...relinked.settings } })
  }
  const done = yield* whileDone(
    Effect.gen(function* () {
      const { description, ...others } = changesTo(record, { ...workflow, pinData: record.pinData })
      const isOther = typeof description === "string" && description !== ""
      if (isOther || Object.keys(relinked).length > 0)
        yield* engine.updateWorkflow(workflow, { ...others, ...relinked, ...(isOther ? { description } : {}) })
      return yield* completed(id, workflow, wanted)
    }),
    { id, done: "created", step: "the rest" }
  )
  const notice = `Workflow ${formerId} was deleted: it was made anew, and its id is ${id} now. Its executions are gone.`
  return { workflow: done.workflow, notices: [notice, ...leftOut(dropped), ...done.notices] } satisfies Restored
})

/** Restores tags, archive and state; the notices name the differences that remain. */
const completed = Effect.fnUntraced(function* (id: WorkflowId, current: Workflow, record: JsonObject) {
  const engine = yield* EngineClient
  if (!isSameJson(tagIds(current), tagIds(record))) yield* engine.setWorkflowTags(id, yield* restoredTags(record))
  if (record.isArchived === true) yield* engine.archiveWorkflowIfSupported(id, true)
  else if (record.active === true && !current.active) yield* switchOn(id)
  const workflow = yield* engine.getWorkflow(id)
  const left = changeLines(differencesFrom(workflow, record), 10)
  const notices =
    left.length === 0 ? [] : [`This engine could not be brought back to all of it. Still to do: ${left.join("; ")}`]
  return { workflow, notices: [...notStarted(workflow), ...notices] }
})

const isTagId = Schema.is(TagId)
const toTagId = Schema.decodeUnknownEffect(TagId)

/** The ids of the tags that a record names; tags that are gone are taken by their name, or made anew. */
const restoredTags = Effect.fnUntraced(function* (record: JsonObject) {
  const engine = yield* EngineClient
  const wanted = tagsIn(record)
  if (wanted.length === 0) return []
  const existingTags = (yield* listWhole(engine, engine.listTags)).filter(({ id }) => isTagId(id))
  return yield* Effect.forEach(
    wanted,
    Effect.fnUntraced(function* ({ id, name }) {
      const existingTag = existingTags.find((tag) => tag.id === id) ?? existingTags.find((tag) => tag.name === name)
      return yield* Effect.orDie(toTagId((existingTag ?? (yield* engine.createTag(name))).id))
    })
  )
})
