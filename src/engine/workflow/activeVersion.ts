import { Predicate, Struct } from "effect"

import { saysTheSame } from "../client/version.ts"
import type { Free } from "../client/Workflow.ts"
import { nameOf } from "../client/Workflow.ts"

/** Larger differences, in characters of JSON, are given by name only. */
const longest = 200_000

/**
 * The version that runs, beside the draft that an engine shows as the workflow: nothing where it has the same nodes and
 * connections, else with a `difference` in their place, which holds what the version has that the draft has not: nodes by
 * name, connections by the node they begin at, `null` for what is only in the draft.
 */
export const activeVersionBeside = (draft: Free): Free => {
  const { activeVersion, connections, nodes } = draft
  if (!isFree(activeVersion)) return {}
  const difference = {
    ...part("nodes", differences(byName(activeVersion.nodes), byName(nodes))),
    ...part("connections", differences(asFree(activeVersion.connections), asFree(connections)))
  }
  if (Object.keys(difference).length === 0) return {}
  const rest = Struct.omit(activeVersion, ["nodes", "connections"])
  return {
    activeVersion:
      JSON.stringify(difference).length <= longest
        ? { ...rest, difference }
        : { ...rest, differsIn: namesOf(difference), note: "The differences are left out, because they are long." }
  }
}

const differences = (active: Free, draft: Free): Free =>
  Object.fromEntries(
    [...new Set([...Object.keys(active), ...Object.keys(draft)])]
      .filter((name) => !saysTheSame(active[name], draft[name]))
      .map((name) => [name, active[name] ?? null])
  )

const part = (name: string, found: Free): Readonly<Record<string, Free>> =>
  Object.keys(found).length === 0 ? {} : { [name]: found }

const namesOf = (difference: Readonly<Record<string, Free>>) =>
  Object.fromEntries(Object.entries(difference).map(([name, found]) => [name, Object.keys(found)]))

const byName = (nodes: unknown): Free =>
  Object.fromEntries((Array.isArray(nodes) ? nodes : []).filter(isFree).map((node) => [nameOf(node), node]))

const isFree = (value: unknown): value is Free => Predicate.isObject(value) && !Array.isArray(value)

const asFree = (value: unknown): Free => (isFree(value) ? value : {})
