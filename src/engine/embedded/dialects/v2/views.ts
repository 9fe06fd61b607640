import type { JsonObject } from "../../../../internal/schema/JsonObject.ts"
import type { Occasion, Views } from "../../api/Dialect.ts"
import { tagsOf } from "../../api/tags.ts"
import type { CredentialRecord, ExecutionRecord, Problem, Publication, WorkflowRecord } from "../../store/records.ts"
import type { Tables } from "../../store/Store.ts"
import { iso } from "../../store/values.ts"
import {
  head,
  ownerName,
  personalProject,
  projectsOf,
  record,
  renderRun,
  shownFolder,
  stackOf,
  type Style,
  times,
  waitTillOf,
  withDefaults
} from "../viewParts.ts"

const isOneOf = (...occasions: ReadonlyArray<Occasion>) => {
  const set = new Set(occasions)
  return (occasion: Occasion) => set.has(occasion)
}

const showsTags = isOneOf("create", "get", "list", "update")
const showsShares = isOneOf("create", "deactivate", "delete", "get", "list")

const workflow: Views["workflow"] = (tables, workflow, occasion) => {
  const isWhole = occasion !== "list"
  return {
    id: workflow.id,
    name: workflow.name,
    ...(isWhole ? { description: workflow.description } : {}),
    active: workflow.active,
    activeVersionId: workflow.published?.versionId ?? null,
    createdAt: workflow.createdAt,
    updatedAt: workflow.updatedAt,
    isArchived: workflow.isArchived,
    versionId: workflow.versionId,
    ...(isWhole ? { versionCounter: workflow.versionCounter, sourceWorkflowId: null } : {}),
    triggerCount: workflow.triggerCount,
    nodes: workflow.nodes,
    connections: workflow.connections,
    nodeGroups: workflow.nodeGroups ?? [],
    settings: workflow.settings,
    staticData: workflow.staticData,
    pinData: workflow.pinData,
    meta: null,
    ...(showsTags(occasion) ? { tags: tagsOf(tables, workflow) } : {}),
    ...(showsShares(occasion) ? { shared: [share(tables, workflow)] } : {}),
    ...(occasion === "delete" ? {} : { activeVersion: activeVersion(tables, workflow) }),
    ...(occasion === "create" ? { parentFolder: folderOf(tables, workflow) } : {})
  }
}

const share = (tables: Tables, { createdAt, id, project: projectId }: WorkflowRecord) => {
  const project = projectsOf(tables).find((one) => one.id === projectId) ?? personalProject(tables)
  return {
    role: "workflow:owner",
    workflowId: id,
    projectId: project.id,
    project,
    createdAt,
    updatedAt: createdAt
  }
}

const folderOf = ({ things }: Tables, { folder }: WorkflowRecord) => {
  const one = folder === undefined ? undefined : things.get(folder)
  return one === undefined ? null : shownFolder(one)
}

const activeVersion = ({ owner }: Tables, { id, publications, published }: WorkflowRecord) => {
  if (published === null) return null
  const { connections, createdAt, nodes, versionId } = published
  const entry = (publication: Publication) => ({
    id: publication.id,
    workflowId: id,
    versionId,
    event: publication.event,
    userId: owner.userId,
    createdAt: publication.createdAt
  })
  return {
    versionId,
    workflowId: id,
    nodes,
    connections,
    nodeGroups: [],
    authors: ownerName,
    name: null,
    description: null,
    autosaved: false,
    createdAt,
    updatedAt: createdAt,
    workflowPublishHistory: publications.filter((publication) => publication.versionId === versionId).map(entry)
  }
}

/** A single credential, without its data. */
export const credential = ({ createdAt, id, name, type, updatedAt }: CredentialRecord) => ({
  id,
  name,
  type,
  isManaged: false,
  isGlobal: false,
  isResolvable: false,
  resolvableAllowFallback: false,
  resolverId: null,
  createdAt,
  updatedAt
})

/** A credential in a list, with the project that it belongs to. */
export const listedCredential = (tables: Tables, { id, name, type, ...times }: CredentialRecord) => {
  const { createdAt, id: project, name: projectName, updatedAt } = personalProject(tables)
  return {
    id,
    name,
    type,
    ...times,
    shared: [{ id: project, name: projectName, role: "credential:owner", createdAt, updatedAt }]
  }
}

/** The error thrown by code, without node and item. */
const codeError = ({ message, thrown }: Problem) => ({
  level: "info",
  shouldReport: false,
  description: thrown?.description,
  tags: {},
  name: "WrappedExecutionError",
  lineNumber: thrown?.line,
  message: `${message} [line ${thrown?.line}]`,
  stack: stackOf(message)
})

const operationError = ({ httpCode, message, timestamp }: Problem, node: JsonObject) => ({
  level: "warning",
  shouldReport: true,
  tags: {},
  timestamp,
  context: {},
  functionality: "regular",
  ...(httpCode === undefined ? { name: "NodeOperationError" } : { name: "NodeApiError", httpCode }),
  node,
  messages: [],
  message,
  stack: stackOf(message)
})

const style: Style = {
  error: (problem, node) => (problem.thrown === undefined ? operationError(problem, node) : codeError(problem)),
  source: ({ node, output, run }) => ({ previousNode: node, previousNodeOutput: output, previousNodeRun: run }),
  step: ({ executionTime, index, startTime }, source) => ({
    startTime,
    executionIndex: index,
    source,
    hints: [],
    executionTime
  })
}

const data = (execution: ExecutionRecord, isAfterRetry = false) => {
  const { error, lastNodeExecuted, nodeExecutionStack, runData } = renderRun(execution, style)
  const { snapshot, startedAt, steps } = execution
  const trigger = snapshot.nodes.find(({ name }) => name === steps[0]?.node)
  const results = { runData, ...lastNodeExecuted }
  return {
    version: 1,
    startData: {},
    resultData: isAfterRetry ? { ...results, ...error } : { ...error, ...results },
    executionData: {
      contextData: {},
      nodeExecutionStack,
      metadata: {},
      waitingExecution: {},
      waitingExecutionSource: {},
      runtimeData: {
        version: 1,
        establishedAt: startedAt,
        source: "webhook",
        triggerNode: { name: trigger?.name, type: trigger?.type },
        redaction: { version: 2, production: false, manual: false }
      }
    },
    resumeToken: snapshot.versionId.replaceAll("-", "")
  }
}

const jsonSizeBytes = (execution: ExecutionRecord) => JSON.stringify(data(execution)).length

const workflowData = ({ snapshot, workflowId }: ExecutionRecord) => ({
  id: workflowId,
  name: snapshot.name,
  nodes: snapshot.nodes.map(withDefaults),
  connections: snapshot.connections,
  settings: snapshot.settings,
  nodeGroups: []
})

/** The answer to a retry once the new run has ended. */
export const retriedExecution = (execution: ExecutionRecord) => {
  const { id, retryOf } = head(execution)
  return {
    id,
    mode: execution.mode,
    startedAt: iso(execution.startedAt),
    workflowId: execution.workflowId,
    finished: execution.status === "success",
    retryOf,
    status: execution.status,
    data: data(execution, true),
    workflowData: { ...workflowData(execution), active: false, activeVersionId: null },
    customData: {},
    storedAt: "db"
  }
}

/** The answer to a stop. */
export const stoppedExecution = (execution: ExecutionRecord) => ({
  mode: execution.mode,
  ...times(execution),
  finished: false,
  status: execution.status
})

/** A single execution. */
const execution: Views["execution"] = (execution, includeData) => ({
  ...record(execution),
  storedAt: "db",
  tracingContext: null,
  deduplicationKey: null,
  jsonSizeBytes: jsonSizeBytes(execution),
  binaryDataSizeBytes: 0,
  workflowVersionId: execution.snapshot.versionId,
  usedPrivateCredentials: false,
  ...(includeData ? { data: data(execution), customData: {}, workflowData: workflowData(execution) } : {})
})

/** An execution in a list. */
const listedExecution: Views["listedExecution"] = (execution, includeData) => ({
  ...head(execution),
  status: execution.status,
  ...times(execution),
  workflowId: execution.workflowId,
  waitTill: waitTillOf(execution),
  ...(includeData
    ? {
        storedAt: "db",
        jsonSizeBytes: jsonSizeBytes(execution),
        workflowVersionId: execution.snapshot.versionId,
        data: data(execution),
        workflowData: workflowData(execution),
        customData: {}
      }
    : {})
})

export const views: Views = {
  workflow,
  createdWorkflow: (tables, created) => workflow(tables, created, "create"),
  tag: (tag) => tag,
  createdTag: (tag) => tag,
  createdCredential: credential,
  deletedCredential: (deleted) => ({ ...credential(deleted), usageScope: "project" }),
  execution,
  listedExecution
}
