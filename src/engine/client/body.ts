import { Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Fields, Generation } from "./generations.ts"
import { keepIdentity } from "./identity.ts"
import type { Connections, Workflow } from "./Workflow.ts"

/** The body of a create or an update. */
export interface Body {
  readonly name: string
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
  readonly settings: JsonObject
  readonly [field: string]: unknown
}

/** A body that the engine takes, and what had to be left out of it, as paths like `settings.callerPolicy`. */
export interface Sendable {
  readonly body: Body
  readonly dropped: ReadonlyArray<string>
}

export interface Creation {
  readonly name: string
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: Connections
  readonly settings?: JsonObject | undefined
  readonly staticData?: unknown
}

/** Fields that a caller gives; what is left out stays. `connections` replaces all, `settings` is put over the old ones. */
export interface Changes {
  readonly name?: string | undefined
  readonly nodes?: ReadonlyArray<JsonObject> | undefined
  readonly connections?: JsonObject | undefined
  readonly settings?: JsonObject | undefined
  readonly staticData?: unknown
}

/** What to send to create a workflow on an engine of this generation. */
export const createBody = (creation: Creation, generation: Generation): Sendable => {
  const { name, nodes, connections, settings = {}, staticData } = creation
  return sendable({ name, nodes, connections, settings, ...present({ staticData }) }, generation)
}

/** What to send to change a workflow as it was just read. An update replaces, so that all of it goes back. */
export const updateBody = (current: Workflow, changes: Changes, generation: Generation): Sendable => {
  const carried = generation.carried.map((field) => [field, current[field]])
  return sendable(
    {
      ...present(Object.fromEntries(carried)),
      ...present({ staticData: changes.staticData }),
      name: changes.name ?? current.name,
      nodes: changes.nodes === undefined ? current.nodes : keepIdentity(changes.nodes, current.nodes),
      connections: changes.connections ?? current.connections,
      settings: { ...withoutDefaults(current.settings ?? {}), ...changes.settings }
    },
    generation
  )
}

/** The body with the types of its nodes in another spelling. */
export const spelt = (body: Body, spelling: (type: string) => string): Body => ({
  ...body,
  nodes: body.nodes.map((node) => (Predicate.isString(node.type) ? { ...node, type: spelling(node.type) } : node))
})

const sendable = (body: Body, generation: Generation): Sendable => {
  const settings = pick(body.settings, generation.settings)
  const nodes = body.nodes.map((node) => {
    const { kept, dropped } = pick(node, generation.node)
    return { kept, dropped: dropped.map((field) => `nodes.${String(node.name)}.${field}`) }
  })
  return {
    body: { ...body, nodes: nodes.map(({ kept }) => kept), settings: settings.kept },
    dropped: [...settings.dropped.map((field) => `settings.${field}`), ...nodes.flatMap(({ dropped }) => dropped)]
  }
}

/** Splits what the engine takes from what would be lost; what it keeps by itself is neither. */
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

/** The editor stores some defaults by this name. The API refuses it where it is no text; to leave it out means the same. */
const withoutDefaults = (settings: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(settings).filter(([field, value]) => value !== "DEFAULT" || textSettings.includes(field))
  )

const textSettings: ReadonlyArray<string> = ["errorWorkflow", "timezone"]

const present = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
