import type { ExecutionRecord } from "../../store/ExecutionRecord.ts"
import { iso } from "../../store/fresh.ts"
import { firstData, secondData } from "./data.ts"
import { withDefaults } from "./defaults.ts"

const text = (id: number | null) => (id === null ? null : `${id}`)

const head = ({ id, mode, retryOf, retrySuccessId, status }: ExecutionRecord) => ({
  id: `${id}`,
  finished: status === "success",
  mode,
  retryOf: text(retryOf),
  retrySuccessId: text(retrySuccessId)
})

const times = ({ startedAt, stoppedAt }: ExecutionRecord) => ({
  startedAt: iso(startedAt),
  stoppedAt: stoppedAt === null ? null : iso(stoppedAt)
})

const jsonSizeBytes = (execution: ExecutionRecord) => JSON.stringify(secondData(execution)).length

const firstWorkflow = ({ snapshot, workflowId }: ExecutionRecord) => ({
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
})

const secondWorkflow = ({ snapshot, workflowId }: ExecutionRecord) => ({
  id: workflowId,
  name: snapshot.name,
  nodes: snapshot.nodes.map(withDefaults),
  connections: snapshot.connections,
  settings: snapshot.settings,
  nodeGroups: []
})

/** An execution in the lists of 1.x engines, which do not tell its status. */
export const firstItem = (execution: ExecutionRecord, includeData: boolean) => ({
  ...head(execution),
  ...times(execution),
  workflowId: execution.workflowId,
  waitTill: null,
  ...(includeData ? firstDetails(execution) : {})
})

const firstDetails = (execution: ExecutionRecord) => ({
  data: firstData(execution),
  workflowData: firstWorkflow(execution),
  customData: {}
})

/** An execution in the lists of 2.x engines. */
export const secondItem = (execution: ExecutionRecord, includeData: boolean) => ({
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
        data: secondData(execution),
        workflowData: secondWorkflow(execution),
        customData: {}
      }
    : {})
})

const record = (execution: ExecutionRecord) => ({
  ...head(execution),
  status: execution.status,
  createdAt: iso(execution.startedAt),
  ...times(execution),
  deletedAt: null,
  workflowId: execution.workflowId,
  waitTill: null
})

/** A single execution, as 1.x engines show it. */
export const firstExecution = (execution: ExecutionRecord, includeData: boolean) => ({
  ...record(execution),
  ...(includeData ? firstDetails(execution) : {})
})

/** A single execution, as 2.x engines show it. */
export const secondExecution = (execution: ExecutionRecord, includeData: boolean) => ({
  ...record(execution),
  storedAt: "db",
  tracingContext: null,
  deduplicationKey: null,
  jsonSizeBytes: jsonSizeBytes(execution),
  binaryDataSizeBytes: 0,
  workflowVersionId: execution.snapshot.versionId,
  usedPrivateCredentials: false,
  ...(includeData ? { data: secondData(execution), customData: {}, workflowData: secondWorkflow(execution) } : {})
})

/** What a retry answers with once the new run has ended. */
export const retried = (execution: ExecutionRecord) => ({
  id: `${execution.id}`,
  mode: execution.mode,
  startedAt: iso(execution.startedAt),
  workflowId: execution.workflowId,
  finished: execution.status === "success",
  retryOf: text(execution.retryOf),
  status: execution.status,
  data: secondData(execution, true),
  workflowData: { ...secondWorkflow(execution), active: false, activeVersionId: null },
  customData: {},
  storedAt: "db"
})

/** What a stop answers with. */
export const stopped = (execution: ExecutionRecord) => ({
  mode: execution.mode,
  ...times(execution),
  finished: false,
  status: execution.status
})
