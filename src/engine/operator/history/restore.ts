import { Effect } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { tagIds } from "../../history/record.ts"
import { changesTo, creationOf, differencesFrom } from "../../history/restoring.ts"
import { whileDone } from "../../tools/workflows/guards.ts"
import { leftOut } from "../../tools/workflows/showWorkflow.ts"
import { notStarted, switchOn } from "../../tools/workflows/switchOn.ts"
import { write } from "../../tools/workflows/writes.ts"
import { changeLines } from "../../workflow/difference.ts"
import type { Workflow, WorkflowId } from "../../workflow/models.ts"
import { callingInstead } from "../../workflow/subWorkflows.ts"
import { isSameJson } from "../../workflow/versions.ts"
import { restoredTags } from "./restoredTags.ts"

/** A workflow that is as it was again, and what is to be said about it. */
export interface Restored {
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
  const { dropped, workflow } = yield* engine.createWorkflow(creationOf(record))
  const { id } = workflow
  // One that calls itself has to call itself anew.
  const own = callingInstead(workflow, formerId, id)
  const wanted = {
    ...record,
    ...(own.nodes === undefined ? {} : { nodes: own.nodes }),
    ...(own.settings === undefined ? {} : { settings: { ...workflow.settings, ...own.settings } })
  }
  const done = yield* whileDone(
    Effect.gen(function* () {
      const { description, ...others } = changesTo(record, { ...workflow, pinData: record.pinData })
      const isOther = typeof description === "string" && description !== ""
      if (isOther || Object.keys(own).length > 0)
        yield* engine.updateWorkflow(workflow, { ...others, ...own, ...(isOther ? { description } : {}) })
      return yield* completed(id, workflow, wanted)
    }),
    { id, done: "created", step: "the rest" }
  )
  const notice = `Workflow ${formerId} was deleted: it was made anew, and its id is ${id} now. Its executions are gone.`
  return { workflow: done.workflow, notices: [notice, ...leftOut(dropped), ...done.notices] } satisfies Restored
})

/** Tags, archive and state, and what is still different then. */
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
