import { Effect, Predicate } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import type { Execution, WorkflowId, Workflow } from "../../client/models.ts"

export interface Sought {
  /** Id of the newest execution before the call; ours is newer. */
  readonly after: number
  readonly mark: string
  /** Whether the trigger writes the mark into the data of the execution. */
  readonly isMarked: boolean
}

/** How often to look for the record of a run: engines write it after the answer, a busy one seconds after it. */
const looks = 28
const quickLooks = 20
const pauseBefore = (look: number) => (look <= quickLooks ? "100 millis" : "500 millis")

/** Id of the newest execution of a workflow; 0 when it has none. */
export const newestRun = Effect.fnUntraced(function* (workflowId: WorkflowId) {
  const engine = yield* EngineClient
  const { data } = yield* engine.listExecutions({ workflowId, limit: 1 })
  return Math.max(0, ...data.map(({ id }) => id))
})

/**
 * The execution that one call started, ended if that does not take long: found by its mark, or, where the trigger keeps
 * none, as the only new one.
 */
export const findRun = Effect.fnUntraced(function* (workflow: Workflow, sought: Sought) {
  const { id, settings } = workflow
  const attempts = settings?.saveDataSuccessExecution === "none" ? 3 : looks
  const dismissed = new Set<number>()
  let found: Execution | undefined
  for (let look = 1; look <= attempts && isUnderWay(found); look++) {
    if (look > 1) yield* Effect.sleep(pauseBefore(look))
    found = yield* lookOnce(id, sought, dismissed)
  }
  if (found !== undefined)
    return { executionId: found.id, status: found.status ?? "unknown", ...outdated(workflow, found) }
  return notFound("the engine shows no record of this run: it may still be running, or runs like it are not saved")
})

/** Engines put a new version live in the background; until then a call runs the old one, and succeeds. */
const outdated = ({ activeVersionId }: Workflow, { workflowVersionId }: Execution) =>
  Predicate.isString(activeVersionId) && Predicate.isString(workflowVersionId) && activeVersionId !== workflowVersionId
    ? {
        note:
          `The engine ran version ${workflowVersionId} of this workflow instead of the published ${activeVersionId}, ` +
          "which it was still putting live. To run that one, call again."
      }
    : {}

/** The run took place, whatever became of looking it up: nobody should be led to run it again. */
export const notFound = (problem: string) => ({
  executionId: null,
  status: "unknown",
  note: `The call was sent and answered as shown, but ${problem}. See list_executions.`
})

/** One look; other runs that have ended are dismissed, and not read again. */
export const lookOnce = Effect.fnUntraced(function* (
  workflowId: WorkflowId,
  { after, isMarked, mark }: Sought,
  dismissed: Set<number> = new Set()
) {
  const engine = yield* EngineClient
  const { data } = yield* engine.listExecutions({ workflowId, limit: 10 })
  const newer = data.filter(({ id }) => id > after && !dismissed.has(id))
  const [first, ...others] = newer
  if (first === undefined) return undefined
  if (!isMarked) return others.length === 0 ? yield* engine.getExecution(first.id, false) : undefined
  for (const candidate of newer) {
    const whole = yield* engine.getExecution(candidate.id, true)
    if (bears(whole, mark)) return whole
    if (!isUnderWay(whole)) dismissed.add(whole.id)
  }
  return undefined
})

const isUnderWay = (found: Execution | undefined): boolean =>
  found === undefined || found.status === "new" || found.status === "running"

const bears = ({ data }: Execution, mark: string): boolean => JSON.stringify(data ?? null).includes(mark)
