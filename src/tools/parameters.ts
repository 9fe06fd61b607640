import { Effect, Schema } from "effect"

import { ExecutionStatus } from "../engine/Execution.ts"
import { CredentialId, CredentialType, ExecutionId, TagId, WorkflowId } from "../engine/ids.ts"
import { Free, WorkflowSettings } from "../engine/Workflow.ts"

/** An argument that may be left out. */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)

export const workflowId = WorkflowId.annotate({ description: "Workflow id" })
export const executionId = ExecutionId.annotate({ description: "Execution id" })
export const credentialId = CredentialId.annotate({ description: "Credential id" })
export const credentialType = CredentialType.annotate({ description: "e.g. httpBasicAuth" })
export const tagId = TagId.annotate({ description: "Tag id" })

const text = (description: string) =>
  Schema.String.check(Schema.isPattern(/\S/, { message: "must not be empty" })).annotate({ description })

export const workflowName = text("Workflow name")
export const credentialName = text("Credential name")
/** Engines count characters, blanks around the name aside, and call a longer name one that is taken. */
export const tagName = text("Tag name, at most 24 characters").check(
  Schema.makeFilter((name) => Array.from(name.trim()).length <= 24 || "must be at most 24 characters long")
)

export const active = Schema.Boolean
export const flag = (description: string) => Schema.Boolean.annotate({ description })

export const limit = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 250 }, { message: "must be between 1 and 250" })
)
  .annotate({ description: "Page size, default 100" })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed(100)))

export const cursor = Schema.optionalKey(Schema.String.annotate({ description: "nextCursor of the page before" }))

export const executionStatus = ExecutionStatus.annotate({ description: "Only this state" })

export const object = (description: string) => Free.annotate({ description })

/** The settings of the contract are checked here, those that only newer engines know by the engine. */
export const settings = WorkflowSettings.annotate({
  inputSchema: {
    type: "object",
    description:
      "timezone, errorWorkflow, callerPolicy, saveExecutionProgress, saveManualExecutions, saveDataErrorExecution and " +
      "saveDataSuccessExecution (all|none), executionTimeout"
  }
})

/** What a node must have is checked by the rules about workflows, which name the node that is wrong. */
export const nodes = Schema.Array(Free).annotate({
  inputSchema: {
    type: "array",
    items: {
      type: "object",
      properties: {
        name: { type: "string", description: "Unique name" },
        type: { type: "string", description: "e.g. engine-nodes-base.webhook" },
        typeVersion: { type: "number", description: "Version of the type" },
        position: { type: "array", items: { type: "number" }, description: "[x, y]" },
        parameters: { type: "object", description: "By type" },
        credentials: { type: "object", description: "type -> {id, name}" }
      },
      required: ["name", "type", "typeVersion", "position"]
    },
    description: "At least 1"
  }
})

/** Two forms are taken; a schema that every provider accepts can only name one. */
export const connections = Schema.Unknown.annotate({
  inputSchema: {
    type: "object",
    description:
      '{"<source>":{"main":[[{"node":"<target>","type":"main","index":0}]]}}, or a list of {source, target, ' +
      "sourceOutput, targetInput}"
  }
})

/** The same, without what `create_workflow` already explains. */
export const asInCreate = {
  nodes: nodes.annotate({
    inputSchema: { type: "array", items: { type: "object" }, description: "All nodes, as in create_workflow" }
  }),
  connections: connections.annotate({ inputSchema: { type: "object", description: "All, as in create_workflow" } }),
  settings: settings.annotate({ inputSchema: { type: "object", description: "As in create_workflow; merged" } })
}
