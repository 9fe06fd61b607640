import type { Change } from "./Change.ts"
import type { ExecutionRecord } from "./ExecutionRecord.ts"
import type { CredentialRecord, Owner, TagRecord, WorkflowRecord } from "./records.ts"

/** Everything the engine knows, as its handlers see it. */
export interface Tables {
  readonly owner: Owner
  readonly workflows: ReadonlyMap<string, WorkflowRecord>
  readonly tags: ReadonlyMap<string, TagRecord>
  readonly credentials: ReadonlyMap<string, CredentialRecord>
  readonly executions: ReadonlyMap<number, ExecutionRecord>
  /** The highest numbers given out so far; none is used twice. */
  readonly counters: { readonly execution: number; readonly publication: number }
}

/** Tables that changes can be applied to, in the order in which they were made. */
export const make = () => {
  const workflows = new Map<string, WorkflowRecord>()
  const tags = new Map<string, TagRecord>()
  const credentials = new Map<string, CredentialRecord>()
  const executions = new Map<number, ExecutionRecord>()
  const tables = {
    owner: { userId: "", projectId: "", createdAt: "" },
    workflows,
    tags,
    credentials,
    executions,
    counters: { execution: 0, publication: 0 }
  }

  const apply = (change: Change): void => {
    if ("workflow" in change) workflows.set(change.workflow.id, change.workflow)
    else if ("execution" in change) executions.set(change.execution.id, change.execution)
    else if ("tag" in change) tags.set(change.tag.id, change.tag)
    else if ("credential" in change) credentials.set(change.credential.id, change.credential)
    else if ("counters" in change) tables.counters = change.counters
    else if ("owner" in change) tables.owner = change.owner
    else if ("removedWorkflow" in change) workflows.delete(change.removedWorkflow)
    else if ("removedTag" in change) tags.delete(change.removedTag)
    else if ("removedCredential" in change) credentials.delete(change.removedCredential)
    else executions.delete(change.removedExecution)
  }

  /** The changes that would make empty tables equal to these. */
  const changes = (): ReadonlyArray<Change> => [
    { owner: tables.owner },
    { counters: tables.counters },
    ...[...tags.values()].map((tag) => ({ tag })),
    ...[...credentials.values()].map((credential) => ({ credential })),
    ...[...workflows.values()].map((workflow) => ({ workflow })),
    ...[...executions.values()].map((execution) => ({ execution }))
  ]

  const view: Tables = tables
  return { tables: view, apply, changes }
}
