import type { JsonObject } from "../../../../internal/schema/JsonObject.ts"
import type { Views } from "../../api/Dialect.ts"
import { tagsOf } from "../../api/tags.ts"
import type { ExecutionRecord, Problem, TagRecord, WorkflowRecord } from "../../store/records.ts"
import type { Tables } from "../../store/Store.ts"
import {
  author,
  head,
  projectName,
  record,
  renderRun,
  stackOf,
  type Style,
  times,
  waitTillOf,
  withDefaults
} from "../viewParts.ts"

const tag = ({ createdAt, id, name, updatedAt }: TagRecord) => ({ createdAt, updatedAt, id, name })

const share = ({ owner }: Tables, { createdAt, id }: WorkflowRecord) => {
  const times = { createdAt: owner.createdAt, updatedAt: owner.createdAt }
  return {
    createdAt,
    updatedAt: createdAt,
    role: "workflow:owner",
    workflowId: id,
    projectId: owner.projectId,
    project: {
      ...times,
      id: owner.projectId,
      name: projectName,
      type: "personal",
      icon: null,
      projectRelations: [
        {
          ...times,
          role: "project:personalOwner",
          userId: owner.userId,
          projectId: owner.projectId,
          user: {
            ...times,
            id: owner.userId,
            email: author.email,
            firstName: author.firstName,
            lastName: author.lastName,
            personalizationAnswers: null,
            settings: { userActivated: false },
            role: "global:owner",
            disabled: false,
            mfaEnabled: false,
            isPending: false,
            isOwner: true
          }
        }
      ]
    }
  }
}

/** The error thrown by code, with the item if it runs once for each. */
const codeError = ({ message, thrown }: Problem, node: JsonObject) => {
  const item = thrown?.item
  const context = item === undefined ? {} : { itemIndex: item, context: { itemIndex: item } }
  const place = item === undefined ? `line ${thrown?.line}` : `line ${thrown?.line}, for item ${item}`
  return {
    level: "error",
    tags: {},
    description: thrown?.description,
    ...context,
    lineNumber: thrown?.line,
    node,
    message: `${message} [${place}]`,
    stack: stackOf(message)
  }
}

const operationError = ({ httpCode, message, timestamp }: Problem, node: JsonObject) => ({
  level: "warning",
  tags: {},
  context: {},
  functionality: "regular",
  ...(httpCode === undefined ? { name: "NodeOperationError" } : { name: "NodeApiError", httpCode }),
  timestamp,
  node,
  messages: [],
  message,
  stack: stackOf(message)
})

const style: Style = {
  error: (problem, node) => (problem.thrown === undefined ? operationError(problem, node) : codeError(problem, node)),
  source: ({ node, output, run }) => ({
    previousNode: node,
    ...(output > 0 ? { previousNodeOutput: output } : {}),
    ...(run > 0 ? { previousNodeRun: run } : {})
  }),
  step: ({ executionTime, startTime }, source) => ({ hints: [], startTime, executionTime, source })
}

const details = (execution: ExecutionRecord) => {
  const { error, lastNodeExecuted, nodeExecutionStack, runData } = renderRun(execution, style)
  const { snapshot, workflowId } = execution
  return {
    data: {
      startData: {},
      resultData: { runData, ...lastNodeExecuted, ...error },
      executionData: { contextData: {}, nodeExecutionStack, waitingExecution: {} }
    },
    workflowData: {
      id: workflowId,
      name: snapshot.name,
      active: snapshot.active,
      createdAt: snapshot.createdAt,
      updatedAt: snapshot.updatedAt,
      nodes: snapshot.nodes.map(withDefaults),
      connections: snapshot.connections,
      settings: snapshot.settings,
      staticData: {},
      pinData: null
    },
    customData: {}
  }
}

export const views: Views = {
  workflow: (tables, workflow, occasion) => ({
    createdAt: workflow.createdAt,
    updatedAt: workflow.updatedAt,
    id: workflow.id,
    name: workflow.name,
    active: workflow.active,
    nodes: workflow.nodes,
    connections: workflow.connections,
    settings: workflow.settings,
    staticData: workflow.staticData,
    meta: null,
    pinData: workflow.pinData,
    versionId: workflow.versionId,
    triggerCount: workflow.triggerCount,
    ...(occasion === "list" || occasion === "update" ? {} : { shared: [share(tables, workflow)] }),
    ...(occasion === "list" || occasion === "get" ? { tags: tagsOf(tables, workflow).map(tag) } : {})
  }),
  /** An echo of what was sent, followed by what the engine added. */
  createdWorkflow: (_, workflow, sent) => ({
    ...sent,
    active: false,
    versionId: workflow.versionId,
    id: workflow.id,
    staticData: sent.staticData ?? null,
    meta: null,
    pinData: null,
    createdAt: workflow.createdAt,
    updatedAt: workflow.updatedAt,
    triggerCount: 0
  }),
  tag,
  createdTag: ({ createdAt, id, name, updatedAt }) => ({ name, id, createdAt, updatedAt }),
  createdCredential: ({ createdAt, id, updatedAt }, sent) => ({ ...sent, id, createdAt, updatedAt, isManaged: false }),
  deletedCredential: ({ createdAt, name, type, updatedAt }) => ({ createdAt, updatedAt, name, type, isManaged: false }),
  execution: (execution, includeData) => ({ ...record(execution), ...(includeData ? details(execution) : {}) }),
  /** Lists do not show the status. */
  listedExecution: (execution, includeData) => ({
    ...head(execution),
    ...times(execution),
    workflowId: execution.workflowId,
    waitTill: waitTillOf(execution),
    ...(includeData ? details(execution) : {})
  })
}
