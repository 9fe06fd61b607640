import type { Snapshot } from "../store/ExecutionRecord.ts"
import type { WorkflowRecord } from "../store/records.ts"

/** A workflow as it runs now: what is published, or what is saved where nothing is. */
export const snapshotOf = (workflow: WorkflowRecord): Snapshot => {
  const { active, createdAt, name, settings, updatedAt } = workflow
  const { connections, nodes, versionId } = workflow.published ?? workflow
  return { name, active, createdAt, updatedAt, versionId, nodes, connections, settings }
}
