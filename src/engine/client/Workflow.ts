import { Predicate, Schema } from "effect"

import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { open } from "../../internal/schema/openStruct.ts"
import { WorkflowId } from "./ids.ts"
import { Tag } from "./Tag.ts"

/** A node as a caller gives it; what the graph rules demand is checked by `validate`, with the contract's words. */
export const Node = open({
  name: Schema.String,
  type: Schema.String,
  typeVersion: Schema.Finite,
  position: Schema.Array(Schema.Finite),
  parameters: Schema.optionalKey(JsonObject),
  credentials: Schema.optionalKey(JsonObject)
})
export type Node = typeof Node.Type

/** One end of a connection, as the engine keeps it. */
export const Target = open({ node: Schema.String, type: Schema.String, index: Schema.Int })
export type Target = typeof Target.Type

/** source node -> connection type -> output index -> targets. An output without targets is `null` or empty. */
export const Connections = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.Array(Schema.NullOr(Schema.Array(Target))))
)
export type Connections = typeof Connections.Type

/** A connection in the array form that the server also takes. */
export const Link = open({
  source: Schema.String,
  target: Schema.String,
  sourceOutput: Schema.optionalKey(Schema.Unknown),
  targetInput: Schema.optionalKey(Schema.Unknown)
})
export type Link = typeof Link.Type

const SaveData = Schema.Literals(["all", "none"])

/** Settings as a caller gives them; every one may be left out, and engines know more than these. */
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

/** A workflow as an engine returns it; engines keep nodes that no rule would let through, so only the envelope is typed. */
export const Workflow = open({
  id: WorkflowId,
  name: Schema.String,
  active: Schema.Boolean,
  /** The version that is, or is about to be, live; engines before 2 have one version only. */
  activeVersionId: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** How many of its triggers listen, as far as the engine has counted them. */
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

/** The name of a node, "" when it has none. */
export const nameOf = ({ name }: JsonObject): string => (Predicate.isString(name) ? name : "")
