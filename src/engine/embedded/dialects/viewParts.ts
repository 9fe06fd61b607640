import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { kindOf, parametersOf } from "../run/triggers.ts"
import type { ExecutionRecord, Problem, Source, Step, ThingRecord } from "../store/records.ts"
import type { Tables } from "../store/Store.ts"
import { entryOf, iso } from "../store/values.ts"

/** The only user, who owns everything. */
export const author = { firstName: "Engine", lastName: "Owner", email: "owner@engine.test" }
export const ownerName = `${author.firstName} ${author.lastName}`
export const projectName = `${ownerName} <${author.email}>`

/** The project of the only user. */
export const personalProject = ({ owner }: Tables) => ({
  id: owner.projectId,
  name: projectName,
  type: "personal",
  icon: null,
  description: null,
  customTelemetryTags: [],
  creatorId: owner.userId,
  createdAt: owner.createdAt,
  updatedAt: owner.createdAt
})

export const shownProject = ({ createdAt, id, name, updatedAt }: ThingRecord) => ({
  id,
  name,
  type: "team",
  icon: null,
  description: null,
  customTelemetryTags: [],
  creatorId: null,
  createdAt,
  updatedAt
})

/** All projects, the personal one first. */
export const projectsOf = (tables: Tables) => [
  personalProject(tables),
  ...[...tables.things.values()].filter(({ kind }) => kind === "project").map(shownProject)
]

export const shownFolder = ({ createdAt, id, name, parent, updatedAt }: ThingRecord) => ({
  id,
  name,
  parentFolderId: parent ?? null,
  createdAt,
  updatedAt
})

/** The fields with which every view of an execution begins. */
export const head = ({ id, mode, retryOf, retrySuccessId, status }: ExecutionRecord) => ({
  id: `${id}`,
  finished: status === "success",
  mode,
  retryOf: textOf(retryOf),
  retrySuccessId: textOf(retrySuccessId)
})

const textOf = (id: number | null) => (id === null ? null : `${id}`)

export const times = ({ startedAt, stoppedAt }: ExecutionRecord) => ({
  startedAt: iso(startedAt),
  stoppedAt: stoppedAt === null ? null : iso(stoppedAt)
})

export const waitTillOf = ({ waitTill }: ExecutionRecord) => (waitTill === undefined ? null : iso(waitTill))

/** The fields with which a single execution begins. */
export const record = (execution: ExecutionRecord) => ({
  ...head(execution),
  status: execution.status,
  createdAt: iso(execution.startedAt),
  ...times(execution),
  deletedAt: null,
  workflowId: execution.workflowId,
  waitTill: waitTillOf(execution)
})

/** The parameters that a run fills in if they are not set, in order; only of the most common kinds. */
const defaults: Readonly<Record<string, (parameters: JsonObject) => JsonObject>> = {
  webhook: ({ responseMode }) => ({
    multipleMethods: false,
    httpMethod: "GET",
    path: "",
    authentication: "none",
    responseMode: "onReceived",
    ...(responseMode === "lastNode" ? { responseData: "firstEntryJson" } : {}),
    ...(responseMode === "responseNode" ? { webhookNotice: "" } : {}),
    options: {}
  }),
  code: () => ({ mode: "runOnceForAllItems", language: "javaScript", jsCode: "", notice: "" }),
  respondToWebhook: ({ respondWith }) => ({
    generalNotice: "",
    respondWith: "firstIncomingItem",
    webhookNotice: "",
    ...(respondWith === "json" || respondWith === "text" ? { responseBody: "" } : {}),
    options: {}
  }),
  set: ({ assignments, mode }) => ({
    ...(assignments === undefined && mode === undefined ? {} : { mode: "manual", duplicateItem: false }),
    ...(assignments === undefined ? {} : { assignments }),
    ...(mode === "raw" ? { jsonOutput: "" } : {}),
    includeOtherFields: false,
    options: {}
  }),
  wait: () => ({ resume: "timeInterval" }),
  stopAndError: () => ({ errorType: "errorMessage", errorMessage: "" })
}

/** A node in an execution. */
export const withDefaults = (node: JsonObject): JsonObject => {
  const given = parametersOf(node)
  const filled = entryOf(defaults, kindOf(node))?.(given)
  return filled === undefined ? node : { ...node, parameters: { ...filled, ...given } }
}

/** Parts of a run as one generation of the engine shows them. */
export interface Style {
  readonly error: (problem: Problem, node: JsonObject) => object
  readonly source: (source: Source) => object
  readonly step: (step: Step, source: ReadonlyArray<object>) => object
}

export const stackOf = (message: string) => `NodeOperationError: ${message}\n    at embedded engine`

/** The parts of a run, for a view to put in its own order. */
export const renderRun = ({ snapshot, steps }: ExecutionRecord, style: Style) => {
  const nodeOf = (name: string) => withDefaults(snapshot.nodes.find((node) => node.name === name) ?? { name })
  const errorOf = ({ failure, node }: Step) =>
    failure === null ? {} : { error: style.error(failure.problem, nodeOf(node)) }

  const runOf = (step: Step) => {
    const source = step.source === null ? [] : [style.source(step.source)]
    const outcome =
      step.failure === null
        ? { executionStatus: "success", data: { main: step.outputs } }
        : { executionStatus: "error", ...errorOf(step) }
    return { ...style.step(step, source), ...outcome }
  }
  const names = [...new Set(steps.map(({ node }) => node))]
  const runData = Object.fromEntries(
    names.map((name) => [name, steps.filter(({ node }) => node === name).map(runOf)] as const)
  )
  const last = steps.at(-1)
  const nodeExecutionStack =
    last === undefined || last.failure === null
      ? []
      : [
          {
            node: nodeOf(last.node),
            data: { main: [last.failure.input] },
            source: last.source === null ? null : { main: [style.source(last.source)] }
          }
        ]
  return {
    runData,
    lastNodeExecuted: last === undefined ? {} : { lastNodeExecuted: last.node },
    error: last === undefined ? {} : errorOf(last),
    nodeExecutionStack
  }
}
