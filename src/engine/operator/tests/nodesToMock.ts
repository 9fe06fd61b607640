import { Result } from "effect"

import { nameOf, type Workflow } from "../../workflow/models.ts"
import { kindOf } from "../../workflow/triggers.ts"
import { edgesOf } from "../../workflow/wires.ts"
import { always, type Mocks } from "../run/mocks.ts"
import { type Part, partOf, runningOf } from "../run/Part.ts"
import { sideEffectsOf } from "../run/sideEffects.ts"

/** The part of a workflow that a test runs, and which of its nodes have to be mocked. */
export interface NodesToMock {
  readonly part: Part
  readonly names: ReadonlyArray<string>
}

/**
 * The nodes that must not run in a test: those that act outside, those whose model, memory or tool does, and those that
 * wait. What only such nodes need does not run either.
 */
export const nodesToMock = (workflow: Workflow, from: string): Result.Result<NodesToMock, string> =>
  Result.gen(function* () {
    const names = new Set<string>()
    for (;;) {
      const mocks: Mocks = new Map([...names].map((name) => [name, always([])]))
      const part = yield* Result.mapError(partOf(workflow, mocks, { from }), ({ problem }) => problem)
      const running = runningOf(part, mocks)
      const wanted = [
        ...sideEffectsOf(running).map(({ node }) => node),
        ...running.filter((node) => kindOf(node) === "wait").map(nameOf)
      ].flatMap((name) => mainNodesServedBy(workflow, name))
      const before = names.size
      for (const name of wanted) names.add(name)
      if (names.size === before) {
        return { part, names: part.nodes.map(nameOf).filter((name) => names.has(name)) }
      }
    }
  })

/** The nodes of the main flow that a sub-node belongs to, directly or through other sub-nodes; a node of the main flow itself. */
const mainNodesServedBy = (workflow: Workflow, name: string): ReadonlyArray<string> => {
  const edges = edgesOf(workflow.connections).filter(({ type }) => type !== "main")
  const open = new Set([name])
  for (const one of open) for (const { source, target } of edges) if (source === one) open.add(target)
  return [...open].filter((one) => !edges.some(({ source }) => source === one))
}
