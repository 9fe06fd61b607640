import { Effect, Option, Schema } from "effect"

import type { Take } from "../../internal/http/Transport.ts"
import type { Upstream } from "../../internal/http/Upstream.ts"
import { each, fields, type Part, type Selection } from "../../internal/json/Selection.ts"
import { open } from "../../internal/schema/JsonObject.ts"
import {
  CommunityPackage,
  Execution,
  type ExecutionStatus,
  type ExecutionId,
  type ExecutionQuery,
  ListItem,
  named,
  page,
  type PageQuery,
  Tag,
  type TagId,
  VersionEntry,
  type VersionId,
  Workflow,
  type WorkflowId,
  type WorkflowQuery,
  WorkflowVersion
} from "../workflow/models.ts"
import { nodeTypesPath, spellingFor } from "../workflow/naming.ts"
import { makeSeenVersions } from "../workflow/versions.ts"
import { proveAbsence, proveExecutionAbsent, unlessTakenForVersion } from "./absence.ts"
import { type Changes, createBody, type Creation, renameNodeTypes, updateBody } from "./body.ts"
import * as Call from "./call.ts"
import { capabilitiesOf, Discovered } from "./capabilities.ts"
import type { Environment } from "./config/EngineConfig.ts"
import { credentialCalls } from "./credentialCalls.ts"
import type { EngineError } from "./EngineError.ts"
import type { AcceptedHeaders } from "./KeyHeaders.ts"
import { knownFilters } from "./knownFilters.ts"
import { projectCalls } from "./projectCalls.ts"
import type { Changed } from "./Protection.ts"
import { tableCalls } from "./tableCalls.ts"
import { withWebhookIds } from "./webhookIds.ts"
import type { WorkflowCache } from "./WorkflowCache.ts"
import { exclusively, type WorkflowLocks } from "./WorkflowLocks.ts"
import { writeWithFallback } from "./writeWithFallback.ts"

/** Implements the methods of `EngineClient`, which documents them. */
export const restCalls = (
  instance: string,
  environment: Environment,
  upstream: Upstream,
  {
    knownHeaders,
    locks,
    workflowCache
  }: { readonly knownHeaders: AcceptedHeaders; readonly locks: WorkflowLocks; readonly workflowCache: WorkflowCache }
) => {
  const calls = Call.make(instance, environment, upstream, knownHeaders)
  const workflows = workflowCalls(calls, (id, text) => workflowCache(`${instance} ${id}`, text))
  const executions = executionCalls(calls)
  return {
    instance,
    host: environment.host,
    heardAt: calls.heardAt,
    isReadOnly: environment.readOnly,
    exclusively: exclusively(instance, environment.host, locks),
    mayChange: unprotected,
    mayUpdate: unheld,
    versions: makeSeenVersions(),
    ...workflows,
    provenAbsent: (ids: ReadonlyArray<WorkflowId>) => proveAbsence({ instance, ...workflows }, ids),
    ...executions,
    provenExecutionAbsent: (id: ExecutionId) => proveExecutionAbsent({ instance, ...executions }, id),
    ...credentialCalls(calls),
    ...tagCalls(calls),
    ...tableCalls(calls),
    ...projectCalls(instance, calls),
    ...nodeTypeCalls(calls),
    callAddress: calls.callAddress,
    requireRights: calls.requireRights,
    rights: calls.rights,
    publicVersion: calls.publicVersion,
    apiDescriptionIfSupported: calls.apiDescriptionIfSupported,
    readCall: (path: string, query: Readonly<Record<string, string>>) =>
      calls.call(Schema.Unknown, { operation: "call the API", method: "GET", path, query }),
    changeCall: calls.changeCall,
    capabilitiesIfSupported: Effect.map(calls.callIfSupported(Discovered, Call.discovery), Option.map(capabilitiesOf)),
    clockSkew: calls.clockSkew
  }
}

const workflowCalls = ({ call, callDeletion, callIfSupported }: Call.Calls, workflowCache: WorkflowCache) => {
  const filtered = knownFilters()
  const listWorkflows = ({ tags, ...given }: WorkflowQuery, selection: Selection = "whole", take?: Take) =>
    filtered({ ...given, tags: tags === undefined || tags.length === 0 ? undefined : tags.join(",") }, (query) =>
      call(page(ListItem), {
        operation: "list workflows",
        method: "GET",
        path: "/workflows",
        query,
        selection: selection === "whole" ? selection : fields({ data: each(selection) }),
        take
      })
    )
  return {
    listWorkflows: (query: WorkflowQuery, selection?: Selection) => listWorkflows(query, selection),
    takeWorkflows: (query: WorkflowQuery, selected: Part, take: Take) =>
      // An answer that does not say that it is JSON comes whole.
      Effect.tap(
        listWorkflows(query, { handed: selected }, (items) => take(items.map(named))),
        ({ data }) => take(data.filter((item) => Object.keys(item).length > 0))
      ),
    getWorkflow: (id: WorkflowId) =>
      call(Workflow, { operation: "get workflow", method: "GET", path: `/workflows/${id}` }, (text) =>
        workflowCache(id, text)
      ),
    createWorkflow: Effect.fnUntraced(function* (creation: Creation) {
      const nodes = yield* withWebhookIds(creation.nodes)
      return yield* writeWithFallback(
        (generation) => createBody({ ...creation, nodes }, generation),
        (body) =>
          call(Workflow, {
            operation: "create workflow",
            method: "POST",
            path: "/workflows",
            bodyFor: (keyHeader) => renameNodeTypes(body, spellingFor(keyHeader))
          })
      )
    }),
    updateWorkflow: Effect.fnUntraced(function* (current: Workflow, given: Changes) {
      const nodes = given.nodes === undefined ? undefined : yield* withWebhookIds(given.nodes, current.nodes)
      const changes = { ...given, nodes }
      return yield* writeWithFallback(
        (generation) => updateBody(current, changes, generation),
        (body) =>
          call(Workflow, {
            operation: "update workflow",
            method: "PUT",
            path: `/workflows/${current.id}`,
            finishes: true,
            bodyFor: (keyHeader) => (changes.nodes === undefined ? body : renameNodeTypes(body, spellingFor(keyHeader)))
          })
      )
    }),
    deleteWorkflow: (id: WorkflowId) =>
      callDeletion(Identified, { operation: "delete workflow", path: `/workflows/${id}`, finishes: true }),
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
    archiveWorkflowIfSupported: (id: WorkflowId, archived: boolean) =>
      callIfSupported(Workflow, {
        operation: archived ? "archive workflow" : "unarchive workflow",
        method: "POST",
        path: `/workflows/${id}/${archived ? "archive" : "unarchive"}`,
        body: {},
        finishes: true
      }),
    listVersionsIfSupported: (id: WorkflowId, query: PageQuery) =>
      callIfSupported(page(VersionEntry), {
        operation: "list the versions of workflow",
        method: "GET",
        path: `/workflows/${id}/history`,
        about: `workflow ${id}`,
        query: { ...query }
      }).pipe(unlessTakenForVersion),
    getVersionIfSupported: (id: WorkflowId, version: VersionId) => {
      const versionAt = (path: string) =>
        callIfSupported(WorkflowVersion, {
          operation: "get a version of workflow",
          method: "GET",
          path,
          about: `version ${version} of workflow ${id}`
        })
      return Effect.flatMap(
        versionAt(`/workflows/${id}/versions/${version}`),
        // The address before 2.40.
        Option.match({ onNone: () => versionAt(`/workflows/${id}/${version}`), onSome: Effect.succeedSome })
      )
    },
    setWorkflowTags: (id: WorkflowId, tags: ReadonlyArray<TagId>) =>
      call(tagsOf(new Set<string>(tags)), {
        operation: "set the tags of workflow",
        method: "PUT",
        path: `/workflows/${id}/tags`,
        about: `tags ${tags.join(", ")} of workflow ${id}`,
        body: [...new Set(tags)].map((tag) => ({ id: tag }))
      })
  }
}

/** Something with its id, which the call has named. */
const Identified = open({ id: Schema.String })

/** The tags that a workflow has then: exactly those that it was given. */
const tagsOf = (ids: ReadonlySet<string>) =>
  Schema.Array(Identified).check(
    Schema.makeFilter((tags) => tags.length === ids.size && tags.every(({ id }) => ids.has(id)))
  )

const executionCalls = ({ call, callDeletion, callIfSupported }: Call.Calls) => {
  const filtered = knownFilters()
  const getExecution = (id: ExecutionId, includeData: boolean, selection: Selection = "whole") =>
    call(Execution, {
      operation: "get execution",
      method: "GET",
      path: `/executions/${id}`,
      query: { includeData },
      selection
    })
  return {
    getExecution,
    listExecutions: (given: ExecutionQuery) =>
      filtered({ ...given }, (query, isWhole) =>
        call(page(Execution), {
          operation: "list executions",
          method: "GET",
          path: "/executions",
          // Items are filtered here, so pages are large as long as their items are small.
          query: isWhole || given.includeData === true || given.cursor !== undefined ? query : { ...query, limit: 250 }
        })
      ).pipe(Effect.map((page) => ({ ...page, data: page.data.filter(hasStatus(given.status)) }))),
    deleteExecution: (id: ExecutionId) =>
      callDeletion(Execution, { operation: "delete execution", path: `/executions/${id}` }),
    retryExecutionIfSupported: (id: ExecutionId, loadWorkflow = false) =>
      callIfSupported(
        Execution,
        {
          operation: "retry execution",
          method: "POST",
          path: `/executions/${id}/retry`,
          body: loadWorkflow ? { loadWorkflow } : {}
        },
        Effect.isSuccess(getExecution(id, false))
      ),
    stopExecutionIfSupported: (id: ExecutionId) =>
      callIfSupported(open({ status: Schema.String }), {
        operation: "stop execution",
        method: "POST",
        path: `/executions/${id}/stop`,
        body: {}
      })
  }
}

/**
 * Whether an execution has the status that was asked for. Engines before 2.35 take `crashed`, `new` and `unknown` and list every
 * execution (2.20.12); in theirs, crashes count as errors.
 */
const hasStatus =
  (wanted: ExecutionStatus | undefined) =>
  ({ status }: Execution): boolean =>
    wanted === undefined || status === undefined || status === wanted || (wanted === "error" && status === "crashed")

const tagCalls = ({ call, callDeletion }: Call.Calls) => ({
  createTag: (name: string) => call(Tag, { operation: "create tag", method: "POST", path: "/tags", body: { name } }),
  listTags: (query: PageQuery) =>
    call(page(Tag), { operation: "list tags", method: "GET", path: "/tags", query: { ...query } }),
  getTag: (id: TagId) => call(Tag, { operation: "get tag", method: "GET", path: `/tags/${id}` }),
  updateTag: (id: TagId, name: string) =>
    call(Tag, { operation: "rename tag", method: "PUT", path: `/tags/${id}`, body: { name } }),
  deleteTag: (id: TagId) => callDeletion(Identified, { operation: "delete tag", path: `/tags/${id}` })
})

const unprotected: (...workflows: ReadonlyArray<Changed>) => Effect.Effect<void, EngineError> = () => Effect.void

const unheld: (current: Workflow, changes: Changes) => Effect.Effect<void, EngineError> = () => Effect.void

const nodeTypeCalls = ({ callIfSupported, publicJson }: Call.Calls) => ({
  nodeTypesIfSupported: Effect.map(
    publicJson(nodeTypesPath),
    Option.flatMap((body) => (Array.isArray(body) ? Option.some<ReadonlyArray<unknown>>(body) : Option.none()))
  ),
  communityPackagesIfSupported: callIfSupported(Schema.Array(CommunityPackage), {
    operation: "list community packages",
    method: "GET",
    path: "/community-packages"
  })
})
