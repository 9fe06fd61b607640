import { Predicate, Result } from "effect"

import { grouped } from "../../internal/collections.ts"
import { clipped, listed } from "../../internal/foreignText.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { nearest } from "../../internal/texts.ts"
import { toConnections } from "./connections.ts"
import { type Connections, InvalidWorkflow } from "./models.ts"
import { agentType, neutralType } from "./naming.ts"
import { nameOf } from "./nodes.ts"
import { isStickyNote } from "./placing.ts"
import { referencesOf } from "./references.ts"
import { hasValidTrigger, isEnabled, isTrigger, noValidTrigger } from "./triggers.ts"
import { type Wire, wiresOf } from "./wires.ts"

/** A workflow that somebody wants an engine to have. A `name` or `active` that is left out is not looked at. */
interface Draft {
  readonly name?: string | undefined
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections?: unknown
  readonly active?: boolean | undefined
  /** Whether it is active already. */
  readonly isActive?: boolean | undefined
}

/** Checks every rule about workflows, the one to mend first before the others; answers the connections in object form. */
export const validate = (draft: Draft): Result.Result<Connections, InvalidWorkflow> => {
  const { nodes, name } = draft
  if (name !== undefined && name.trim() === "") return failed("name must not be empty")
  if (nodes.length === 0) return failed("at least 1 node is required")

  for (const [index, node] of nodes.entries()) {
    const problem = nodeProblem(node, index)
    if (problem !== undefined) return failed(problem)
  }
  const counts = countNames(nodes)
  const duplicates = [...counts].filter(([, count]) => count > 1).map(([twice, n]) => `${twice} appears ${n} times`)
  if (duplicates.length > 0) return refused(`Duplicate node names found: ${duplicates.join(", ")}`)

  return Result.gen(function* () {
    const connections = yield* toConnections(draft.connections)
    const problem = connectionProblem(connections, counts)
    if (problem !== undefined) return yield* failed(problem)
    if (draft.active === true && !hasValidTrigger(nodes)) return yield* Result.fail(noValidTrigger(draft.isActive))
    return connections
  })
}

const refused = (message: string) => Result.fail(new InvalidWorkflow({ message }))

const failed = (problem: string) => refused(`Workflow validation failed: ${problem}`)

const countNames = (nodes: ReadonlyArray<JsonObject>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const name of nodes.map(nameOf)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The first connection that leads nowhere, or to a place that no node has. */
const connectionProblem = (connections: Connections, nodes: ReadonlyMap<string, number>): string | undefined => {
  for (const [source, types] of Object.entries(connections)) {
    if (!nodes.has(source)) return `node ${source} references non-existent node ${source}: connections begin at it`
    for (const [type, outputs] of Object.entries(types)) {
      if (!isType(type)) return `node ${source} has connections of unknown type ${type}: ${knownTypes}`
      for (const { node, type: input, index } of outputs.flatMap((targets) => targets ?? [])) {
        if (!nodes.has(node)) return `node ${source} references non-existent node ${node}`
        if (!isType(input)) return `node ${source} is connected to ${node} by unknown type ${input}: ${knownTypes}`
        if (index < 0) return `node ${source} is connected to ${node} at index ${index}: must be 0 or more`
      }
    }
  }
  return undefined
}

const isType = (type: string) => /^(main|ai_\w+)$/.test(type)

const knownTypes = "must be main or start with ai_"

interface Rule {
  readonly field: string
  readonly demand: string | ((value: unknown) => string)
  readonly holds: (value: unknown) => boolean
}

const isText = (value: unknown): value is string => Predicate.isString(value) && value.trim() !== ""
const isObjectOrAbsent = (value: unknown) => value === undefined || Predicate.isObject(value)

/** Required fields of every node, in the order in which a caller would look for them. */
const rules: ReadonlyArray<Rule> = [
  { field: "name", demand: "a non-empty text", holds: isText },
  { field: "type", demand: "a non-empty text, for example engine-nodes-base.webhook", holds: isText },
  {
    field: "type",
    demand: (kind) =>
      `the package and the kind: ${neutralType(String(kind))}, or ${agentType(String(kind))} for AI nodes`,
    holds: (value) => Predicate.isString(value) && /.\../.test(value)
  },
  { field: "typeVersion", demand: "a number", holds: Number.isFinite },
  {
    field: "position",
    demand: "an array of two numbers",
    holds: (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite)
  },
  { field: "parameters", demand: "an object", holds: isObjectOrAbsent },
  {
    field: "credentials",
    demand: "an object that maps credential types to { id, name }",
    holds: (value) =>
      value === undefined || (Predicate.isObject(value) && Object.values(value).every(Predicate.isObject))
  }
]

/** The problem of one node by itself; it is called by its name, or by its place when it has none. */
const nodeProblem = (node: JsonObject, index: number): string | undefined => {
  const broken = rules.find(({ field, holds }) => !holds(node[field]))
  if (broken === undefined) return undefined
  const label = isText(node.name) ? `node ${node.name}` : `node at index ${index}`
  const { field } = broken
  const demand = Predicate.isString(broken.demand) ? broken.demand : broken.demand(node[field])
  return node[field] === undefined
    ? `${label} has no ${field}: must be ${demand}`
    : `${label} has an invalid ${field}: must be ${demand}`
}

interface Whole {
  readonly active: boolean
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: unknown
}

/** Warnings about what is allowed in a workflow, and most likely not meant. */
export const warningsOf = (workflow: Whole): ReadonlyArray<string> => [
  ...missingReferences(workflow),
  ...Result.match(toConnections(workflow.connections), {
    onFailure: () => [],
    onSuccess: (connections) => unreached(workflow.nodes, connections)
  }),
  ...(workflow.active && !hasValidTrigger(workflow.nodes)
    ? ["The workflow is active, and no enabled trigger of it can start it."]
    : [])
]

/** References for which the nearest name is looked for, among so many names: each takes its time. */
const mostGuesses = 20
const mostCompared = 500

const missingReferences = ({ nodes }: Whole): ReadonlyArray<string> => {
  const names = nodes.map(nameOf)
  const existing = new Set(names)
  const compared = names.slice(0, mostCompared)
  let left = mostGuesses
  return nodes.flatMap((node) =>
    referencesOf(node)
      .filter((name) => !existing.has(name))
      .map((name) => {
        const guess = left-- > 0 ? nearest(name, compared) : undefined
        const hint = guess === undefined ? "" : `; did you mean ${shownName(guess)}?`
        const missing = JSON.stringify(clipped(name, longestName))
        return `${shownName(nameOf(node))} refers to ${missing}, a node that is not there${hint}`
      })
  )
}

const longestName = 120

/** A name; in quotes where blanks at its ends would not be seen. */
const shownName = (name: string) => {
  const short = clipped(name, longestName)
  return short === short.trim() ? short : JSON.stringify(short)
}

/** Nodes that a warning names. */
const mostLost = 50

/** Enabled nodes that no trigger leads to; parts of AI nodes count as reached with the node that they belong to. */
const unreached = (nodes: ReadonlyArray<JsonObject>, connections: Connections): ReadonlyArray<string> => {
  const isMain = ({ type }: Wire) => type === "main"
  const leading = wiresOf(connections).map((wire) =>
    isMain(wire) ? wire : { source: wire.target, target: wire.source }
  )
  const next = grouped(leading, ({ source }) => source)
  const reached = new Set(nodes.filter(isTrigger).map(nameOf))
  const open = [...reached]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const { target } of next.get(name) ?? []) {
      if (reached.has(target)) continue
      reached.add(target)
      open.push(target)
    }
  }
  const lost = nodes.filter((node) => isEnabled(node) && !isStickyNote(node) && !reached.has(nameOf(node)))
  if (lost.length === 0) return []
  if (reached.size === 0) return ["No trigger starts the workflow."]
  return [
    `No trigger leads to ${listed(
      lost.map((node) => clipped(nameOf(node), longestName)),
      mostLost
    )}.`
  ]
}
