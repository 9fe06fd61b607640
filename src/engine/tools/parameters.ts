import { Effect, Schema } from "effect"

import { listed } from "../../internal/foreignText.ts"
import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { nearest } from "../../internal/texts.ts"
import { optional, text } from "../../mcp/parameters.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { isTimestamp } from "../workflow/executions.ts"
import { ExecutionStatus, CredentialType, ExecutionId, WorkflowSettings } from "../workflow/models.ts"
import type { Kind } from "../workflow/names.ts"

export { flag, optional, text } from "../../mcp/parameters.ts"

/**
 * The id or the name of something: by the time a tool's program runs, names have become ids. The brand is that of the id, as
 * which a program gets it.
 */
const reference = (refersTo: Kind) =>
  Schema.String.check(
    Schema.isPattern(/^\s*\S[^]{0,255}$/, { message: "must be an id or a name, of at most 256 characters" })
  ).annotate({ description: "Or name", refersTo })

export const workflowId = reference("workflow").pipe(Schema.brand("WorkflowId"))
export const ifVersion = optional(
  Schema.String.check(
    Schema.isPattern(/^\S{1,100}$/, { message: "must be the `version` of an answer about this workflow" })
  ).annotate({ description: "`version` read; refused if changed" })
)
export const executionId = ExecutionId.annotate({ inputSchema: { type: "integer", description: "Id" } })
export const credentialId = reference("credential").pipe(Schema.brand("CredentialId"))
export const credentialType = CredentialType.annotate({ description: "e.g. httpBasicAuth" })
export const tagId = reference("tag").pipe(Schema.brand("TagId"))

export const workflowName = text("Name")
export const credentialName = text("Name")
export const credentialSource = optional(text("Configured source"))
/** Engines count characters, blanks around the name aside, and call a longer name one that is taken. */
export const tagName = text("At most 24 characters")
  .check(Schema.makeFilter((name) => Array.from(name.trim()).length <= 24 || "must be at most 24 characters long"))
  .annotate({ inputSchema: { type: "string", description: "At most 24 characters" } })

export const limit = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 250 }, { message: "must be between 1 and 250" })
)
  .annotate({ description: "Default 100" })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed(100)))

export const cursor = Schema.optionalKey(Schema.String.annotate({ description: "nextCursor" }))

/** A timestamp that does not depend on a time zone. */
export const timestamp = (description: string) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) => isTimestamp(text) || "must be a date or a time with its zone, as in 2026-11-20T09:00:00Z"
    )
  ).annotate({ inputSchema: { type: "string", description } })

export const nodeNames = (description: string) =>
  Schema.Array(Schema.String)
    .check(Schema.makeFilter((names) => names.length > 0 || "must hold at least one name"))
    .annotate({ inputSchema: { type: "array", items: { type: "string" }, description } })

export const itemsPerNode = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(0, { message: "must be 0 or more" })
).annotate({ inputSchema: { type: "integer", minimum: 0, description: "Items per node" } })

export const executionStatus = ExecutionStatus.annotate({ description: "Only this state" })

export const object = (description: string) => JsonObject.annotate({ description })

/** The settings of the contract are checked here, those that only newer engines know by the engine. */
export const settings = WorkflowSettings.annotate({
  inputSchema: {
    type: "object",
    description:
      "timezone, errorWorkflow, executionTimeout, callerPolicy, executionOrder (v1), saveDataErrorExecution (all|none), …"
  }
})

/** Nodes of a workflow; their fields are checked by the rules about workflows, which name the node that is wrong. */
export const nodes = Schema.Array(JsonObject).annotate({
  inputSchema: {
    type: "array",
    items: { type: "object" },
    description:
      "At least 1: {name (unique), type (engine-nodes-base.webhook), typeVersion, position: [x, y], parameters, credentials: " +
      "{<type>: {id, name}}}"
  }
})

/** Two forms are taken; a schema that every provider accepts can only name one. */
export const connections = Schema.Unknown.annotate({
  inputSchema: {
    type: "object",
    description:
      "{<source>: {main: [[{node: <target>, type: main, index: 0}]]}} or [{source, target, sourceOutput, targetInput}]"
  }
})

/** Nodes, connections and settings, without the explanations that `create_workflow` has already. */
export const asInCreate = {
  nodes: nodes.annotate({
    inputSchema: { type: "array", items: { type: "object" }, description: "All nodes, as in create_workflow" }
  }),
  connections: connections.annotate({ inputSchema: { type: "object", description: "All, as in create_workflow" } }),
  settings: settings.annotate({ inputSchema: { type: "object", description: "As in create_workflow; merged" } })
}

const mostNodeNames = 30

/** Refuses names of nodes that do not exist in a workflow or execution; the refusal lists the existing ones. */
export const refuseUnknownNodes = (
  thing: string,
  wanted: ReadonlyArray<string>,
  existingNames: ReadonlyArray<string>,
  argument = "nodes"
) => {
  const stranger = wanted.find((name) => !existingNames.includes(name))
  if (stranger === undefined) return Effect.void
  const guess = nearest(stranger, existingNames)
  const hint = guess === undefined ? `Its nodes: ${listed(existingNames, mostNodeNames)}` : `Did you mean ${guess}?`
  return Effect.fail(new InvalidArgument({ argument, problem: `${thing} has no node ${stranger}. ${hint}` }))
}
