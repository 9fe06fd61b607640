import { createCredential, deleteCredential, getCredentialSchema } from "../../api/credentials.ts"
import type { Endpoint } from "../../api/Dialect.ts"
import { deleteExecution, getExecution, listExecutions } from "../../api/executions.ts"
import { projectEndpoints } from "../../api/projects.ts"
import { tagEndpoints, workflowTagEndpoints } from "../../api/tags.ts"
import { getWorkflow, listWorkflows } from "../../api/workflowReads.ts"
import { activate, createWorkflow, deactivate, deleteWorkflow, updateWorkflow } from "../../api/workflowWrites.ts"
import { array, boolean, choice, fields, json, map, number, object, readOnly, string } from "../../wire/shapes.ts"

/** The fields of a node, in the order in which 2.x engines write them. */
export const nodeFields = {
  id: string,
  name: string,
  webhookId: string,
  disabled: boolean,
  notesInFlow: boolean,
  notes: string,
  type: string,
  typeVersion: number,
  executeOnce: boolean,
  alwaysOutputData: boolean,
  retryOnFail: boolean,
  maxTries: number,
  waitBetweenTries: number,
  continueOnFail: boolean,
  onError: string,
  position: array(number),
  parameters: object,
  credentials: object,
  createdAt: readOnly,
  updatedAt: readOnly
}

export const settingsFields = {
  saveExecutionProgress: boolean,
  saveManualExecutions: boolean,
  saveDataErrorExecution: choice("all", "none"),
  saveDataSuccessExecution: choice("all", "none"),
  executionTimeout: number,
  errorWorkflow: string,
  timezone: string,
  executionOrder: string
}

export const workflowFields = {
  id: readOnly,
  name: string,
  active: readOnly,
  createdAt: readOnly,
  updatedAt: readOnly,
  nodes: array(fields(nodeFields)),
  connections: map,
  settings: fields(settingsFields),
  staticData: json,
  tags: readOnly
}

const workflow = fields(workflowFields, "name", "nodes", "connections", "settings")

/** Other fields are accepted and echoed; only an id is refused. */
const credential = {
  ...fields({ id: readOnly, name: string, type: string, data: object }, "name", "type", "data"),
  isOpen: true
}

export const workflowQuery = {
  active: "boolean",
  tags: "any",
  name: "any",
  projectId: "any",
  excludePinnedData: "boolean",
  limit: "limit",
  cursor: "encoded"
} as const

export const executionQuery = {
  includeData: "boolean",
  workflowId: "encoded",
  projectId: "any",
  limit: "limit",
  cursor: "encoded"
} as const

/** Endpoints that both engines offer in the same form. */
export const sharedEndpoints: ReadonlyArray<Endpoint> = [
  { method: "GET", path: "/workflows/:id", query: { excludePinnedData: "boolean" }, run: getWorkflow },
  { method: "DELETE", path: "/workflows/:id", query: {}, run: deleteWorkflow },
  ...workflowTagEndpoints,
  { method: "GET", path: "/executions/:id", query: { includeData: "boolean" }, run: getExecution },
  { method: "DELETE", path: "/executions/:id", query: {}, run: deleteExecution },
  { method: "DELETE", path: "/credentials/:id", query: {}, run: deleteCredential },
  { method: "GET", path: "/credentials/schema/:type", query: {}, run: getCredentialSchema },
  ...tagEndpoints
]

const statuses = ["error", "success", "waiting"]

/** Endpoints of a 1.x engine. It ignores the body of an activation. */
export const endpoints: ReadonlyArray<Endpoint> = [
  ...sharedEndpoints,
  ...projectEndpoints,
  { method: "GET", path: "/workflows", query: workflowQuery, run: listWorkflows },
  { method: "POST", path: "/workflows", query: {}, body: { shape: workflow }, run: createWorkflow },
  { method: "PUT", path: "/workflows/:id", query: {}, body: { shape: workflow }, run: updateWorkflow },
  { method: "POST", path: "/workflows/:id/activate", query: {}, run: activate },
  { method: "POST", path: "/workflows/:id/deactivate", query: {}, run: deactivate },
  { method: "GET", path: "/executions", query: { ...executionQuery, status: statuses }, run: listExecutions },
  { method: "POST", path: "/credentials", query: {}, body: { shape: credential }, run: createCredential }
]
