import { Result } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { toConnections } from "../../workflow/connections.ts"
import { type Connections, nameOf, type Tag, type Workflow } from "../../workflow/models.ts"
import type { Operation } from "./Operation.ts"

/** A credential that a node can be given. */
export interface KnownCredential {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** What operations need to know of the instance, looked up before they are applied. */
export interface Lookups {
  readonly credentials: ReadonlyArray<KnownCredential>
  /** Whether these are all there are; else they are those that other workflows use. */
  readonly hasAllCredentials: boolean
  readonly tags: ReadonlyArray<Tag>
  /** The version in which the instance makes or uses a type of node, by the engine's spelling of the type. */
  readonly typeVersions: ReadonlyMap<string, number>
  /** Types that the instance does not have, in the same spelling, each with what to say of it. */
  readonly missingTypes: ReadonlyMap<string, string>
  /** One new id for each operation, for the nodes that are called from outside. */
  readonly webhookIds: ReadonlyArray<string>
  /** The same for new nodes, where groups are made: those hold nodes by their ids. */
  readonly nodeIds: ReadonlyArray<string>
}

/** A workflow under way from one operation to the next. */
export interface Draft {
  readonly workflow: Workflow
  /** Names of its tags, among them those that are still to be created. */
  readonly tags: ReadonlyArray<string>
  /** What else the caller should be told. */
  readonly told: ReadonlyArray<string>
  /** What may not have been meant. */
  readonly warned: ReadonlyArray<string>
}

/** What an operation makes of a draft, or why it cannot. */
export type Step = Result.Result<Draft, string>

/** How one kind of operation is applied. */
export type Apply<K extends Operation["op"]> = (
  draft: Draft,
  operation: Operation<K>,
  lookups: Lookups,
  place: number
) => Step

const shown = 30

/** The node of this name; the problem names the nearest. */
export const nodeNamed = ({ workflow: { nodes } }: Draft, name: string): Result.Result<JsonObject, string> => {
  const found = nodes.find((node) => nameOf(node) === name)
  return found === undefined ? Result.fail(noNode(name, nodes.map(nameOf))) : Result.succeed(found)
}

const noNode = (name: string, names: ReadonlyArray<string>) => {
  const guess = nearest(name, names)
  const more = names.length > shown ? ` and ${names.length - shown} more` : ""
  const hint = guess === undefined ? `Its nodes: ${names.slice(0, shown).join(", ")}${more}` : `Did you mean ${guess}?`
  return `there is no node ${JSON.stringify(name)}. ${hint}`
}

/** The draft with other fields of its workflow. */
export const withWorkflow = (draft: Draft, fields: Partial<Workflow>): Draft => ({
  ...draft,
  workflow: { ...draft.workflow, ...fields }
})

/** The draft with one of its nodes changed, the first of that name. */
export const withNode = (draft: Draft, node: JsonObject, changed: JsonObject): Draft =>
  withWorkflow(draft, { nodes: draft.workflow.nodes.map((one) => (one === node ? changed : one)) })

/** The connections of the draft. */
export const connectionsOf = ({ workflow }: Draft): Result.Result<Connections, string> =>
  Result.mapError(toConnections(workflow.connections), ({ message }) => message)

export const withConnections = (draft: Draft, connections: Connections): Draft =>
  connections === draft.workflow.connections ? draft : withWorkflow(draft, { connections })

export const tell = (draft: Draft, text: string): Draft => ({ ...draft, told: [...draft.told, text] })

/** A name that a node of this draft can be given. */
export const freeName = (draft: Draft, name: string): Result.Result<string, string> => {
  if (name.trim() === "") return Result.fail("the name of a node must not be empty")
  if (name.length > longestName)
    return Result.fail(`the name of a node must not be longer than ${longestName} characters`)
  if (restricted.has(name.toLowerCase())) return Result.fail(`engines allow no node called ${name}`)
  return draft.workflow.nodes.some((node) => nameOf(node) === name)
    ? Result.fail(`there is a node ${JSON.stringify(name)} already`)
    : Result.succeed(name)
}

/** Characters of a new name: it is put into everything that refers to the node. */
const longestName = 1000

/** Names that every object has by itself. */
const restricted = new Set([
  "__definegetter__",
  "__definesetter__",
  "__lookupgetter__",
  "__lookupsetter__",
  "__proto__",
  "constructor",
  "hasownproperty",
  "isprototypeof",
  "propertyisenumerable",
  "prototype",
  "tolocalestring",
  "tostring",
  "valueof"
])

export const warn = (draft: Draft, ...texts: ReadonlyArray<string>): Draft => ({
  ...draft,
  warned: [...draft.warned, ...texts]
})
