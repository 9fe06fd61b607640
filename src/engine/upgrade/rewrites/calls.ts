import { Predicate, Result } from "effect"

import { flowOf } from "../../workflow/flow.ts"
import { nodeType } from "../../workflow/naming.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { placeFor } from "../../workflow/placing.ts"
import { referencesOf } from "../../workflow/references.ts"
import { withWire, withoutWires, wiresLike, wiresOf } from "../../workflow/wires.ts"
import { freeName, type Graph, left, parametersOf, type Rewrite } from "./Rewrite.ts"

const shared = ["executeOnce", "alwaysOutputData", "continueOnFail", "retryOnFail"] as const

/** Whether a way leads from a node back to itself. */
const isInLoop = (graph: Graph, name: string): boolean => {
  const { leaving } = flowOf({ ...graph })
  const reached = new Set<string>()
  const open = [name]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const { target } of leaving.get(one) ?? []) {
      if (!reached.has(target)) open.push(target)
      reached.add(target)
    }
  }
  return reached.has(name)
}

/** A call for each item, as a loop around a call. */
export const rewriteEach: Rewrite = (graph, node, around) => {
  const name = nameOf(node)
  const set = shared.find((field) => node[field] === true)
  if (set !== undefined) return left(`it is set to ${set}, which means something else in a loop`)
  if (Predicate.isString(node.onError) && node.onError.startsWith("continue")) {
    return left("it goes on after errors, which means something else in a loop")
  }
  if (isInLoop(graph, name)) return left("it is in another loop, whose rounds a loop inside of it has to know")
  if (graph.nodes.some((one) => one !== node && referencesOf(one).includes(name))) {
    return left("others refer to it, and would only get what its last round gave out")
  }
  const { mode: _mode, ...parameters } = { mode: undefined, ...parametersOf(node) }
  const call = { ...node, parameters: { ...parameters, mode: "once" } }
  const [before] = wiresLike(graph.connections, { target: name, type: "main" })
  const loop = {
    parameters: { batchSize: 1, options: {} },
    type: nodeType("splitInBatches"),
    typeVersion: 3,
    position: placeFor(graph.nodes, {
      from: graph.nodes.find((one) => nameOf(one) === before?.source),
      to: node,
      isPart: false
    }),
    name: freeName(`${name} (loop)`, graph)
  }
  const problem = around.problemOf(loop) ?? around.problemOf(call)
  if (problem !== undefined) return left(`the present engine cannot run what takes its place: ${problem}`)
  const main = wiresOf(graph.connections).filter(({ source, target }) => source === name || target === name)
  const moved = main.map((wire) => ({
    ...wire,
    ...(wire.source === name ? { source: loop.name, output: 0 } : {}),
    ...(wire.target === name ? { target: loop.name } : {})
  }))
  const without = withoutWires(withoutWires(graph.connections, { source: name }), { target: name })
  const round = [
    { source: loop.name, type: "main", output: 1, target: name, input: 0 },
    { source: name, type: "main", output: 0, target: loop.name, input: 0 }
  ]
  const connections = [...moved, ...round].reduce(withWire, without)
  const nodes = graph.nodes.flatMap((one) => (one === node ? [loop, call] : [one]))
  return Result.succeed({
    graph: { ...graph, nodes, connections },
    entry: loop.name,
    exit: loop.name,
    conditions: ["a call that gives out nothing ends the loop, and nothing behind it runs"]
  })
}
