import { Result, Struct } from "effect"

import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { Parse } from "../../nodes/check/javaScript.ts"
import type { Connections, Target } from "../../workflow/models.ts"
import { nodeType } from "../../workflow/naming.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { placeFor } from "../../workflow/placing.ts"
import { wiresLike } from "../../workflow/wires.ts"

/** A workflow while its nodes are rewritten. */
export interface Graph {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: Connections
  readonly settings: JsonObject
}

/** Knowledge beside the workflow itself. */
export interface Surroundings {
  readonly parse: Parse
  /** The ids of workflows of the instance that call this one. */
  readonly callers: ReadonlyArray<string>
  /** Whether the engine shows and takes the caller policy. */
  readonly takesCallerPolicy: boolean
  /** The reason why the present engine has not a node in its version; nothing where it has, or nobody knows. */
  readonly problemOf: (node: JsonObject) => string | undefined
}

/** A part of a workflow after its rewrite. */
export interface Rewritten {
  readonly graph: Graph
  /** The node that gets the items of the old one, and the one that gives out what it gave out; none where no items are concerned. */
  readonly entry?: string
  readonly exit?: string
  /** The conditions under which it gives the same, beside those that hold for certain; empty where it always does. */
  readonly conditions: ReadonlyArray<string>
  /** The items that a trigger gives out, whatever starts it. */
  readonly emits?: ReadonlyArray<JsonObject>
  /** Whether its code keeps something from one run to the next. */
  readonly isStateful?: boolean
}

/** The reason why something stays as it is, with the line of the code where it holds some. */
export interface Left {
  readonly reason: string
  readonly line?: number
}

/** Rewrites one node, or the settings where a rule is about these. */
export type Rewrite = (graph: Graph, node: JsonObject, around: Surroundings) => Result.Result<Rewritten, Left>

export const left = (reason: string, line?: number) =>
  Result.fail<Left>(line === undefined ? { reason } : { reason, line })

export const parametersOf = (node: JsonObject): JsonObject => objectOf(node.parameters)

/** A node of another type: all else of it stays. */
const retyped = (node: JsonObject, kind: string, typeVersion: number, parameters: JsonObject): JsonObject => ({
  ...Struct.omit(node, ["typeVersion"]),
  type: nodeType(kind),
  typeVersion,
  parameters
})

const replaced = (graph: Graph, node: JsonObject, others: ReadonlyArray<JsonObject>): Graph => ({
  ...graph,
  nodes: graph.nodes.flatMap((one) => (one === node ? others : [one]))
})

/** The new type of a node, in a version that engines before and after the upgrade have. */
export interface Successor {
  readonly kind: string
  readonly typeVersion: number
  readonly parameters: JsonObject
}

/** The same graph with another type in place of a node's. */
export const withSuccessor = (
  graph: Graph,
  node: JsonObject,
  { kind, parameters, typeVersion }: Successor,
  { problemOf }: Surroundings,
  conditions: ReadonlyArray<string> = []
): Result.Result<Rewritten, Left> => {
  const next = retyped(node, kind, typeVersion, parameters)
  const problem = problemOf(next)
  if (problem !== undefined) return left(`the present engine cannot run what takes its place: ${problem}`)
  const name = nameOf(node)
  return Result.succeed({ graph: replaced(graph, node, [next]), entry: name, exit: name, conditions })
}

/**
 * The same with a node behind it that takes the old name, so that references to it hold; the rewritten node gets its name
 * with `suffix`.
 */
export const withSuccessorAndNode = (
  graph: Graph,
  node: JsonObject,
  { behind, first, suffix }: { readonly first: Successor; readonly behind: Successor; readonly suffix: string },
  around: Surroundings,
  conditions: ReadonlyArray<string> = []
): Result.Result<Rewritten, Left> =>
  Result.gen(function* () {
    const name = nameOf(node)
    const entry = freeName(`${name} (${suffix})`, graph)
    const changed = { ...retyped(node, first.kind, first.typeVersion, first.parameters), name: entry }
    const { kind, parameters, typeVersion } = behind
    const [next] = wiresLike(graph.connections, { source: name, type: "main" })
    const position = placeFor(graph.nodes, {
      from: changed,
      to: graph.nodes.find((one) => nameOf(one) === next?.target),
      isPart: false
    })
    const added = { parameters, type: nodeType(kind), typeVersion, position, name }
    const problem = around.problemOf(changed) ?? around.problemOf(added)
    if (problem !== undefined) return yield* left(`the present engine cannot run what takes its place: ${problem}`)
    const renamed = withTargets(graph.connections, (target) => [
      target.node === name ? { ...target, node: entry } : target
    ])
    const connections = { ...renamed, [entry]: { main: [[{ node: name, type: "main", index: 0 }]] } }
    return {
      graph: { ...replaced(graph, node, [changed, added]), connections },
      entry,
      exit: name,
      conditions
    }
  })

/** Connections in which other targets stand for some. */
const withTargets = (connections: Connections, others: (target: Target) => ReadonlyArray<Target>): Connections =>
  Object.fromEntries(
    Object.entries(connections).map(([source, types]) => [
      source,
      Object.fromEntries(
        Object.entries(types).map(([type, outputs]) => [
          type,
          outputs.map((targets) => (targets === null ? null : targets.flatMap(others)))
        ])
      )
    ])
  )

/** A name that no node of the graph has. */
export const freeName = (wanted: string, { nodes }: Graph): string => {
  const taken = new Set(nodes.map(nameOf))
  let name = wanted
  for (let count = 1; taken.has(name); count++) name = `${wanted} ${count}`
  return name
}

/** The same graph without a node and its wires. */
export const withoutNode = (graph: Graph, node: JsonObject): Graph => {
  const name = nameOf(node)
  return {
    ...replaced(graph, node, []),
    connections: withTargets(Struct.omit(graph.connections, [name]), (target) => (target.node === name ? [] : [target]))
  }
}

/** The fields `{ fields: [{ fieldName }] }` as older versions hold lists of names; nothing of any other value. */
export const fieldNames = (value: unknown): ReadonlyArray<string> | undefined => {
  const { fields } = objectOf(value)
  const names = listOf(fields).map((one) => objectOf(one).fieldName)
  return Array.isArray(fields) && names.every((name) => typeof name === "string") ? names : undefined
}
