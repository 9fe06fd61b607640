import { Result } from "effect"

import { clipped, listed } from "../../internal/foreignText.ts"
import { grouped } from "../../internal/grouped.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { nearest } from "../../internal/schema/nearest.ts"
import { toConnections } from "./connections.ts"
import { type Connections, nameOf } from "./models.ts"
import { isStickyNote } from "./placing.ts"
import { referencesOf } from "./references.ts"
import { hasValidTrigger, isEnabled, isTrigger } from "./triggers.ts"
import { type Wire, wiresOf } from "./wires.ts"

interface Whole {
  readonly active: boolean
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: unknown
}

/** What is allowed in a workflow, and most likely not meant. */
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

/** References for which what was meant is looked for, among so many names: each takes its time. */
const mostGuesses = 20
const mostCompared = 500

const missingReferences = ({ nodes }: Whole): ReadonlyArray<string> => {
  const names = nodes.map(nameOf)
  const known = new Set(names)
  const compared = names.slice(0, mostCompared)
  let left = mostGuesses
  return nodes.flatMap((node) =>
    referencesOf(node)
      .filter((name) => !known.has(name))
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
