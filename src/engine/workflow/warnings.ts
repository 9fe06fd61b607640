import { Result } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { nearest } from "../../internal/schema/nearest.ts"
import { toConnections } from "./connections.ts"
import { type Connections, nameOf } from "./models.ts"
import { isStickyNote } from "./placing.ts"
import { referencesOf } from "./references.ts"
import { hasValidTrigger, isEnabled, isTrigger } from "./triggers.ts"
import { wiresOf } from "./wires.ts"

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

const missingReferences = ({ nodes }: Whole): ReadonlyArray<string> => {
  const names = nodes.map(nameOf)
  const known = new Set(names)
  return nodes.flatMap((node) =>
    referencesOf(node)
      .filter((name) => !known.has(name))
      .map((name) => {
        const guess = nearest(name, names)
        const hint = guess === undefined ? "" : `; did you mean ${shownName(guess)}?`
        return `${shownName(nameOf(node))} refers to ${JSON.stringify(name)}, a node that is not there${hint}`
      })
  )
}

/** A name; in quotes where blanks at its ends would not be seen. */
const shownName = (name: string) => (name === name.trim() ? name : JSON.stringify(name))

/** Enabled nodes that no trigger leads to; parts of AI nodes count as reached with the node that they belong to. */
const unreached = (nodes: ReadonlyArray<JsonObject>, connections: Connections): ReadonlyArray<string> => {
  const wires = wiresOf(connections)
  const reached = new Set(nodes.filter(isTrigger).map(nameOf))
  const open = [...reached]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const { source, target, type } of wires) {
      const next = type === "main" ? (source === name ? target : undefined) : target === name ? source : undefined
      if (next === undefined || reached.has(next)) continue
      reached.add(next)
      open.push(next)
    }
  }
  const lost = nodes.filter((node) => isEnabled(node) && !isStickyNote(node) && !reached.has(nameOf(node)))
  if (lost.length === 0) return []
  if (reached.size === 0) return ["No trigger starts the workflow."]
  return [`No trigger leads to ${lost.map(nameOf).join(", ")}.`]
}
