import { Schema } from "effect"

import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { ExecutionStatus } from "../../workflow/models.ts"

const Millis = Schema.Finite

/** The one user whom everything belongs to, with the personal project. */
export const Owner = Schema.Struct({ userId: Schema.String, projectId: Schema.String, createdAt: Schema.String })
export type Owner = typeof Owner.Type

export const TagRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type TagRecord = typeof TagRecord.Type

/** A credential without its values, which are checked and dropped, because nothing here uses them. */
export const CredentialRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  type: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type CredentialRecord = typeof CredentialRecord.Type

/** A variable, a project or a folder: real engines have them with a licence only. */
export const ThingRecord = Schema.Struct({
  kind: Schema.Literals(["variable", "project", "folder"]),
  id: Schema.String,
  /** Of a variable, its key. */
  name: Schema.String,
  value: Schema.optionalKey(Schema.String),
  /** The project that it belongs to. */
  project: Schema.NullOr(Schema.String),
  /** The folder that a folder lies in. */
  parent: Schema.optionalKey(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type ThingRecord = typeof ThingRecord.Type

/** The nodes and connections that run; after a refused update they differ from those that are saved. */
const Published = Schema.Struct({
  versionId: Schema.String,
  nodes: Schema.Array(JsonObject),
  connections: JsonObject,
  createdAt: Schema.String,
  /** When its triggers begin to listen. */
  listensAt: Millis,
  /** Methods and paths at which another workflow has begun to listen instead. */
  lost: Schema.optionalKey(Schema.Array(Schema.String))
})
type Published = typeof Published.Type

/** One activation or deactivation of a version. */
export const Publication = Schema.Struct({
  id: Schema.Int,
  versionId: Schema.String,
  event: Schema.Literals(["activated", "deactivated"]),
  createdAt: Schema.String
})
export type Publication = typeof Publication.Type

/** A former version of a workflow. */
export const SavedVersion = Schema.Struct({
  workflowId: Schema.String,
  versionId: Schema.String,
  nodes: Schema.Array(JsonObject),
  connections: JsonObject,
  nodeGroups: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  createdAt: Schema.String
})
export type SavedVersion = typeof SavedVersion.Type

export const WorkflowRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  active: Schema.Boolean,
  isArchived: Schema.Boolean,
  nodes: Schema.Array(JsonObject),
  connections: JsonObject,
  settings: JsonObject,
  /** Frames on the canvas; none where an engine knows none. */
  nodeGroups: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  staticData: Schema.Unknown,
  pinData: Schema.Unknown,
  tagIds: Schema.Array(Schema.String),
  /** The project that owns it, where that is not the personal one; and the folder that it was made in. */
  project: Schema.optionalKey(Schema.String),
  folder: Schema.optionalKey(Schema.String),
  versionId: Schema.String,
  versionCounter: Schema.Int,
  triggerCount: Schema.Int,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  published: Schema.NullOr(Published),
  publications: Schema.Array(Publication),
  /** Until when the engine is busy unpublishing it. */
  busyUntil: Millis
})
export type WorkflowRecord = typeof WorkflowRecord.Type

/** A column of a data table, in its place among the others. */
const ColumnRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  type: Schema.Literals(["string", "number", "boolean", "date"]),
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type ColumnRecord = typeof ColumnRecord.Type

export const DataTableRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  columns: Schema.Array(ColumnRecord),
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type DataTableRecord = typeof DataTableRecord.Type

/** A row of a data table; its values stand under the ids of columns. */
export const RowRecord = Schema.Struct({
  id: Schema.Int,
  values: JsonObject,
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type RowRecord = typeof RowRecord.Type

/** One piece of data that travels from node to node, with its files. */
export const Item = Schema.Struct({
  json: JsonObject,
  binary: Schema.optionalKey(JsonObject),
  pairedItem: Schema.optionalKey(Schema.Struct({ item: Schema.Int }))
})
export type Item = typeof Item.Type

/** The origin of a step's input: node, output and the number of that node's run. */
export const Source = Schema.Struct({ node: Schema.String, output: Schema.Int, run: Schema.Int })
export type Source = typeof Source.Type

/** An error that code threw: its kind, the line, and the item where the code runs once for each. */
export const Thrown = Schema.Struct({
  description: Schema.String,
  line: Schema.Int,
  item: Schema.optionalKey(Schema.Int)
})
export type Thrown = typeof Thrown.Type

export const Problem = Schema.Struct({
  message: Schema.String,
  timestamp: Schema.Finite,
  thrown: Schema.optionalKey(Thrown),
  /** The status of a service's answer, or the code of the network. */
  httpCode: Schema.optionalKey(Schema.String)
})
export type Problem = typeof Problem.Type

/** One run of one node. A failed one keeps its input, so that a retry can go on from there. */
export const Step = Schema.Struct({
  node: Schema.String,
  index: Schema.Int,
  startTime: Schema.Finite,
  executionTime: Schema.Finite,
  source: Schema.NullOr(Source),
  outputs: Schema.Array(Schema.Array(Item)),
  failure: Schema.NullOr(Schema.Struct({ problem: Problem, input: Schema.Array(Item) }))
})
export type Step = typeof Step.Type

/** The workflow as it ran. */
export const Snapshot = Schema.Struct({
  name: Schema.String,
  active: Schema.Boolean,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  versionId: Schema.String,
  nodes: Schema.Array(JsonObject),
  connections: JsonObject,
  settings: JsonObject
})
export type Snapshot = typeof Snapshot.Type

export const ExecutionRecord = Schema.Struct({
  id: Schema.Int,
  workflowId: Schema.String,
  mode: Schema.Literals(["webhook", "retry", "trigger"]),
  status: ExecutionStatus,
  retryOf: Schema.NullOr(Schema.Int),
  retrySuccessId: Schema.NullOr(Schema.Int),
  startedAt: Schema.Finite,
  stoppedAt: Schema.NullOr(Schema.Finite),
  /** The time at which a waiting execution goes on. */
  waitTill: Schema.optionalKey(Schema.Finite),
  snapshot: Snapshot,
  steps: Schema.Array(Step)
})
export type ExecutionRecord = typeof ExecutionRecord.Type

/** One record written or removed. Changes made together are one entry of the journal, so that all of them happen or none. */
export const Change = Schema.Union([
  Schema.Struct({ owner: Owner }),
  Schema.Struct({ workflow: WorkflowRecord }),
  Schema.Struct({ savedVersion: SavedVersion }),
  Schema.Struct({ tag: TagRecord }),
  Schema.Struct({ credential: CredentialRecord }),
  Schema.Struct({ execution: ExecutionRecord }),
  Schema.Struct({ thing: ThingRecord }),
  Schema.Struct({ removedThing: Schema.String }),
  Schema.Struct({ counters: Schema.Struct({ execution: Schema.Int, publication: Schema.Int }) }),
  Schema.Struct({ dataTable: DataTableRecord }),
  Schema.Struct({ rowsOf: Schema.String, rows: Schema.Array(RowRecord) }),
  Schema.Struct({ removedDataTable: Schema.String }),
  Schema.Struct({ rowsOf: Schema.String, removedRows: Schema.Array(Schema.Int) }),
  Schema.Struct({ removedWorkflow: Schema.String }),
  Schema.Struct({ removedTag: Schema.String }),
  Schema.Struct({ removedCredential: Schema.String }),
  Schema.Struct({ removedExecution: Schema.Int })
])
export type Change = typeof Change.Type

/** The changes of one entry, as one line of JSON. */
export const Changes = Schema.fromJsonString(Schema.Array(Change))
