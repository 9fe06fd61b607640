import type { JsonObject } from "../../../../internal/schema/JsonObject.ts"
import type { Views } from "../../api/Dialect.ts"
import { iso } from "../../store/fresh.ts"
import type { ExecutionRecord, Problem } from "../../store/records.ts"
import { head, record, renderRun, stackOf, type Style, times, withDefaults } from "../viewParts.ts"

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

const operationError = ({ message, timestamp }: Problem, node: JsonObject) => ({
  level: "warning",
  shouldReport: true,
  tags: {},
  timestamp,
  context: {},
  functionality: "regular",
  name: "NodeOperationError",
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
export const execution: Views["execution"] = (execution, includeData) => ({
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
export const listedExecution: Views["listedExecution"] = (execution, includeData) => ({
  ...head(execution),
  status: execution.status,
  ...times(execution),
  workflowId: execution.workflowId,
  waitTill: null,
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
