import { Context, type Effect, type Option } from "effect"

import type { Take } from "../../internal/http/Transport.ts"
import type { Reply, Upstream, UpstreamRequest } from "../../internal/http/Upstream.ts"
import type { Part, Selection } from "../../internal/json/Selection.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type {
  CommunityPackage,
  CredentialId,
  CredentialTest,
  CredentialType,
  Execution,
  ExecutionId,
  ExecutionQuery,
  Page,
  PageQuery,
  Tag,
  TagId,
  VersionEntry,
  VersionId,
  Workflow,
  WorkflowId,
  WorkflowQuery,
  WorkflowVersion
} from "../workflow/models.ts"
import type { SeenVersions } from "../workflow/versions.ts"
import type { ProvenAbsent } from "./absence.ts"
import type { Changes, Creation } from "./body.ts"
import type { DescribedCall } from "./call.ts"
import type { Capabilities } from "./capabilities.ts"
import type { Environment } from "./config/EngineConfig.ts"
import type { EngineError, WorkflowBusy } from "./EngineError.ts"
import { freezing } from "./freezing.ts"
import { guarding } from "./guarding.ts"
import { type Authors, type InstanceHistory, noHistory } from "./History.ts"
import { type AcceptedHeaders, KeyHeaders } from "./KeyHeaders.ts"
import { locking } from "./locking.ts"
import type { ProjectCalls } from "./projectCalls.ts"
import type { Changed, Protected } from "./Protection.ts"
import { authorsBy, recording } from "./recording.ts"
import { restCalls } from "./restCalls.ts"
import type { TableCalls } from "./tableCalls.ts"
import * as WorkflowCache from "./WorkflowCache.ts"
import * as WorkflowLocks from "./WorkflowLocks.ts"
import type { Written } from "./writeWithFallback.ts"

/** Parts that the clients of several instances may share. */
interface Options {
  readonly knownHeaders?: AcceptedHeaders
  /** Clients that share these wait for each other's changes. */
  readonly locks?: WorkflowLocks.WorkflowLocks
  readonly workflowCache?: WorkflowCache.WorkflowCache
  readonly historyOf?: (authors: Authors) => InstanceHistory
  readonly protection?: Protected | undefined
}

/** The calls about what workflows use beside credentials. */
type ResourceCalls = ProjectCalls & TableCalls

/**
 * The client of one instance: one method per call of the engine's REST API v1. In a tool, it is the instance that the
 * caller asked for. Answers are passed on whole, unknown fields included; times are ISO 8601, durations seconds.
 *
 * Any call can fail with `ApiError` (the engine refused), `ForeignAnswer` (something else answered, such as a proxy),
 * `AuthenticationFailed` (401), `PermissionDenied` (403), `NetworkError` (no answer) or `Timeout` (30 s for a call, and the
 * time left for the whole tool call). A change can also fail with `ReadOnlyInstance`, before anything is sent, and with `OutcomeUnknown`, if
 * it was sent and its answer was lost. Further errors are documented with each method.
 *
 * The methods that end in `IfSupported` succeed with `None` if this engine's version lacks the call. Changes of an existing
 * workflow cannot be interrupted: once one may have reached the engine, its answer is awaited.
 */
export class EngineClient extends Context.Service<
  EngineClient,
  ResourceCalls & {
    /** Name of the instance, as in the configuration. */
    readonly instance: string
    /** Address of the instance, without a trailing slash. */
    readonly host: string
    /** Whether changes are refused with `ReadOnlyInstance`. */
    readonly isReadOnly: boolean

    /**
     * Runs a change of a workflow, from reading it to the answer of its last write, while nobody else changes it: in the order
     * of arrival within this process, and, as far as `Coordination` reaches, among all others. Fails with `WorkflowBusy` if its
     * turn does not come in time (5 minutes, or what is left for the tool call). A single write takes its lock by itself.
     */
    readonly exclusively: <A, E, R>(
      id: WorkflowId,
      change: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | WorkflowBusy, R>
    /** Fails with `ProtectedWorkflow` if one of the workflows is protected and no person has agreed to its change. */
    readonly mayChange: (...workflows: ReadonlyArray<Changed>) => Effect.Effect<void, EngineError>
    /** The same before an update, for calls that send something else first. */
    readonly mayUpdate: (current: Workflow, changes: Changes) => Effect.Effect<void, EngineError>
    /** The versions of workflows shown to callers, to detect changes made by others since. */
    readonly versions: SeenVersions
    /** The history of workflows, if one is kept; every reading and every change goes into it. */
    readonly history: InstanceHistory

    /**
     * One page of matching workflows; a `name` filter that this engine does not know is dropped, so check the items. Fields of
     * a large page that are not selected may be `null`.
     */
    readonly listWorkflows: (
      query: WorkflowQuery,
      selection?: Selection
    ) => Effect.Effect<Page<JsonObject>, EngineError>
    /**
     * The same, and `take` gets the workflows while the page comes, so that they take no memory; also those before the place where
     * it breaks off. `{}` stands for each in the page.
     */
    readonly takeWorkflows: (
      query: WorkflowQuery,
      selected: Part,
      take: Take
    ) => Effect.Effect<Page<JsonObject>, EngineError>
    /**
     * Reads one whole workflow; `ApiError` 404 if there is none with this id. If the engine's answer is identical to the
     * previous one, this may be the same, frozen object.
     */
    readonly getWorkflow: (id: WorkflowId) => Effect.Effect<Workflow, EngineError>
    /**
     * Proves that workflows that were just "not found" do not exist, all by one list of all pages; fails if nothing is proven.
     * Before something is made anew, counted as deleted, or recorded as deleted.
     */
    readonly provenAbsent: (ids: ReadonlyArray<WorkflowId>) => Effect.Effect<ProvenAbsent, EngineError>
    /**
     * Creates an inactive workflow with the fields that this engine accepts; `dropped` lists those it does not, as paths like
     * `settings.callerPolicy`. If the engine finds it invalid, it fails with `ApiError` 400.
     */
    readonly createWorkflow: (creation: Creation) => Effect.Effect<Written, EngineError>
    /**
     * Applies changes to the workflow as it was just read: omitted fields stay as in `current`, which overwrites what somebody
     * else wrote since. `dropped` as in `createWorkflow`.
     */
    readonly updateWorkflow: (current: Workflow, changes: Changes) => Effect.Effect<Written, EngineError>
    /** Deletes a workflow and its executions for good; engines of generation 2 refuse an active one (`ApiError` 409). */
    readonly deleteWorkflow: (id: WorkflowId) => Effect.Effect<JsonObject, EngineError>
    /** Lets a workflow run by itself; engines of generation 2 answer before its triggers listen. */
    readonly activateWorkflow: (id: WorkflowId) => Effect.Effect<Workflow, EngineError>
    /** Stops a workflow from running by itself; no change if it is inactive already. */
    readonly deactivateWorkflow: (id: WorkflowId) => Effect.Effect<Workflow, EngineError>
    /**
     * Archives a workflow, which deactivates it, or restores an archived one, inactive; one that is not archived is refused
     * (400).
     */
    readonly archiveWorkflowIfSupported: (
      id: WorkflowId,
      archived: boolean
    ) => Effect.Effect<Option.Option<Workflow>, EngineError>
    /** One page of the versions of a workflow, newest first; engines before 2.35 cannot list them. */
    readonly listVersionsIfSupported: (
      id: WorkflowId,
      query: PageQuery
    ) => Effect.Effect<Option.Option<Page<VersionEntry>>, EngineError>
    /** Reads one version of a workflow; `ApiError` 404 if it has none with this id. Engines before 1.123 show none. */
    readonly getVersionIfSupported: (
      id: WorkflowId,
      version: VersionId
    ) => Effect.Effect<Option.Option<WorkflowVersion>, EngineError>
    /** Replaces all tags of a workflow; `ApiError` 404 if the workflow or a tag does not exist. */
    readonly setWorkflowTags: (id: WorkflowId, tags: ReadonlyArray<TagId>) => Effect.Effect<unknown, EngineError>

    /**
     * One page of matching executions, newest first. Engines before 2.37 do not filter by time and are asked for up to 250 at
     * once instead: check `startedAt` of the items.
     */
    readonly listExecutions: (query: ExecutionQuery) => Effect.Effect<Page<Execution>, EngineError>
    /**
     * Reads one execution, with `includeData` also what every node returned, which may be many megabytes: fields of a large one
     * that are not selected may be `null`.
     */
    readonly getExecution: (
      id: ExecutionId,
      includeData: boolean,
      selection?: Selection
    ) => Effect.Effect<Execution, EngineError>
    /** Deletes the record of an execution for good and returns it; the run itself is not undone. */
    readonly deleteExecution: (id: ExecutionId) => Effect.Effect<JsonObject, EngineError>
    /** Proves that an execution that was just "not found" does not exist; fails if that is not proven. */
    readonly provenExecutionAbsent: (id: ExecutionId) => Effect.Effect<void, EngineError>
    /**
     * Retries a failed execution, with the workflow as it was or (`loadWorkflow`) as it is now, and returns the new one when it
     * has ended; one that did not fail is refused (409).
     */
    readonly retryExecutionIfSupported: (
      id: ExecutionId,
      loadWorkflow?: boolean
    ) => Effect.Effect<Option.Option<Execution>, EngineError>
    /** Stops a running or waiting execution; one that has ended is refused (409), an unknown one is not found (404). */
    readonly stopExecutionIfSupported: (id: ExecutionId) => Effect.Effect<Option.Option<JsonObject>, EngineError>

    /** One page of credentials, without their values. */
    readonly listCredentialsIfSupported: (
      query: PageQuery
    ) => Effect.Effect<Option.Option<Page<JsonObject>>, EngineError>
    /** Reads one credential, without its values; `ApiError` 404 if an engine that lists them has none with this id. */
    readonly getCredentialIfSupported: (id: CredentialId) => Effect.Effect<Option.Option<JsonObject>, EngineError>
    /** Creates a credential, whose data must match `getCredentialSchema`. Its values never appear in errors. */
    readonly createCredential: (body: {
      readonly name: string
      readonly type: CredentialType
      readonly data: JsonObject
    }) => Effect.Effect<JsonObject & { readonly id: string }, EngineError>
    /** Changes a credential; `data` replaces all old values. Its values never appear in errors. */
    readonly updateCredentialIfSupported: (
      id: CredentialId,
      body: { readonly name?: string; readonly type?: CredentialType; readonly data?: JsonObject }
    ) => Effect.Effect<Option.Option<JsonObject>, EngineError>
    /** Deletes a credential for good, whether workflows use it or not. */
    readonly deleteCredential: (id: CredentialId) => Effect.Effect<JsonObject, EngineError>
    /** The JSON schema of the data of a credential type; `ApiError` 404 if the engine does not know the type. */
    readonly getCredentialSchema: (type: CredentialType) => Effect.Effect<JsonObject, EngineError>
    /** Lets the engine test a stored credential; `status` is OK or Error, `message` says more. No error shows the given values of it. */
    readonly testCredentialIfSupported: (
      id: CredentialId,
      values?: JsonObject
    ) => Effect.Effect<Option.Option<CredentialTest>, EngineError>
    /** Names of all credential types; `None` from engines that do not make them public. Asked without the key. */
    readonly credentialTypesIfSupported: Effect.Effect<Option.Option<ReadonlyArray<string>>, EngineError>

    /**
     * Descriptions of all node types, megabytes of them; `None` from engines that do not make them public. Asked without the
     * key.
     */
    readonly nodeTypesIfSupported: Effect.Effect<Option.Option<ReadonlyArray<unknown>>, EngineError>
    /** The installed community packages with node types. */
    readonly communityPackagesIfSupported: Effect.Effect<Option.Option<ReadonlyArray<CommunityPackage>>, EngineError>

    /** The engine's description of its API, an OpenAPI document as YAML; `None` where it gives none. Asked without the key. */
    readonly apiDescriptionIfSupported: Effect.Effect<Option.Option<string>, EngineError>
    /** Reads by a call of the API that has no method here; its path is below the API's root, with all ids encoded. */
    readonly readCall: (path: string, query: Readonly<Record<string, string>>) => Effect.Effect<unknown, EngineError>
    /** Changes something by such a call. An answer without a body counts, as what was changed is read back where it shows. */
    readonly changeCall: (request: DescribedCall) => Effect.Effect<unknown, EngineError>

    /** Creates a tag; a name that is taken is an `ApiError` 409. */
    readonly createTag: (name: string) => Effect.Effect<Tag, EngineError>
    /** One page of all tags. */
    readonly listTags: (query: PageQuery) => Effect.Effect<Page<Tag>, EngineError>
    /** Reads one tag; `ApiError` 404 if there is none with this id. */
    readonly getTag: (id: TagId) => Effect.Effect<Tag, EngineError>
    /** Renames a tag; a name that is taken is an `ApiError` 409. */
    readonly updateTag: (id: TagId, name: string) => Effect.Effect<Tag, EngineError>
    /** Deletes a tag and removes it from its workflows. */
    readonly deleteTag: (id: TagId) => Effect.Effect<JsonObject, EngineError>

    /**
     * Calls a production address of a workflow on the engine's host, once and without the key. Any status is an answer of the
     * workflow, not an error.
     */
    readonly callAddress: (request: UpstreamRequest) => Effect.Effect<Reply, EngineError>
    /** The version that engines of generation 1 make public, such as `1.82.3`; newer ones do not. */
    readonly publicVersion: Effect.Effect<Option.Option<string>, EngineError>
    /** The version of the engine, if it lets nobody create or change nodes of deprecated types. */
    readonly freezingVersion: Effect.Effect<string | undefined>
    /**
     * Fails with `PermissionDenied` where the key is known to lack a scope for one of these calls. The client does so by itself before
     * each change; a program of several changes asks for all of them before the first, perhaps with a clause that tells the purpose.
     */
    readonly requireRights: (calls: ReadonlyArray<string | false>, purpose?: string) => Effect.Effect<void, EngineError>
    /** The rights of the key as far as they have been read lately. */
    readonly rights: Effect.Effect<Option.Option<Capabilities>>
    /** The rights of the key on this instance; only engines of generation 2 say. */
    readonly capabilitiesIfSupported: Effect.Effect<Option.Option<Capabilities>, EngineError>
    /**
     * Milliseconds by which the engine's clock is ahead of this machine's, to a second; `None` if the engine sends no time.
     */
    readonly clockSkew: Effect.Effect<Option.Option<number>, EngineError>
    /** The time at which the last answer came from the instance, whatever it said; in milliseconds since 1970. */
    readonly heardAt: Effect.Effect<Option.Option<number>>
  }
>()("workflow-tool-server/engine/EngineClient") {
  /** The client of an instance over its upstream. */
  static readonly make = (
    instance: string,
    environment: Environment,
    upstream: Upstream,
    {
      historyOf = () => noHistory,
      knownHeaders = KeyHeaders.defaultValue(),
      locks = WorkflowLocks.make(),
      protection,
      workflowCache = WorkflowCache.make()
    }: Options = {}
  ): EngineClient["Service"] => {
    const client = restCalls(instance, environment, upstream, { knownHeaders, locks, workflowCache })
    const history = historyOf(authorsBy(client))
    const guarded = guarding(recording(locking(client), history), protection)
    return { ...freezing(guarded, environment.allowsDeprecatedNodes !== true), history }
  }
}
