import { Effect, Predicate } from "effect"

import { memoized } from "../../../internal/caching.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Workflow } from "../../workflow/models.ts"
import { activeVersionDifference } from "../../workflow/views.ts"
import type { workflowState } from "../results.ts"
import { warned } from "./findings.ts"

/**
 * What a caller sees of a workflow, after what it should know about it: its `version`, and all that the engine shows but
 * for `shared`, which names owners and their addresses, and a repetition of the workflow as its own `activeVersion`.
 */
export const showWorkflow = (
  workflow: Workflow,
  notices: ReadonlyArray<string> = [],
  warnings: ReadonlyArray<string> = []
) =>
  EngineClient.use(({ versions }) =>
    Effect.sync((): Shown => {
      const whole = viewOf(workflow, versions.remember(workflow))
      return notices.length + warnings.length === 0 ? whole : { ...noticed(notices), ...warned(warnings), ...whole }
    })
  )

type Shown = Workflow & { readonly version: string }

const viewOf = memoized((workflow: Workflow, version: string): Shown => {
  const { activeVersion: _activeVersion, shared: _shared, ...rest } = workflow
  return { version, ...rest, ...activeVersionDifference(workflow) }
})

/** The state of a workflow, for who has just seen or will not miss the rest. */
export const shownState = (workflow: Workflow, notices: ReadonlyArray<string> = []) =>
  Effect.map(showWorkflow(workflow, notices), identified)

/** What to answer after a change where the whole workflow is too large. */
export const shorten = (done: string) => (workflow: Identified, bytes: number) => {
  const notice =
    `The workflow was ${done}: do not repeat that. Only its state is shown, because the whole would be ${bytes} bytes. ` +
    "Read it with get_workflow."
  const before = Predicate.isString(workflow.notice) ? [workflow.notice] : []
  return { ...identified(workflow), ...noticed([notice, ...before]) }
}

/** A notice about the fields that the engine did not take, if there are any. */
export const leftOut = (dropped: ReadonlyArray<string>): ReadonlyArray<string> =>
  dropped.length === 0 ? [] : [`Left out, because this engine does not take it: ${dropped.join(", ")}`]

const noticed = (notices: ReadonlyArray<string>): JsonObject =>
  notices.length === 0 ? {} : { notice: notices.join(" ") }

const stateFields = [
  "notice",
  "warnings",
  "version",
  "id",
  "name",
  "active",
  "createdAt",
  "updatedAt",
  "isArchived",
  "versionId",
  "activeVersionId",
  "triggerCount"
]

/** What identifies a workflow, and how it is. */
export const stateOf = (workflow: JsonObject): JsonObject =>
  Object.fromEntries(stateFields.flatMap((field) => (field in workflow ? [[field, workflow[field]]] : [])))

type Identified = JsonObject & typeof workflowState.Type

const identified = (workflow: Identified) => {
  const { active, id, name, version } = workflow
  return { ...stateOf(workflow), version, id, name, active }
}
