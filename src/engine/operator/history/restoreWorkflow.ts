import { Effect, Result, Schema } from "effect"

import { changes } from "../../../mcp/annotations.ts"
import { Caller } from "../../../mcp/callContext.ts"
import { readWorkflows } from "../../client/absence.ts"
import type { Changes } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { changesTo, creationOf, differencesFrom } from "../../history/restoring.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { flag, ifVersion, optional, workflowId } from "../../tools/parameters.ts"
import { exclusively, failIfChangedSince } from "../../tools/workflows/guards.ts"
import { shownState } from "../../tools/workflows/showWorkflow.ts"
import { changeLines } from "../../workflow/difference.ts"
import type { WorkflowId } from "../../workflow/models.ts"
import { callersOf, type CallingWorkflow, relink, shownCaller } from "./callingWorkflows.ts"
import { chosen } from "./chosenVersion.ts"
import { recreate, restore } from "./restore.ts"

const version = Schema.String.check(
  Schema.isPattern(/^[0-9a-zA-Z-]{7,64}$/, { message: "must be a `version` of workflow_history" })
)

export const restoreWorkflow = EngineTool.make("restore_workflow", {
  title: "Restore workflow",
  description:
    "Bring a workflow back to a former version, or undo its last change, whoever made it: content, tags, active state. A " +
    "deleted one is made anew, with a new id",
  annotations: changes,
  arguments: {
    id: workflowId,
    version: optional(
      version.annotate({
        description: "From workflow_history, or execution-ID: as that ran. Left out or previous: before the last change"
      })
    ),
    ifVersion,
    relink: optional(flag("Let what names a deleted one's old id name the new one")),
    dry_run: optional(flag("Only say what would change"))
  },
  run: ({ dry_run: isDryRun = false, id, ifVersion, relink = false, version }) =>
    restored(id, version, { ifVersion, isDryRun, relinks: relink }).pipe(exclusively(id))
})

interface Asked {
  readonly ifVersion: string | undefined
  readonly isDryRun: boolean
  readonly relinks: boolean
}

const restored = Effect.fnUntraced(function* (
  id: WorkflowId,
  version: string | undefined,
  { ifVersion, isDryRun, relinks }: Asked
) {
  const engine = yield* EngineClient
  const { caveat, workflows } = yield* readWorkflows(engine, [id])
  const current = workflows.get(id)
  const doubts = caveat === undefined ? [] : [caveat]
  if (current !== undefined && ifVersion !== undefined) {
    yield* failIfChangedSince(ifVersion, current)
  }
  const { named, record } = yield* chosen(id, version, current)
  const lines = current === undefined ? ["made anew, under a new id"] : changeLines(differencesFrom(current, record))
  if (isDryRun) {
    const callers = current === undefined ? (yield* callersOf(id)).map(shownCaller) : []
    return { dryRun: true, id, to: named, changes: [...lines, ...doubts], ...(callers.length === 0 ? {} : { callers }) }
  }
  const wanted: Changes = current === undefined ? {} : changesTo(record, current)
  if (current !== undefined && lines.length === 0 && Object.keys(wanted).length === 0) {
    return { ...(yield* shownState(current, [`Nothing was changed: it is as in ${named} already.`])), changes: [] }
  }
  return yield* Effect.gen(function* () {
    // Whether it may be changed is decided before anything is sent: half of it would restore nothing.
    if (current !== undefined) {
      const becoming = { before: current, after: record }
      const isRenamed = wanted.name === undefined ? {} : { name: wanted.name }
      yield* engine.mayChange({ ...current, becoming }, { ...current, ...isRenamed, becoming })
      const { notices, workflow } = yield* restore(current, record)
      return { ...(yield* shownState(workflow, notices)), to: named, changes: lines }
    }
    const found = yield* Effect.result(callersOf(id))
    const relinked = relinks && Result.isSuccess(found) ? found.success.map(({ workflow }) => workflow) : []
    yield* engine.mayChange({ name: creationOf(record).name }, ...relinked)
    const { notices, workflow } = yield* recreate(id, record)
    const { callers, problem } = yield* followed(id, workflow.id, { found, relinks })
    return {
      ...(yield* shownState(workflow, [...doubts, ...notices, ...problem])),
      formerId: id,
      to: named,
      changes: lines,
      ...(callers.length === 0 ? {} : { callers })
    }
  }).pipe(Effect.updateService(Caller, (caller) => ({ ...caller, reason: caller.reason ?? `back to ${named}` })))
})

interface Followed {
  readonly found: Result.Result<ReadonlyArray<CallingWorkflow>, EngineError>
  readonly relinks: boolean
}

/** The workflows that name a deleted one, which name the new one if they are asked to. */
const followed = Effect.fnUntraced(function* (formerId: WorkflowId, id: WorkflowId, { found, relinks }: Followed) {
  if (Result.isFailure(found)) {
    return { callers: [], problem: [`What names ${formerId} could not be looked for: ${found.failure.message}`] }
  }
  const callers = relinks ? yield* relink(found.success, formerId, id) : found.success.map(shownCaller)
  return { callers, problem: callers.length === 0 || relinks ? [] : [stillNamed(formerId)] }
})

const stillNamed = (formerId: WorkflowId) =>
  `The workflows in \`callers\` still name ${formerId}: change them, or have it done at once by \`relink\` the next time.`
