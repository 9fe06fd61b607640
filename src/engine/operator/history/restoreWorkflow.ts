import { Effect, Result } from "effect"

import { edits } from "../../../mcp/annotations.ts"
import { Caller } from "../../../mcp/callContext.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { readWorkflows } from "../../client/absence.ts"
import type { Changes } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { listWhole, workflowsIn } from "../../client/listAll.ts"
import { changesTo, creationOf, differencesFrom } from "../../history/restoring.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { flag, ifVersion, optional, workflowId } from "../../tools/parameters.ts"
import { refuseName } from "../../tools/references.ts"
import { exclusively, failIfChangedSince } from "../../tools/workflows/guards.ts"
import { shownState } from "../../tools/workflows/showWorkflow.ts"
import { write } from "../../tools/workflows/writes.ts"
import { changeLines } from "../../workflow/difference.ts"
import type { Workflow, WorkflowId } from "../../workflow/models.ts"
import { callingInstead, callsOf } from "../../workflow/subWorkflows.ts"
import { deletedNamed, nothingKept } from "./historyErrors.ts"
import { namedVersion, recordIn, versionArgument, withoutChange } from "./namedVersion.ts"
import { recreate, restore } from "./restore.ts"

export const restoreWorkflow = EngineTool.make("restore_workflow", {
  title: "Restore workflow",
  description:
    "Undo the last change of a workflow, or bring back a former version: content, tags, state. A deleted one gets a new id",
  annotations: edits,
  arguments: {
    id: workflowId,
    version: versionArgument("Of workflow_history, execution id, published; default: before the last change"),
    undo: optional(flag("Undo that version's change alone; keep what came later")),
    ifVersion,
    relink: optional(flag("Let what names the old id of a deleted one name the new one")),
    dry_run: optional(flag("Only say what would change"))
  },
  deletedNamed,
  run: ({ dry_run: isDryRun = false, id, ifVersion, relink = false, undo = false, version }) =>
    restored(id, version, { ifVersion, isDryRun, isUndoing: undo, relinks: relink }).pipe(exclusively(id))
})

interface RestoreOptions {
  readonly ifVersion: string | undefined
  readonly isDryRun: boolean
  /** Whether only the change that the version stands for is taken back. */
  readonly isUndoing: boolean
  readonly relinks: boolean
}

const restored = Effect.fnUntraced(function* (
  id: WorkflowId,
  version: string | undefined,
  { ifVersion, isDryRun, isUndoing, relinks }: RestoreOptions
) {
  const engine = yield* EngineClient
  const { caveat, workflows } = yield* readWorkflows(engine, [id])
  const current = workflows.get(id)
  const doubts = caveat === undefined ? [] : [caveat]
  if (current !== undefined && ifVersion !== undefined) {
    yield* failIfChangedSince(ifVersion, current)
  }
  const nameless = Effect.suspend(() => (current === undefined ? refuseName(id, deletedNamed) : Effect.void))
  const isOneChange = isUndoing && version !== undefined && version !== "previous"
  const { named, record } = yield* Effect.tapError(
    isOneChange ? withoutChange(id, version, current) : asIn(id, version, current),
    () => nameless
  )
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
    const callersRead = yield* Effect.result(callersOf(id))
    const relinked = relinks && Result.isSuccess(callersRead) ? callersRead.success.map(({ workflow }) => workflow) : []
    yield* engine.mayChange({ name: creationOf(record).name }, ...relinked)
    const { notices, workflow } = yield* recreate(id, record)
    const { callers, problem } = yield* followed(id, workflow.id, { callersRead, relinks })
    return {
      ...(yield* shownState(workflow, [...doubts, ...notices, ...problem])),
      formerId: id,
      to: named,
      changes: lines,
      ...(callers.length === 0 ? {} : { callers })
    }
  }).pipe(Effect.updateService(Caller, (caller) => ({ ...caller, reason: caller.reason ?? `back to ${named}` })))
})

/** The workflow as it was in a version; without one, before its last change. */
const asIn = (id: WorkflowId, version: string | undefined, current: Workflow | undefined) =>
  namedVersion(id, version ?? "previous", current).pipe(
    Effect.map((former) => ({ record: recordIn(former, current), named: former.named })),
    Effect.catchTag(
      "Unavailable",
      Effect.fnUntraced(function* ({ guidance }) {
        if (version === undefined || version === "previous") return yield* nothingKept(id)
        return yield* new InvalidArgument({ argument: "version", problem: `cannot be read. ${guidance}` })
      })
    )
  )

interface Followed {
  readonly callersRead: Result.Result<ReadonlyArray<CallingWorkflow>, EngineError>
  readonly relinks: boolean
}

/** The workflows that name a deleted one; with `relinks`, they are changed to name the new one. */
const followed = Effect.fnUntraced(function* (
  formerId: WorkflowId,
  id: WorkflowId,
  { callersRead, relinks }: Followed
) {
  if (Result.isFailure(callersRead)) {
    return { callers: [], problem: [`What names ${formerId} could not be looked for: ${callersRead.failure.message}`] }
  }
  const callers = relinks ? yield* relink(callersRead.success, formerId, id) : callersRead.success.map(shownCaller)
  return { callers, problem: callers.length === 0 || relinks ? [] : [stillNamed(formerId)] }
})

const stillNamed = (formerId: WorkflowId) =>
  `The workflows in \`callers\` still name ${formerId}: change them, or have it done at once by \`relink\` the next time.`

/** A workflow that names another one, and the places. */
interface CallingWorkflow {
  readonly workflow: Workflow
  readonly at: ReadonlyArray<string>
}

/** A caller in an answer. */
const shownCaller = ({ at, workflow: { id, name } }: CallingWorkflow) => ({ id, name, at })

/** The workflows that name this one: sub-workflow calls, error workflows, and who may call. */
const callersOf = Effect.fnUntraced(function* (called: WorkflowId) {
  const engine = yield* EngineClient
  const all = yield* listWhole(engine, engine.listWorkflows)
  return workflowsIn(all).flatMap((workflow): ReadonlyArray<CallingWorkflow> => {
    const at = workflow.id === called ? [] : callsOf(workflow, called)
    return at.length === 0 ? [] : [{ workflow, at }]
  })
})

/** Changes workflows to name another one instead, each independently: the row of one that cannot be changed has the error. */
const relink = (callers: ReadonlyArray<CallingWorkflow>, from: WorkflowId, to: WorkflowId) =>
  Effect.forEach(callers, (caller) =>
    Effect.gen(function* () {
      const { getWorkflow } = yield* EngineClient
      const current = yield* getWorkflow(caller.workflow.id)
      yield* write(current, callingInstead(current, from, to), false)
    }).pipe(
      exclusively(caller.workflow.id),
      Effect.result,
      Effect.map((result) => ({
        ...shownCaller(caller),
        ...(Result.isSuccess(result) ? { relinked: true } : { relinked: false, error: result.failure.message })
      }))
    )
  )
