import { Effect, Predicate, Schema } from "effect"

import { memoized } from "../../../internal/caching.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { BriefAnswers } from "../../../mcp/selection.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { addressesOf, addressTexts } from "../../workflow/addresses.ts"
import type { Workflow } from "../../workflow/models.ts"
import { activeVersionDifference } from "../../workflow/views.ts"
import { optional } from "../parameters.ts"
import type { workflowState } from "../results.ts"
import { newAddressNotice } from "./addressing.ts"
import { warned } from "./findings.ts"

/**
 * A workflow as callers see it, after notices and warnings: its `version` and all that the engine shows, except `shared`,
 * which names owners and their addresses, and an `activeVersion` that only repeats the workflow.
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

/** The argument that says how much of a written workflow is answered. */
export const answerForm = optional(Schema.Literals(["whole", "short"]).annotate({ description: "short: no nodes" }))

/** A workflow that was written, in the form that the call or else the configuration says. */
export const showWritten = Effect.fnUntraced(function* (
  form: "short" | "whole" | undefined,
  workflow: Workflow,
  notices: ReadonlyArray<string>,
  warnings: ReadonlyArray<string>
) {
  const whole = yield* showWorkflow(workflow, notices, warnings)
  if ((form ?? ((yield* BriefAnswers) ? "short" : "whole")) === "whole") return whole
  const { active, id, name, tags = [], version } = whole
  const addresses = addressTexts(workflow).map(({ address }) => address)
  const repeated = new Set(addressesOf(workflow).map(newAddressNotice))
  return {
    ...noticed(notices.filter((notice) => !repeated.has(notice))),
    ...warned(warnings),
    id,
    name,
    active,
    version,
    ...(tags.length === 0 ? {} : { tags: tags.map((tag) => tag.name) }),
    ...(addresses.length === 0 ? {} : { addresses })
  }
})

/** The state of a workflow, for who has just seen or will not miss the rest. */
export const shownState = (workflow: Workflow, notices: ReadonlyArray<string> = []) =>
  Effect.map(showWorkflow(workflow, notices), identified)

/** The answer after a change of a workflow that is too large to be shown whole. */
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

/** The fields that identify a workflow and tell its state. */
export const stateOf = (workflow: JsonObject): JsonObject =>
  Object.fromEntries(stateFields.flatMap((field) => (field in workflow ? [[field, workflow[field]]] : [])))

type Identified = JsonObject & typeof workflowState.Type

const identified = (workflow: Identified) => {
  const { active, id, name, version } = workflow
  return { ...stateOf(workflow), version, id, name, active }
}
