import { Context, type Effect, type Result, Schema } from "effect"

import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { ExecutionStatus } from "../../workflow/models.ts"
import type { PublishingRules } from "../run/publishing.ts"
import type { Runner } from "../run/Runner.ts"
import type { CredentialRecord, ExecutionRecord, TagRecord, WorkflowRecord } from "../store/records.ts"
import type { Store, Tables } from "../store/Store.ts"
import type { Refusal } from "../wire/http.ts"
import type { PagingRules, Parameters, Query } from "../wire/query.ts"
import type { Shape, ShapeMessages } from "../wire/shapes.ts"

/** A request that has passed every check that does not depend on records. */
export interface Call {
  /** The values of the variable segments of the path. */
  readonly at: (name: string) => string
  readonly query: Query
  /** Has the shape that the endpoint requires. */
  readonly body: unknown
}

interface Reply {
  readonly status: number
  /** Sent as JSON; `undefined` sends nothing. */
  readonly body: unknown
}

export const ok = (body: unknown): Reply => ({ status: 200, body })

/** A valid request body. */
export interface Body {
  readonly shape: Shape
  readonly isOptional?: boolean
}

/** The handler of a call. */
export type Handler = (call: Call) => Effect.Effect<Reply, Refusal, Dialect | Runner | Store>

/** An endpoint of the API. */
export interface Endpoint {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  /** Below `/api/v1`; a segment with a colon is variable. */
  readonly path: `/${string}`
  readonly query: Parameters
  readonly body?: Body
  /** Whether it accesses the store itself, for short moments, because it may take long. */
  readonly takesTurns?: boolean
  readonly run: Handler
}

/** A workflow in a request, whose shape has been checked. */
export const Draft = Schema.StructWithRest(
  Schema.Struct({
    name: Schema.String,
    nodes: Schema.Array(JsonObject),
    connections: JsonObject,
    settings: JsonObject,
    description: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type Draft = typeof Draft.Type

/** The engine's messages to its callers. */
export interface Messages extends ShapeMessages {
  /** For a call with a wrong key; the key is `""` if none was sent. */
  readonly unauthorized: (key: string) => string
  /** For a call about a workflow that does not exist. */
  readonly noWorkflow: (verb: "activate" | "deactivate" | "update") => string
  /** To the caller of a workflow that should respond but has no node for it. */
  readonly noRespondent: string
  /** To the caller of a workflow whose last node returned nothing. */
  readonly noItem: string
  /** The editor's button that activates a test address. */
  readonly testButton: string
}

/** The kinds of answers with a workflow; each shows other parts of it. */
export type Occasion = "activate" | "create" | "deactivate" | "delete" | "get" | "list" | "update"

/** Records as answers show them. Fields and their order are those of the real engine. */
export interface Views {
  readonly workflow: (tables: Tables, workflow: WorkflowRecord, occasion: Occasion) => { readonly pinData: unknown }
  /** The answer to a create, given the body that was sent, with the ids that its nodes lacked. */
  readonly createdWorkflow: (tables: Tables, workflow: WorkflowRecord, sent: JsonObject) => object
  readonly tag: (tag: TagRecord) => object
  readonly createdTag: (tag: TagRecord) => object
  /** The answer to a create, given what was sent besides the data. */
  readonly createdCredential: (credential: CredentialRecord, sent: JsonObject) => object
  readonly deletedCredential: (credential: CredentialRecord) => object
  readonly execution: (execution: ExecutionRecord, includeData: boolean) => object
  readonly listedExecution: (execution: ExecutionRecord, includeData: boolean) => object
}

/** Rules by which an engine validates and processes workflows. */
export interface WorkflowRules {
  /** A node and the settings as they are stored. */
  readonly keptNode: (node: JsonObject) => JsonObject
  readonly keptSettings: (settings: JsonObject) => JsonObject
  /** Whether a node gets a webhook id if it has none. */
  readonly needsWebhookId: (node: JsonObject) => boolean
  /** Message about an invalid graph of a workflow that is created or updated. */
  readonly graphProblem: (draft: Draft) => string | undefined
  /** Message about its invalid node groups. */
  readonly groupProblem: (groups: ReadonlyArray<unknown>, draft: Draft) => string | undefined
  /** Refusal of a workflow that is created for any other problem. */
  readonly creationProblem: (draft: Draft, tables: Tables) => Refusal | undefined
  readonly updatedSettings: (before: JsonObject, sent: JsonObject) => JsonObject
  /** Whether an update makes a new version of a workflow. */
  readonly isNewVersion: (before: WorkflowRecord, draft: Draft) => boolean
  /** The record that is stored when an update of an active workflow cannot run. */
  readonly afterRefusedUpdate: (updated: WorkflowRecord) => WorkflowRecord
  /** Whether an active workflow can be activated again. */
  readonly activatesAgain: boolean
  /** Whether two active workflows can listen at the same address. */
  readonly sharesAddresses: boolean
  /** Refusal of a workflow that cannot run even though the engine has all its node types. */
  readonly activationProblem: (workflow: WorkflowRecord) => Refusal | undefined
  /** Refusal of a workflow that cannot run because of others that it calls. */
  readonly callProblem: (workflow: WorkflowRecord, tables: Tables) => Refusal | undefined
  readonly deletionProblem: (workflow: WorkflowRecord) => Refusal | undefined
  /** Whether a filter ignores unknown tag names, as long as one tag exists. */
  readonly ignoresUnknownTags: boolean
}

interface ExecutionRules {
  /** An id in a path. */
  readonly id: (text: string) => Result.Result<number, Refusal>
  /** Whether a list shows executions of a status if another one, or none, is requested. */
  readonly isListed: (status: ExecutionStatus, wanted: string | undefined) => boolean
}

/** The data of a credential type, as the core of a JSON schema. */
export interface CredentialType {
  readonly properties: Readonly<Record<string, { readonly type: string; readonly enum?: ReadonlyArray<string> }>>
  readonly required?: ReadonlyArray<string>
}

/** Everything in which versions of the engine differ; the rest of the API is common to all versions. */
export class Dialect extends Context.Service<
  Dialect,
  {
    /** A fixed segment of a path comes before a variable one. */
    readonly endpoints: ReadonlyArray<Endpoint>
    readonly version: string
    /** The answer of the public settings. */
    readonly publicSettings: object
    /** Descriptions of all node types, if the engine makes them public; others require a session. */
    readonly publicNodeTypes?: () => ReadonlyArray<JsonObject>
    /** Whether every path answers HEAD, and OPTIONS with its methods. */
    readonly answersHeadAndOptions: boolean
    readonly messages: Messages
    /** Parses the query of an address, without its `?`. */
    readonly readQuery: (parameters: Parameters, source: string) => Result.Result<Query, Refusal>
    readonly paging: PagingRules
    readonly views: Views
    readonly workflows: WorkflowRules
    readonly publishing: PublishingRules
    readonly executions: ExecutionRules
    readonly credentialTypes: Readonly<Record<string, CredentialType>>
  }
>()("workflow-tool-server/embedded/engine/api/Dialect") {}
