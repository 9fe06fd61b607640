import { Predicate, Schema, SchemaTransformation } from "effect"

import { JsonObject, isJsonObject, open } from "../../internal/schema/JsonObject.ts"

export { nameOf } from "./nodes.ts"

/** The ids of every engine: UUIDs, nanoids and numbers. One of them is safe as a segment of a path or of an address. */
export const idPattern = /^[A-Za-z0-9_-]{1,128}$/

const id = Schema.String.check(
  Schema.isPattern(idPattern, { message: "must be an id: letters, digits, - and _, at most 128" })
)

/** Identifies a workflow; safe as one segment of a path. */
export const WorkflowId = id.pipe(Schema.brand("WorkflowId"))
export type WorkflowId = typeof WorkflowId.Type

/** Identifies a credential; safe as one segment of a path. */
export const CredentialId = id.pipe(Schema.brand("CredentialId"))
export type CredentialId = typeof CredentialId.Type

/** Name of a kind of credential, such as `httpBasicAuth`; safe as one segment of a path. */
export const CredentialType = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/, { message: "must be a credential type such as httpBasicAuth" })
).pipe(Schema.brand("CredentialType"))
export type CredentialType = typeof CredentialType.Type

/** Identifies a tag; safe as one segment of a path. */
export const TagId = id.pipe(Schema.brand("TagId"))
export type TagId = typeof TagId.Type

/** Identifies an execution: engines count upwards from 1. */
export const ExecutionId = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(1, { message: "must be a positive whole number" })
).pipe(Schema.brand("ExecutionId"))
export type ExecutionId = typeof ExecutionId.Type

/** A tag as an engine returns it. */
export const Tag = open({ id: Schema.String, name: Schema.String })
export type Tag = typeof Tag.Type

/** A node as a caller gives it; the rules for graphs are checked by `validate`, with the contract's messages. */
export const Node = open({
  name: Schema.String,
  type: Schema.String,
  typeVersion: Schema.Finite,
  position: Schema.Array(Schema.Finite),
  parameters: Schema.optionalKey(JsonObject),
  credentials: Schema.optionalKey(JsonObject)
})
export type Node = typeof Node.Type

/** One end of a connection, as the engine stores it. */
export const Target = open({ node: Schema.String, type: Schema.String, index: Schema.Int })
export type Target = typeof Target.Type

/** source node -> connection type -> output index -> targets. An output without targets is `null` or empty. */
export const Connections = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.Array(Schema.NullOr(Schema.Array(Target))))
)
export type Connections = typeof Connections.Type

/** A connection in the array form that the server also accepts. */
export const Link = open({
  source: Schema.String,
  target: Schema.String,
  sourceOutput: Schema.optionalKey(Schema.Unknown),
  targetInput: Schema.optionalKey(Schema.Unknown)
})
export type Link = typeof Link.Type

const SaveData = Schema.Literals(["all", "none"])

/** Settings as a caller gives them; all are optional, and engines have more than these. */
export const WorkflowSettings = open({
  /** "v1" runs branch after branch, "v0" the first node of each branch, then the second. */
  executionOrder: Schema.optionalKey(Schema.Literals(["v0", "v1"])),
  timezone: Schema.optionalKey(Schema.String),
  errorWorkflow: Schema.optionalKey(Schema.String),
  callerPolicy: Schema.optionalKey(Schema.String),
  saveExecutionProgress: Schema.optionalKey(Schema.Boolean),
  saveManualExecutions: Schema.optionalKey(Schema.Boolean),
  saveDataErrorExecution: Schema.optionalKey(SaveData),
  saveDataSuccessExecution: Schema.optionalKey(SaveData),
  /** Seconds. */
  executionTimeout: Schema.optionalKey(Schema.Finite)
})
export type WorkflowSettings = typeof WorkflowSettings.Type

/** A workflow as an engine returns it; engines may contain nodes that break our rules, so only the envelope is typed. */
export const Workflow = open({
  id: WorkflowId,
  name: Schema.String,
  active: Schema.Boolean,
  /** The version that is live, or about to be; engines before 2 have only one version. */
  activeVersionId: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The number of its triggers that listen, if the engine has counted them. */
  triggerCount: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  nodes: Schema.Array(JsonObject),
  connections: JsonObject,
  createdAt: Schema.optionalKey(Schema.String),
  updatedAt: Schema.optionalKey(Schema.String),
  settings: Schema.optionalKey(Schema.NullOr(JsonObject)),
  staticData: Schema.optionalKey(Schema.Unknown),
  tags: Schema.optionalKey(Schema.Array(Tag))
})
export type Workflow = typeof Workflow.Type

/** Identifies a version of a workflow; safe as one segment of a path. */
export const VersionId = id.pipe(Schema.brand("VersionId"))
export type VersionId = typeof VersionId.Type

/** A former version of a workflow in a list. */
export const VersionEntry = open({
  versionId: VersionId,
  createdAt: Schema.optionalKey(Schema.String),
  authors: Schema.optionalKey(Schema.NullOr(Schema.String)),
  name: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type VersionEntry = typeof VersionEntry.Type

/** A former version of a workflow: its nodes and connections, but neither its name, settings nor tags. */
export const WorkflowVersion = open({
  versionId: VersionId,
  nodes: Schema.Array(JsonObject),
  connections: JsonObject,
  createdAt: Schema.optionalKey(Schema.String)
})
export type WorkflowVersion = typeof WorkflowVersion.Type

/** The states an execution can be in; which of them a list can be filtered by differs between engines. */
export const ExecutionStatus = Schema.Literals([
  "canceled",
  "crashed",
  "error",
  "new",
  "running",
  "success",
  "unknown",
  "waiting"
])
export type ExecutionStatus = typeof ExecutionStatus.Type

/** One run of a workflow. Engines return its id as digits or as a number: here it is a number. */
export const Execution = open({
  id: Schema.Union([ExecutionId, Schema.NumberFromString.pipe(Schema.decodeTo(ExecutionId))]),
  status: Schema.optionalKey(Schema.String),
  /** The version of the workflow that ran; not recorded by engines before 2. */
  workflowVersionId: Schema.optionalKey(Schema.NullOr(Schema.String)),
  data: Schema.optionalKey(Schema.Unknown)
})
export type Execution = typeof Execution.Type

/** The result of testing a credential. */
export const CredentialTest = open({ status: Schema.String, message: Schema.String })
export type CredentialTest = typeof CredentialTest.Type

/** A community package with node types that is installed on an instance. */
export const CommunityPackage = open({
  packageName: Schema.String,
  installedVersion: Schema.String,
  installedNodes: Schema.optionalKey(
    Schema.Array(open({ name: Schema.String, type: Schema.String, latestVersion: Schema.optionalKey(Schema.Finite) }))
  )
})
export type CommunityPackage = typeof CommunityPackage.Type

/** One page of a list as engines send it; the last page has no cursor. */
export const page = <S extends Schema.Constraint>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item),
    nextCursor: Schema.optionalKey(Schema.NullOr(Schema.String))
  })

/** The fields that name an item of a list, of which all else is unknown. */
const naming = ["id", "name", "type"] as const

/** An item of a list; in place of an id, name or type that is neither text nor number, `{…}` stands. */
export const named = (item: JsonObject): JsonObject => {
  const odd = naming.filter((field) => Predicate.isObjectOrArray(item[field]))
  return odd.length === 0 ? item : { ...item, ...Object.fromEntries(odd.map((field) => [field, "{…}"])) }
}

/** The same, of any shape. */
export const ListItem = JsonObject.pipe(
  Schema.decodeTo(JsonObject, SchemaTransformation.transform({ decode: named, encode: (item) => item }))
)

/** One page of a list; pass `nextCursor` in a `PageQuery` to get the next one. The last page has none. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly nextCursor?: string | null | undefined
}

/** The start and length of a page. */
export interface PageQuery {
  /** Most items, 1 to 250; the engines' default is 100. */
  readonly limit?: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string
}

/** The filter and the page of a list of workflows. */
export interface WorkflowQuery extends PageQuery {
  readonly active?: boolean
  /** Part of the name; engines differ in case sensitivity and wildcards, and some have no such filter. */
  readonly name?: string
  /** Names of tags, all of which a workflow must have; engines ignore unknown ones. */
  readonly tags?: ReadonlyArray<string>
  /** Without pinned data, which may be large; engines before 1.82 send it anyway. */
  readonly excludePinnedData?: boolean
}

/** The filter and the page of a list of executions. */
export interface ExecutionQuery extends PageQuery {
  readonly workflowId?: string
  readonly status?: ExecutionStatus
  readonly projectId?: string
  /** With what every node returned, which may be many megabytes. */
  readonly includeData?: boolean
  /** ISO 8601; engines before 2.37 do not filter by it. */
  readonly startedAfter?: string
  /** ISO 8601; engines before 2.37 do not filter by it. */
  readonly startedBefore?: string
}

/**
 * Whether JSON has the shape of `Workflow`, without copying it: workflows are read more often than anything else, and passed on
 * unchanged. If not, the schema explains why.
 */
export const isWorkflow = (value: unknown): value is Workflow =>
  isJsonObject(value) &&
  Predicate.isString(value.id) &&
  idPattern.test(value.id) &&
  Predicate.isString(value.name) &&
  Predicate.isBoolean(value.active) &&
  Array.isArray(value.nodes) &&
  value.nodes.every(isJsonObject) &&
  isJsonObject(value.connections) &&
  isAbsentOr(value.activeVersionId, isTextOrNull) &&
  isAbsentOr(value.triggerCount, isFiniteOrNull) &&
  isAbsentOr(value.createdAt, Predicate.isString) &&
  isAbsentOr(value.updatedAt, Predicate.isString) &&
  isAbsentOr(value.settings, isObjectOrNull) &&
  isAbsentOr(value.tags, isTags)

const isAbsentOr = (value: unknown, isFine: (value: unknown) => boolean) => value === undefined || isFine(value)
const isTextOrNull = (value: unknown) => value === null || Predicate.isString(value)
const isFiniteOrNull = (value: unknown) => value === null || Number.isFinite(value)
const isObjectOrNull = (value: unknown) => value === null || isJsonObject(value)
const isTags = (value: unknown) => Array.isArray(value) && value.every(isTag)
const isTag = (value: unknown) => isJsonObject(value) && Predicate.isString(value.id) && Predicate.isString(value.name)

/** Engines of 2.x publish versions of a workflow, and say with each workflow which one; those of 1.x know none. */
export type Generation = "1.x" | "2.x"

/** The generation of the engine that returned this workflow. */
export const generationOf = ({ activeVersionId }: Pick<Workflow, "activeVersionId">): Generation =>
  activeVersionId === undefined ? "1.x" : "2.x"

/** A rule about workflows is broken; found before anything is sent. The message is fixed by the contract. */
export class InvalidWorkflow extends Schema.TaggedError<InvalidWorkflow>()("InvalidWorkflow", {
  message: Schema.String,
  /** The problem in particular, where the contract fixes the whole message. */
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}) {}
