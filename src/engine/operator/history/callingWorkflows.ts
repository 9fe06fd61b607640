import { Effect, Result } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { listWhole, workflowsIn } from "../../client/listAll.ts"
import { exclusively } from "../../tools/workflows/guards.ts"
import { write } from "../../tools/workflows/writes.ts"
import type { Workflow, WorkflowId } from "../../workflow/models.ts"
import { callingInstead, callsOf } from "../../workflow/subWorkflows.ts"

/** A workflow that names another one, and where. */
export interface CallingWorkflow {
  readonly workflow: Workflow
  readonly at: ReadonlyArray<string>
}

/** The same in short. */
export const shownCaller = ({ at, workflow: { id, name } }: CallingWorkflow) => ({ id, name, at })

/** The workflows that name this one: sub-workflow calls, error workflows, and who may call. */
export const callersOf = Effect.fnUntraced(function* (called: WorkflowId) {
  const engine = yield* EngineClient
  const all = yield* listWhole(engine, engine.listWorkflows)
  return workflowsIn(all).flatMap((workflow): ReadonlyArray<CallingWorkflow> => {
    const at = workflow.id === called ? [] : callsOf(workflow, called)
    return at.length === 0 ? [] : [{ workflow, at }]
  })
})

/** Lets workflows name another one instead, each for itself: one that cannot be changed says why. */
export const relink = (callers: ReadonlyArray<CallingWorkflow>, from: WorkflowId, to: WorkflowId) =>
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
