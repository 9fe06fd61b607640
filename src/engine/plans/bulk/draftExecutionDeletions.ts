import type { Execution } from "../../workflow/models.ts"
import type { Change } from "../Change.ts"
import { type Draft, type Step, stepOf } from "../Step.ts"

/** Which executions are deleted, beside the workflows that they are of. */
export interface ExecutionDeletions {
  readonly instance: string
  /** Milliseconds since 1970; only what has ended before. */
  readonly before?: number | undefined
  readonly executions: ReadonlyArray<Execution>
}

/** Whether an execution has ended, and before that moment where one is given. */
const hasEnded = ({ startedAt, status, stoppedAt, waitTill }: Execution, before: number | undefined): boolean => {
  if (status === "running" || status === "new" || status === "waiting" || (waitTill ?? null) !== null) return false
  if (typeof stoppedAt !== "string") return false
  return before === undefined || Date.parse(typeof startedAt === "string" ? startedAt : stoppedAt) < before
}

/** The deletion of executions, which nothing brings back. */
export const draftExecutionDeletions = ({ before, executions, instance }: ExecutionDeletions): Draft => {
  const steps = executions
    .filter((execution) => hasEnded(execution, before))
    .toSorted((a, b) => a.id - b.id)
    .map((execution): Step => {
      const { id, startedAt, status, workflowId } = execution
      const change: Change = { kind: "delete-execution", instance, execution: id, workflow: String(workflowId) }
      return stepOf(change, [status, startedAt].filter((one) => typeof one === "string").join(" "))
    })
  return {
    kind: "bulk",
    steps,
    warnings:
      steps.length === 0 ? [] : [`${steps.length} executions are deleted for good: no rollback brings them back`],
    blocked: []
  }
}
