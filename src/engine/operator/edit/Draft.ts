import { Result } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import type { NodeType } from "../../nodes/NodeType.ts"
import { toConnections } from "../../workflow/connections.ts"
import { type Connections, nameOf, type Tag, type Workflow } from "../../workflow/models.ts"
import type { Credential } from "../../workflow/nodes.ts"
import type { Operation } from "./Operation.ts"

/** Facts about the instance that operations need, looked up before they are applied. */
export interface Lookups {
  readonly credentials: ReadonlyArray<Credential>
  /** Whether the list is complete; else it holds the credentials that other workflows use. */
  readonly hasAllCredentials: boolean
  readonly tags: ReadonlyArray<Tag>
  /** The version in which the instance makes or uses a type of node, by the engine's spelling of the type. */
  readonly typeVersions: ReadonlyMap<string, number>
  /** Types that the instance does not have, in the same spelling, each with its error text. */
  readonly missingTypes: ReadonlyMap<string, string>
  /** The descriptions of the types that nodes are given in place of theirs, where they are known, in the same spelling. */
  readonly descriptions: ReadonlyMap<string, ReadonlyArray<NodeType>>
  /** One new id for each operation, for the nodes that are called from outside. */
  readonly webhookIds: ReadonlyArray<string>
  /** One new id for each operation, for new nodes, where groups are made: groups hold nodes by their ids. */
  readonly nodeIds: ReadonlyArray<string>
}

/** A workflow under way from one operation to the next. */
export interface Draft {
  readonly workflow: Workflow
  /** Names of its tags, among them those that are still to be created. */
  readonly tags: ReadonlyArray<string>
  /** Further effects of the operations, for the answer. */
  readonly notes: ReadonlyArray<string>
  /** Effects that may not have been intended. */
  readonly warnings: ReadonlyArray<string>
  /** Nodes that got another type. */
  readonly retyped: ReadonlyArray<Retyped>
}

/** A node that got another type, and what it kept of the former one; later operations may change that. */
export interface Retyped {
  readonly id: unknown
  readonly name: string
  readonly parameters: JsonObject
  readonly credentials: JsonObject
  readonly isTypeKnown: boolean
}

/** The draft after an operation, or the reason why the operation cannot be applied. */
export type Step = Result.Result<Draft, string>

/** Applies an operation of one kind. */
export type Apply<K extends Operation["op"]> = (
  draft: Draft,
  operation: Operation<K>,
  lookups: Lookups,
  place: number
) => Step

const mostNames = 30

/** The node of this name; the problem names the nearest. */
export const nodeNamed = ({ workflow: { nodes } }: Draft, name: string): Result.Result<JsonObject, string> => {
  const match = nodes.find((node) => nameOf(node) === name)
  return match === undefined ? Result.fail(noNode(name, nodes.map(nameOf))) : Result.succeed(match)
}

const noNode = (name: string, names: ReadonlyArray<string>) => {
  const guess = nearest(name, names)
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ""
  const hint =
    guess === undefined ? `Its nodes: ${names.slice(0, mostNames).join(", ")}${more}` : `Did you mean ${guess}?`
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

export const addNote = (draft: Draft, text: string): Draft => ({ ...draft, notes: [...draft.notes, text] })

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

export const addWarnings = (draft: Draft, ...texts: ReadonlyArray<string>): Draft => ({
  ...draft,
  warnings: [...draft.warnings, ...texts]
})
