import { Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { type Generation, generationOf, type Workflow } from "../workflow/models.ts"
import { toEngineType } from "../workflow/naming.ts"
import { groupsAmong } from "./refusedGroups.ts"

/** The body of a create or an update. */
export interface Body {
  readonly name: string
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
  readonly settings: JsonObject
  readonly [field: string]: unknown
}

/** A body that the engine accepts, and what had to be left out, as paths like `settings.callerPolicy`. */
export interface Sendable {
  readonly body: Body
  readonly dropped: ReadonlyArray<string>
}

/** A workflow to create. */
export interface Creation {
  readonly name: string
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
  readonly settings?: JsonObject | undefined
  readonly staticData?: unknown
  readonly pinData?: unknown
  readonly nodeGroups?: unknown
  /** The project and the folder that it is made in; an engine that takes none refuses them, and makes nothing. */
  readonly projectId?: string | undefined
  readonly parentFolderId?: string | undefined
}

/** Fields to change; omitted ones stay. `connections` are replaced as a whole, `settings` are merged. */
export interface Changes {
  readonly name?: string | undefined
  readonly nodes?: ReadonlyArray<JsonObject> | undefined
  readonly connections?: JsonObject | undefined
  readonly settings?: JsonObject | undefined
  /** Whether `settings` replace all others instead of being merged. */
  readonly replacesSettings?: boolean
  readonly staticData?: unknown
  /** Only changed on engines of generation 2; older ones keep what they have. */
  readonly pinData?: unknown
  /** Only known to engines of generation 2. */
  readonly nodeGroups?: unknown
  readonly description?: unknown
}

/** The body that creates a workflow on an engine of this generation. */
export const createBody = (creation: Creation, generation: BodyForm): Sendable => {
  const { name, nodes, connections, settings = {}, ...more } = creation
  return sendable({ name, nodes, connections, settings, ...definedFields(more) }, generation)
}

/** The body that changes a workflow as it was just read. An update replaces the workflow, so all of it is sent back. */
export const updateBody = (current: Workflow, changes: Changes, generation: BodyForm): Sendable => {
  const { connections, name, nodes, replacesSettings = false, settings, ...more } = changes
  const carried = generation.carried.map((field) => [field, current[field]])
  const graph = nodes === undefined ? current.nodes : keepIdentity(nodes, current.nodes)
  const groups = Array.isArray(current.nodeGroups) ? { nodeGroups: groupsAmong(current.nodeGroups, graph) } : {}
  const kept = replacesSettings ? takenAway(current, settings) : withoutDefaults(current.settings ?? {})
  return sendable(
    {
      ...definedFields({
        ...Object.fromEntries(carried),
        ...(generation.carried.includes("nodeGroups") ? groups : {})
      }),
      ...definedFields(more),
      name: name ?? current.name,
      nodes: graph,
      connections: connections ?? current.connections,
      settings: { ...kept, ...settings }
    },
    generation
  )
}

/** The values that remove a setting on engines that merge settings; other settings have no such value. */
export const removals: Readonly<Record<string, string | number>> = {
  timezone: "DEFAULT",
  errorWorkflow: "DEFAULT",
  executionTimeout: -1
}

/** The values that mean the same as no value, of settings that cannot be removed there. */
const settingDefaults: JsonObject = {
  availableInMCP: false,
  callerPolicy: "workflowsFromSameOwner",
  executionOrder: "v0"
}

/** Settings that an engine keeps though they were to go, each with the value that means the same, if there is one. */
export const keptSettings = (names: ReadonlyArray<string>): string =>
  names
    .map((name) =>
      Object.hasOwn(settingDefaults, name) ? `${name} (the default is ${JSON.stringify(settingDefaults[name])})` : name
    )
    .join(", ")

/** The values that remove settings, for engines that need them: those with published versions. */
export const takenAway = (current: Workflow, wanted: JsonObject = {}): JsonObject =>
  generationOf(current) === "1.x"
    ? {}
    : Object.fromEntries(
        Object.entries(removals).filter(([field]) => field in (current.settings ?? {}) && !(field in wanted))
      )

/** The body with its node types in another spelling. */
export const renameNodeTypes = (body: Body, spelling: (type: string) => string): Body => ({
  ...body,
  nodes: body.nodes.map((node) => (Predicate.isString(node.type) ? { ...node, type: spelling(node.type) } : node))
})

const sendable = (
  { connections, name, nodes: given, settings: allSettings, ...more }: Body,
  generation: BodyForm
): Sendable => {
  const settings = pick(allSettings, generation.settings)
  const others = pick(more, generation.others)
  const nodes = given.map((node) => {
    const { kept, dropped } = pick(node, generation.node)
    return { kept, dropped: dropped.map((field) => `nodes.${String(node.name)}.${field}`) }
  })
  return {
    body: { ...others.kept, name, nodes: nodes.map(({ kept }) => kept), connections, settings: settings.kept },
    dropped: [
      ...others.dropped,
      ...settings.dropped.map((field) => `settings.${field}`),
      ...nodes.flatMap(({ dropped }) => dropped)
    ]
  }
}

/** Separates fields that the engine accepts from those that would be lost; what it keeps by itself is neither. */
const pick = (
  fields: JsonObject,
  taken: Fields
): { readonly kept: JsonObject; readonly dropped: ReadonlyArray<string> } => {
  const isTaken = (field: string) => ("only" in taken ? taken.only.includes(field) : !taken.allBut.includes(field))
  const names = Object.keys(fields)
  return {
    kept: Object.fromEntries(Object.entries(fields).filter(([field]) => isTaken(field))),
    dropped: "only" in taken ? names.filter((field) => !isTaken(field)) : []
  }
}

/** The editor stores some defaults as this value. The API refuses it unless it is a string; leaving it out means the same. */
const withoutDefaults = (settings: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(settings).filter(([field, value]) => value !== "DEFAULT" || textSettings.includes(field))
  )

const textSettings: ReadonlyArray<string> = ["errorWorkflow", "timezone"]

const definedFields = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

/** Fields by which an engine identifies a node; a webhook's address depends on them. */
const identity = ["id", "webhookId"] as const

/** Gives nodes without identity that of the current node with the same name and type, unless another node has it. */
export const keepIdentity = (
  given: ReadonlyArray<JsonObject>,
  current: ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  const currentNodes = new Map(current.map((node) => [keyOf(node), node]))
  const taken = new Map(identity.map((field) => [field, new Set(given.map((node) => node[field]))]))
  return given.map((node) => {
    const before = currentNodes.get(keyOf(node)) ?? {}
    const kept = identity.filter((field) => before[field] !== undefined && !taken.get(field)?.has(before[field]))
    return { ...Object.fromEntries(kept.map((field) => [field, before[field]])), ...node }
  })
}

/** Identifies a node without its id: by name and type. */
export const keyOf = ({ name, type }: JsonObject) =>
  JSON.stringify([name, typeof type === "string" ? toEngineType(type) : type])

/** The fields of an object that an engine accepts: only these, or all but these, which it keeps by itself. */
type Fields = { readonly only: ReadonlyArray<string> } | { readonly allBut: ReadonlyArray<string> }

/** The fields that engines of one generation accept in the body of a create or an update. */
export interface BodyForm {
  /** Fields of the read workflow that an update sends back, besides name, nodes, connections and settings. */
  readonly carried: ReadonlyArray<string>
  /** Fields besides name, nodes, connections and settings. */
  readonly others: Fields
  readonly settings: Fields
  readonly node: Fields
}

/** Refuses the whole body because of one unknown field. */
const strict: BodyForm = {
  carried: ["staticData"],
  others: { only: ["staticData", "projectId", "parentFolderId"] },
  settings: {
    only: [
      "saveExecutionProgress",
      "saveManualExecutions",
      "saveDataErrorExecution",
      "saveDataSuccessExecution",
      "executionTimeout",
      "errorWorkflow",
      "timezone",
      "executionOrder"
    ]
  },
  node: {
    only: [
      "id",
      "name",
      "webhookId",
      "disabled",
      "notesInFlow",
      "notes",
      "type",
      "typeVersion",
      "executeOnce",
      "alwaysOutputData",
      "retryOnFail",
      "maxTries",
      "waitBetweenTries",
      "continueOnFail",
      "onError",
      "position",
      "parameters",
      "credentials"
    ]
  }
}

/** Accepts all fields that it shows, except derived ones, and merges settings. */
const full: BodyForm = {
  carried: ["staticData", "pinData", "nodeGroups"],
  others: { allBut: [] },
  settings: { allBut: ["binaryMode", "credentialResolverId", "redactionPolicy"] },
  node: { allBut: ["createdAt", "updatedAt"] }
}

/** All differences between the generations, as data. */
export const bodyForms = { "1.x": strict, "2.x": full } as const satisfies Readonly<Record<Generation, BodyForm>>
