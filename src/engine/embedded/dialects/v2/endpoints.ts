import { activate, deactivate } from "../../api/activation.ts"
import { createCredential } from "../../api/credentials.ts"
import type { Endpoint } from "../../api/Dialect.ts"
import { listExecutions } from "../../api/executions.ts"
import { listWorkflows } from "../../api/workflowReads.ts"
import { createWorkflow, updateWorkflow } from "../../api/workflowWrites.ts"
import {
  anything,
  array,
  boolean,
  choice,
  fields,
  number,
  object,
  readOnly,
  type Shape,
  string
} from "../../wire/shapes.ts"
import {
  executionQuery,
  nodeFields,
  settingsFields,
  sharedEndpoints,
  workflowFields,
  workflowQuery
} from "../v1/endpoints.ts"
import { discover } from "./discover.ts"
import {
  archive,
  getCredential,
  listCredentials,
  retryExecution,
  stopExecution,
  stopExecutions,
  testCredential,
  updateCredential
} from "./handlers.ts"
import { getVersion, getVersionAtOldPath, listVersions } from "./versions.ts"

const keptSettings = {
  ...settingsFields,
  callerPolicy: choice("any", "none", "workflowsFromAList", "workflowsFromSameOwner"),
  callerIds: string,
  timeSavedPerExecution: number,
  timeSavedMode: choice("fixed", "dynamic"),
  availableInMCP: boolean,
  customTelemetryTags: array(anything)
}

/** Settings that are accepted but not stored. */
const forgottenSettings = {
  binaryMode: choice("separate", "combined"),
  redactionPolicy: anything,
  credentialResolverId: anything
}

/** The fields that are stored, by where they occur. */
export const nodeOrder = Object.keys(nodeFields)
export const settingsOrder = Object.keys(keptSettings)

const workflow = (more: Readonly<Record<string, Shape>>) =>
  fields(
    {
      ...workflowFields,
      settings: fields({ ...keptSettings, ...forgottenSettings }),
      pinData: anything,
      meta: readOnly,
      versionId: readOnly,
      triggerCount: readOnly,
      isArchived: readOnly,
      activeVersion: readOnly,
      shared: anything,
      nodeGroups: anything,
      ...more
    },
    "name",
    "nodes",
    "connections",
    "settings"
  )

const newWorkflow = workflow({ projectId: string, parentFolderId: string })
const updatedWorkflow = workflow({ description: string })

const newCredential = {
  ...fields({ id: string, name: string, type: string, data: object }, "name", "type", "data"),
  isOpen: true
}
const updatedCredential = { ...fields({ name: string, data: object }), isOpen: true }

const optional = { shape: anything, isOptional: true }

const statuses = ["canceled", "crashed", "error", "new", "running", "success", "unknown", "waiting"]
const stoppable = {
  ...fields({ status: array(choice("queued", "running", "waiting")), workflowId: string }, "status"),
  isOpen: true
}

/** Endpoints of a 2.x engine. A fixed segment comes before a variable one. */
export const endpoints: ReadonlyArray<Endpoint> = [
  ...sharedEndpoints,
  { method: "GET", path: "/workflows", query: { ...workflowQuery, offset: "encoded" }, run: listWorkflows },
  { method: "POST", path: "/workflows", query: {}, body: { shape: newWorkflow }, run: createWorkflow },
  {
    method: "PUT",
    path: "/workflows/:id",
    query: { publishIfActive: "boolean" },
    body: { shape: updatedWorkflow },
    run: updateWorkflow
  },
  { method: "POST", path: "/workflows/:id/activate", query: {}, body: optional, run: activate },
  { method: "POST", path: "/workflows/:id/publish", query: {}, body: optional, run: activate },
  { method: "POST", path: "/workflows/:id/deactivate", query: {}, body: optional, run: deactivate },
  { method: "POST", path: "/workflows/:id/unpublish", query: {}, body: optional, run: deactivate },
  { method: "POST", path: "/workflows/:id/archive", query: {}, run: archive(true) },
  { method: "POST", path: "/workflows/:id/unarchive", query: {}, run: archive(false) },
  {
    method: "GET",
    path: "/workflows/:id/history",
    query: { limit: "limit", cursor: "encoded" },
    run: listVersions
  },
  { method: "GET", path: "/workflows/:id/versions/:versionId", query: {}, run: getVersion },
  { method: "GET", path: "/workflows/:id/:versionId", query: {}, run: getVersionAtOldPath },
  {
    method: "GET",
    path: "/executions",
    query: { ...executionQuery, status: statuses, startedAfter: "moment", startedBefore: "moment" },
    run: listExecutions
  },
  { method: "POST", path: "/executions/:id/retry", query: {}, body: optional, takesTurns: true, run: retryExecution },
  { method: "POST", path: "/executions/:id/stop", query: {}, takesTurns: true, run: stopExecution },
  {
    method: "POST",
    path: "/executions/stop",
    query: {},
    body: { shape: stoppable },
    takesTurns: true,
    run: stopExecutions
  },
  { method: "GET", path: "/discover", query: { resource: "any", operation: "any", include: "any" }, run: discover },
  { method: "GET", path: "/credentials", query: { limit: "limit", cursor: "encoded" }, run: listCredentials },
  { method: "POST", path: "/credentials", query: {}, body: { shape: newCredential }, run: createCredential },
  { method: "GET", path: "/credentials/:id", query: {}, run: getCredential },
  { method: "PATCH", path: "/credentials/:id", query: {}, body: { shape: updatedCredential }, run: updateCredential },
  { method: "POST", path: "/credentials/:id/test", query: {}, run: testCredential }
]
