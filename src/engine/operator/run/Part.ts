import { Result } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { flowOf } from "../../workflow/flow.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { shortType } from "../../workflow/naming.ts"
import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { type Edge, edgesOf } from "../../workflow/wires.ts"
import type { Mocks } from "./mocks.ts"

/** The part of a workflow that is run. */
export interface Part {
  /** The trigger whose place the webhook takes, or the node that gets the items. */
  readonly start: string
  readonly isTrigger: boolean
  /** The nodes that can run, mocked ones among them, in the order in which a person would tell of them. */
  readonly nodes: ReadonlyArray<JsonObject>
}

/** Finds what would run from a node on (the first trigger where none is named), and up to one. */
export const partOf = (
  workflow: Workflow,
  mocks: Mocks,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }
): Result.Result<Part, { readonly argument: string; readonly problem: string }> =>
  Result.gen(function* () {
    const names = workflow.nodes.map(nameOf)
    for (const [argument, name] of Object.entries({ from, to })) {
      if (name !== undefined && !names.includes(name))
        return yield* Result.fail({ argument, problem: noNode(name, names) })
    }
    const { named, reached } = flowOf(workflow)
    const triggers = reached.filter(isTrigger)
    const first = from === undefined ? (triggers.find(isEnabled) ?? triggers[0]) : named.get(from)
    if (first === undefined) {
      return yield* Result.fail({ argument: "from", problem: "the workflow has no trigger: name the node to run from" })
    }
    const start = nameOf(first)
    const edges = edgesOf(workflow.connections)
    const isStart = isTrigger(first) || isStrangeStart(first, edges)
    const after = reachedFrom([start], mainOf(edges), ({ source, target }) => [source, target])
    if (to !== undefined && !after.has(to)) {
      return yield* Result.fail({ argument: "to", problem: `no path leads from ${start} to ${to}` })
    }
    const before = to === undefined ? after : reachedFrom([to], mainOf(edges), ({ source, target }) => [target, source])
    const main = [...after].filter((name) => before.has(name))
    const served = main.filter((name) => !mocks.has(name) && !(name === start && isStart))
    const parts = edges.filter(({ type }) => type !== "main")
    const serving = reachedFrom(served, parts, ({ source, target }) => [target, source])
    const all = new Set([...main, ...serving])
    const nodes = workflow.nodes.filter((node) => all.has(nameOf(node)) && kindOf(node) !== "stickyNote")
    return { start, isTrigger: isStart, nodes }
  })

/** A community node without inputs may be a trigger, whatever its name. */
const isStrangeStart = (node: JsonObject, edges: ReadonlyArray<Edge>): boolean =>
  shortType(String(node.type)) === String(node.type) && !mainOf(edges).some(({ target }) => target === nameOf(node))

const mainOf = (edges: ReadonlyArray<Edge>) => edges.filter(({ type }) => type === "main")

/** Everything that edges lead to from these names on, themselves among them. */
const reachedFrom = (
  names: ReadonlyArray<string>,
  edges: ReadonlyArray<Edge>,
  ends: (edge: Edge) => readonly [from: string, to: string]
): ReadonlySet<string> => {
  const found = new Set(names)
  for (const name of found) {
    for (const edge of edges) {
      const [from, to] = ends(edge)
      if (from === name) found.add(to)
    }
  }
  return found
}

const noNode = (name: string, names: ReadonlyArray<string>) => {
  const guess = nearest(name, names)
  return `there is no node ${name}. ${guess === undefined ? `Its nodes: ${names.slice(0, 30).join(", ")}` : `Did you mean ${guess}?`}`
}

/** Why a mock is impossible: it is for the model, memory or tool of an agent. */
export const unmockable = (workflow: Workflow, mocks: Mocks): string | undefined => {
  const parts = edgesOf(workflow.connections).filter(({ type }) => type !== "main")
  const part = parts.find(({ source }) => mocks.has(source))
  return part === undefined ? undefined : `${part.source} serves ${part.target}: mock ${part.target} instead`
}

/** The nodes of a part that really run: neither mocked, nor the trigger whose place the webhook takes. */
export const runningOf = ({ isTrigger: isReplaced, nodes, start }: Part, mocks: Mocks): ReadonlyArray<JsonObject> =>
  nodes.filter((node) => !mocks.has(nameOf(node)) && !(isReplaced && nameOf(node) === start))
