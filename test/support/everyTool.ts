type Json = Readonly<Record<string, unknown>>

/** Ids from the answers so far, by the tool that gave them. */
export type Ids = Readonly<Record<string, unknown>>

/** A webhook at the path, and behind it a node that fails, so that there is an execution to retry. */
export const hooked = (path: string) => ({
  nodes: [
    {
      name: "Hook",
      type: "engine-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      parameters: { path, httpMethod: "POST", responseMode: "lastNode", options: {} },
      webhookId: path
    },
    { name: "Stop", type: "engine-nodes-base.stopAndError", typeVersion: 1, position: [220, 0], parameters: {} }
  ],
  connections: [{ source: "Hook", target: "Stop" }]
})

/** The engine's tools in the order in which they are listed. */
export const toolNames = [
  "list_workflows",
  "get_workflow",
  "create_workflow",
  "update_workflow",
  "delete_workflow",
  "activate_workflow",
  "deactivate_workflow",
  "execute_workflow",
  "list_executions",
  "get_execution",
  "delete_execution",
  "retry_execution",
  "list_credentials",
  "get_credential",
  "create_credential",
  "update_credential",
  "delete_credential",
  "get_credential_schema",
  "create_tag",
  "get_tags",
  "get_tag",
  "update_tag",
  "delete_tag"
]

/**
 * A call of every tool that succeeds, in an order in which each has something to work on. Everything that is made is
 * gone afterwards, and calls for different names do not meet.
 */
export const everyTool = (name: string): ReadonlyArray<readonly [tool: string, args: (ids: Ids) => Json]> => {
  const type = "httpBasicAuth"
  return [
    ["create_tag", () => ({ name })],
    ["get_tags", () => ({})],
    ["get_tag", ({ create_tag: id }) => ({ id })],
    ["update_tag", ({ create_tag: id }) => ({ id, name: `old ${name}` })],
    [
      "create_workflow",
      ({ create_tag: tag }) => ({
        name: `Hook of ${name}`,
        ...hooked(name),
        settings: { callerPolicy: "any" },
        tags: [tag]
      })
    ],
    ["get_workflow", ({ create_workflow: id }) => ({ id })],
    ["update_workflow", ({ create_workflow: id }) => ({ id, name: `Renamed ${name}`, settings: { timezone: "UTC" } })],
    ["activate_workflow", ({ create_workflow: id }) => ({ id })],
    ["list_workflows", () => ({ tags: [`old ${name}`], active: true })],
    ["execute_workflow", ({ create_workflow: id }) => ({ id, data: { hello: "world" } })],
    ["list_executions", ({ create_workflow: workflowId }) => ({ workflowId, limit: 5, includeData: true })],
    ["get_execution", ({ execute_workflow: id }) => ({ id, includeData: true })],
    ["retry_execution", ({ execute_workflow: id }) => ({ id })],
    ["delete_execution", ({ execute_workflow: id }) => ({ id })],
    ["deactivate_workflow", ({ create_workflow: id }) => ({ id })],
    ["delete_workflow", ({ create_workflow: id }) => ({ id })],
    ["delete_tag", ({ create_tag: id }) => ({ id })],
    ["get_credential_schema", () => ({ type })],
    ["create_credential", () => ({ name, type, data: { user: "ann", password: "b" } })],
    ["list_credentials", () => ({})],
    ["get_credential", ({ create_credential: id }) => ({ id })],
    ["update_credential", ({ create_credential: id }) => ({ id, name: `old ${name}` })],
    ["delete_credential", ({ create_credential: id }) => ({ id })]
  ]
}

/** The part of an answer that a later call needs. */
export const idIn = (answer: Json): unknown => answer["id"] ?? answer["executionId"]
