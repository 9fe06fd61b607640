import {
  anything,
  array,
  boolean,
  choice,
  type Fields,
  fields,
  json,
  map,
  number,
  object,
  readOnly,
  type Shape,
  string
} from "../../wire/shapes.ts"

/** The fields of a node, in the order in which 2.x engines write them. */
const nodeFields = {
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

const nodes = array(fields(nodeFields))

const firstSettings = {
  saveExecutionProgress: boolean,
  saveManualExecutions: boolean,
  saveDataErrorExecution: choice("all", "none"),
  saveDataSuccessExecution: choice("all", "none"),
  executionTimeout: number,
  errorWorkflow: string,
  timezone: string,
  executionOrder: string
}

/** Settings that 2.x engines take and forget. */
const forgottenSettings = {
  binaryMode: choice("separate", "combined"),
  redactionPolicy: anything,
  credentialResolverId: anything
}

const keptSettings = {
  ...firstSettings,
  callerPolicy: choice("any", "none", "workflowsFromAList", "workflowsFromSameOwner"),
  callerIds: string,
  timeSavedPerExecution: number,
  timeSavedMode: choice("fixed", "dynamic"),
  availableInMCP: boolean,
  customTelemetryTags: array(anything)
}

const workflow = (settings: Readonly<Record<string, Shape>>, more: Readonly<Record<string, Shape>> = {}): Fields =>
  fields(
    {
      id: readOnly,
      name: string,
      active: readOnly,
      createdAt: readOnly,
      updatedAt: readOnly,
      nodes,
      connections: map,
      settings: fields(settings),
      staticData: json,
      tags: readOnly,
      ...more
    },
    "name",
    "nodes",
    "connections",
    "settings"
  )

const secondFields = {
  pinData: anything,
  meta: readOnly,
  versionId: readOnly,
  triggerCount: readOnly,
  isArchived: readOnly,
  activeVersion: readOnly,
  shared: anything,
  nodeGroups: anything
}

const secondSettings = { ...keptSettings, ...forgottenSettings }

/** Bodies of create and update, as 1.x engines take them. */
export const firstWorkflow = workflow(firstSettings)

/** Bodies of create, as 2.x engines take them. */
export const secondNewWorkflow = workflow(secondSettings, {
  ...secondFields,
  projectId: string,
  parentFolderId: string
})

/** Bodies of update, as 2.x engines take them. */
export const secondWorkflow = workflow(secondSettings, { ...secondFields, description: string })

/** The fields that 2.x engines keep, each in its place. */
export const nodeOrder = Object.keys(nodeFields)
export const settingsOrder = Object.keys(keptSettings)

/** The tags of a workflow, named by id. */
export const tagIds = array(fields({ id: string }, "id"))
