import { Effect, Schema } from "effect"

import { changes } from "../../../mcp/annotations.ts"
import { Caller } from "../../../mcp/Caller.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import type { WorkflowId } from "../../client/models.ts"
import { changesTo, differencesFrom } from "../../history/wanted.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { flag, ifVersion, optional, workflowId } from "../../tools/parameters.ts"
import { exclusively, failIfChanged } from "../../tools/workflows/guards.ts"
import { shownState } from "../../tools/workflows/shown.ts"
import { changeLines } from "../../workflow/difference.ts"
import { chosen } from "./chosen.ts"
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
    version: optional(version.annotate({ description: "From workflow_history; left out: before the last change" })),
    ifVersion,
    dry_run: optional(flag("Only say what would change"))
  },
  run: ({ dry_run: isDryRun = false, id, ifVersion, version }) =>
    restored(id, version, { ifVersion, isDryRun }).pipe(exclusively(id))
})

const restored = Effect.fnUntraced(function* (
  id: WorkflowId,
  version: string | undefined,
  { ifVersion, isDryRun }: { readonly ifVersion: string | undefined; readonly isDryRun: boolean }
) {
  const engine = yield* EngineClient
  const current = yield* engine.getWorkflow(id).pipe(Effect.catchIf(isMissing, () => Effect.succeed(undefined)))
  if (current !== undefined && ifVersion !== undefined) {
    yield* failIfChanged(engine.versions.changesSince(ifVersion, current), current, "ifVersion")
  }
  const { named, record } = yield* chosen(id, version, current)
  const lines = current === undefined ? ["made anew, under a new id"] : changeLines(differencesFrom(current, record))
  if (isDryRun) return { dryRun: true, id, to: named, changes: lines }
  if (current !== undefined && lines.length === 0 && Object.keys(changesTo(record, current)).length === 0) {
    return { ...(yield* shownState(current, [`Nothing was changed: it is as in ${named} already.`])), changes: [] }
  }
  const { notices, workflow } = yield* (current === undefined ? recreate(id, record) : restore(current, record)).pipe(
    Effect.updateService(Caller, (caller) => ({ ...caller, reason: caller.reason ?? `back to ${named}` }))
  )
  return {
    ...(yield* shownState(workflow, notices)),
    ...(current === undefined ? { formerId: id } : {}),
    to: named,
    changes: lines
  }
})

const isMissing = (error: EngineError) => error._tag === "ApiError" && error.httpStatus === 404
