import { Effect } from "effect"

import { createCredential } from "../../api/credentials.ts"
import { rowEndpoints } from "../../api/dataRows.ts"
import { dataTableEndpoints } from "../../api/dataTables.ts"
import { Dialect, type Endpoint, type Handler, ok } from "../../api/Dialect.ts"
import { listExecutions } from "../../api/executions.ts"
import { folderEndpoints } from "../../api/projects.ts"
import { listWorkflows } from "../../api/workflowReads.ts"
import { activate, createWorkflow, deactivate, updateWorkflow } from "../../api/workflowWrites.ts"
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
import {
  archive,
  getCredential,
  getVersion,
  getVersionAtOldPath,
  listCredentials,
  listVersions,
  retryExecution,
  stopExecution,
  stopExecutions,
  testCredential,
  updateCredential
} from "./handlers.ts"

/** The resources of the list, in its order: the segment of their paths, the name of their ids, and their operations. */
const resources = [
  {
    name: "workflow",
    segment: "workflows",
    id: "workflowId",
    operations: ["read", "list", "create", "update", "delete", "activate", "deactivate"]
  },
  { name: "discover", segment: "discover", id: "", operations: [] },
  {
    name: "credential",
    segment: "credentials",
    id: "credentialId",
    operations: ["list", "read", "create", "update", "delete"]
  },
  {
    name: "executions",
    segment: "executions",
    id: "executionId",
    operations: ["list", "read", "delete", "stop", "retry"]
  },
  { name: "tags", segment: "tags", id: "tagId", operations: ["list", "create", "read", "update", "delete"] },
  { name: "variables", segment: "variables", id: "id", operations: ["list", "create", "update", "delete"] },
  { name: "projects", segment: "projects", id: "projectId", operations: ["list", "create", "update", "delete"] },
  {
    name: "datatable",
    segment: "data-tables",
    id: "dataTableId",
    operations: ["list", "create", "read", "update", "delete", "upsert"]
  }
] as const

type Resource = (typeof resources)[number]

/** A path as the list writes it; where a version follows, it has a name of its own for the id. */
const listedPath = (path: string, { id }: Resource): string =>
  `/api/v1${path
    .replace("/:id/:versionId", "/{id}/{versionId}")
    .replace("/versions/:versionId", "/versions/{workflowVersionId}")
    .replace("/schema/:type", "/schema/{credentialTypeName}")
    .replace(/\/:(\w+Id)/g, "/{$1}")
    .replace("/:id", `/{${id}}`)}`

const listed = (endpoints: ReadonlyArray<Endpoint>, resource: Resource) => ({
  operations: resource.operations,
  endpoints: endpoints
    .filter(({ path }) => path.split("/")[1] === resource.segment)
    .map(({ method, path }) => ({ method, path: listedPath(path, resource) }))
})

/** Names of scopes that are not made of the name of a resource and of its operations. */
const otherScopes = [
  "workflowTags:list",
  "workflowTags:update",
  ...["list", "create", "read", "update", "delete"].map((operation) => `folder:${operation}`),
  ...["create", "read", "update", "delete"].map((operation) => `dataTableColumn:${operation}`),
  ...["create", "read", "update", "delete", "upsert"].map((operation) => `dataTableRow:${operation}`)
]

const scopeName = ({ name }: Resource) => {
  if (name === "datatable") return "dataTable"
  return name === "workflow" || name === "discover" ? name : name.replace(/s$/, "")
}

/** The scopes and endpoints of the key: here, all of them. */
const discover: Handler = Effect.fnUntraced(function* ({ query }) {
  const { endpoints } = yield* Dialect
  const wanted = query.get("resource")
  const matches = resources.filter(({ name }) => wanted === undefined || name === wanted)
  return ok({
    data: {
      scopes: [
        ...resources.flatMap((resource) =>
          resource.operations
            .filter((operation) => operation !== "upsert")
            .map((operation) => `${scopeName(resource)}:${operation}`)
        ),
        ...otherScopes
      ],
      resources: Object.fromEntries(matches.map((resource) => [resource.name, listed(endpoints, resource)])),
      filters: {
        resource: { description: "Filter to a specific resource", values: resources.map(({ name }) => name) },
        operation: {
          description: "Filter to a specific operation",
          values: [...new Set(resources.flatMap(({ operations }) => operations))]
        },
        include: { description: "Include additional data", values: ["schemas"] }
      },
      specUrl: "/api/v1/openapi.yml"
    }
  })
})

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
  ...folderEndpoints,
  { method: "GET", path: "/discover", query: { resource: "any", operation: "any", include: "any" }, run: discover },
  { method: "GET", path: "/credentials", query: { limit: "limit", cursor: "encoded" }, run: listCredentials },
  { method: "POST", path: "/credentials", query: {}, body: { shape: newCredential }, run: createCredential },
  { method: "GET", path: "/credentials/:id", query: {}, run: getCredential },
  { method: "PATCH", path: "/credentials/:id", query: {}, body: { shape: updatedCredential }, run: updateCredential },
  { method: "POST", path: "/credentials/:id/test", query: {}, run: testCredential },
  ...dataTableEndpoints,
  ...rowEndpoints
]
