import { Context, type Effect, Schema } from "effect"

import type { Upstream } from "../../internal/http/Upstream.ts"
import type { Environment } from "../config/EngineConfig.ts"
import { type Changes, type Creation, createBody, spelt, updateBody } from "./body.ts"
import { make as makeCall } from "./call.ts"
import { credentialCalls } from "./credentialCalls.ts"
import { WorkflowBusy } from "./EngineError.ts"
import { Execution, type ExecutionStatus } from "./Execution.ts"
import { writeFullest } from "./fullest.ts"
import type { ExecutionId, TagId, WorkflowId } from "./ids.ts"
import * as KnownFilters from "./knownFilters.ts"
import { spellingFor } from "./naming.ts"
import { page, type PageQuery } from "./Page.ts"
import * as SeenVersions from "./SeenVersions.ts"
import { Tag } from "./Tag.ts"
import { Free, Workflow } from "./Workflow.ts"
import * as WorkflowLocks from "./WorkflowLocks.ts"

export interface WorkflowQuery extends PageQuery {
  readonly active?: boolean
  /** Part of the name; engines differ in letter case and wildcards, and some know no such filter. */
  readonly name?: string
  readonly tags?: ReadonlyArray<string>
}

export interface ExecutionQuery extends PageQuery {
  readonly workflowId?: string
  readonly status?: ExecutionStatus
  readonly projectId?: string
  readonly includeData?: boolean
  /** ISO 8601; engines before 2.37 do not filter by it. */
  readonly startedAfter?: string
  readonly startedBefore?: string
}

/**
 * One method per call of the engine's REST API v1. Answers are passed on whole, unknown fields included. The methods
 * that end in `IfOffered` succeed with nothing where this engine's version lacks the call.
 * Changes of a workflow cannot be cut off: once one may have reached the engine, it is waited for.
 */
const make = (
  instance: string,
  environment: Environment,
  upstream: Upstream,
  locks: WorkflowLocks.WorkflowLocks = WorkflowLocks.make()
) => {
  const calls = makeCall(instance, environment, upstream)
  const filtered = KnownFilters.make()
  const { call, callAddress, callIfOffered, publicVersion } = calls

  return {
    instance,
    host: environment.host,
    /** Whether nothing may be changed there; every call that would is refused. */
    isReadOnly: environment.readOnly,

    /** Runs a change of a workflow while no other one of this process is under way there, in the order of arrival. */
    exclusively: <A, E, R>(id: WorkflowId, change: Effect.Effect<A, E, R>) =>
      locks.withLock(`${environment.host} ${id}`, change, new WorkflowBusy({ instance, id })),
    /** The versions of workflows that callers were shown. */
    versions: SeenVersions.make(),

    listWorkflows: ({ tags, ...given }: WorkflowQuery) =>
      filtered({ ...given, tags: tags === undefined || tags.length === 0 ? undefined : tags.join(",") }, (query) =>
        call(page(Free), { operation: "list workflows", method: "GET", path: "/workflows", query })
      ),
    getWorkflow: (id: WorkflowId) =>
      call(Workflow, { operation: "get workflow", method: "GET", path: `/workflows/${id}` }),
    createWorkflow: (creation: Creation) =>
      writeFullest(
        (generation) => createBody(creation, generation),
        (body) =>
          call(Workflow, {
            operation: "create workflow",
            method: "POST",
            path: "/workflows",
            bodyFor: (keyHeader) => spelt(body, spellingFor(keyHeader))
          })
      ),
    /** Puts the changes over the workflow as it was just read. */
    updateWorkflow: (current: Workflow, changes: Changes) =>
      writeFullest(
        (generation) => updateBody(current, changes, generation),
        (body) =>
          call(Workflow, {
            operation: "update workflow",
            method: "PUT",
            path: `/workflows/${current.id}`,
            finishes: true,
            bodyFor: (keyHeader) => (changes.nodes === undefined ? body : spelt(body, spellingFor(keyHeader)))
          })
      ),
    deleteWorkflow: (id: WorkflowId) =>
      call(Free, { operation: "delete workflow", method: "DELETE", path: `/workflows/${id}`, finishes: true }),
    activateWorkflow: (id: WorkflowId) =>
      call(Workflow, {
        operation: "activate workflow",
        method: "POST",
        path: `/workflows/${id}/activate`,
        body: {},
        finishes: true
      }),
    deactivateWorkflow: (id: WorkflowId) =>
      call(Workflow, {
        operation: "deactivate workflow",
        method: "POST",
        path: `/workflows/${id}/deactivate`,
        body: {},
        finishes: true
      }),
    setWorkflowTags: (id: WorkflowId, tags: ReadonlyArray<TagId>) =>
      call(Schema.Unknown, {
        operation: "set the tags of workflow",
        method: "PUT",
        path: `/workflows/${id}/tags`,
        about: `tags ${tags.join(", ")} of workflow ${id}`,
        body: [...new Set(tags)].map((tag) => ({ id: tag }))
      }),

    listExecutions: (given: ExecutionQuery) =>
      filtered({ ...given }, (query, isWhole) =>
        call(page(Execution), {
          operation: "list executions",
          method: "GET",
          path: "/executions",
          // What has to be looked for here is looked for in large pages, as long as they stay small.
          query: isWhole || given.includeData === true || given.cursor !== undefined ? query : { ...query, limit: 250 }
        })
      ),
    getExecution: (id: ExecutionId, includeData: boolean) =>
      call(Execution, { operation: "get execution", method: "GET", path: `/executions/${id}`, query: { includeData } }),
    deleteExecution: (id: ExecutionId) =>
      call(Schema.Union([Execution, Free]), {
        operation: "delete execution",
        method: "DELETE",
        path: `/executions/${id}`
      }),
    retryExecutionIfOffered: (id: ExecutionId) =>
      callIfOffered(Execution, {
        operation: "retry execution",
        method: "POST",
        path: `/executions/${id}/retry`,
        body: {}
      }),

    ...credentialCalls(calls),

    createTag: (name: string) => call(Tag, { operation: "create tag", method: "POST", path: "/tags", body: { name } }),
    listTags: (query: PageQuery) =>
      call(page(Tag), { operation: "list tags", method: "GET", path: "/tags", query: { ...query } }),
    getTag: (id: TagId) => call(Tag, { operation: "get tag", method: "GET", path: `/tags/${id}` }),
    updateTag: (id: TagId, name: string) =>
      call(Tag, { operation: "rename tag", method: "PUT", path: `/tags/${id}`, body: { name } }),
    deleteTag: (id: TagId) => call(Free, { operation: "delete tag", method: "DELETE", path: `/tags/${id}` }),

    /** Calls a production address of a workflow, without the key; every status is an answer of the workflow. */
    callAddress,
    /** The version that an engine tells everybody; newer ones do not. */
    publicVersion
  }
}

/** The client of one instance. In a tool, it is the instance that the caller asked for. */
export class EngineClient extends Context.Service<EngineClient, ReturnType<typeof make>>()(
  "workflow-tool-server/engine/EngineClient"
) {
  static readonly make = make
}
