import { Effect, Predicate } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { weightOfJson } from "../../../internal/json/values.ts"
import { type JsonObject, textOf } from "../../../internal/schema/JsonObject.ts"
import { mapSliced } from "../../../internal/Sliced.ts"
import { toEngineType } from "../../workflow/naming.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { isEnabled } from "../../workflow/triggers.ts"
import type { Catalog } from "../Catalog.ts"
import type { ArchiveError } from "../NodePackages.ts"
import { checkAiConnections } from "./aiConnections.ts"
import { checkExpressions } from "./expressions.ts"
import type { Finding } from "./Finding.ts"
import { checkBatches, checkLoops, graphOf } from "./graph.ts"
import { boundedParser } from "./javaScript.ts"
import { checkCredentials, checkOwn, checkParameters, checkType, type DescribedNode, describedNode } from "./node.ts"
import { checkPortCounts } from "./portCounts.ts"
import { checkReachability, checkResponding } from "./reachability.ts"
import { checkConditions, checkRuntimeFailures, checkSchedules } from "./runtimeFailures.ts"
import { checkAddresses, checkStructure } from "./structure.ts"
import { checkTexts } from "./texts.ts"

/** A workflow to check; its connections are in the engine's form. */
export interface Checked {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: unknown
}

/** JavaScript is parsed only if there is any, so that the parser is loaded only then. */
export const parser = Effect.map(
  Effect.promise(() => import("./acorn.ts")),
  (acorn) => boundedParser(acorn)
)

/**
 * Everything that is wrong with a workflow, node by node. Without a catalog, only expressions and loops are checked. Pinned
 * data replaces its node, whose parameters are then never used.
 */
export const checkWorkflow = Effect.fnUntraced(function* (
  { connections, nodes }: Checked,
  catalog: Catalog | undefined
): Effect.fn.Return<ReadonlyArray<Finding>, ArchiveError> {
  const graph = graphOf(nodes, connections)
  const describedNodes = catalog === undefined ? new Map<string, DescribedNode>() : yield* describe(nodes, catalog)
  const ofNode = (node: JsonObject): ReadonlyArray<Finding> => {
    const type = catalog === undefined ? undefined : checkType(node, catalog)
    const one = describedNodes.get(nameOf(node))
    const more =
      one === undefined || !isEnabled(node)
        ? []
        : [...checkOwn(node), ...checkParameters(node, one), ...checkCredentials(node, one)]
    return [...(type === undefined ? [] : [type]), ...more]
  }
  const checks: ReadonlyArray<() => ReadonlyArray<Finding>> = [
    () => checkStructure(nodes, graph, connections),
    () => checkAiConnections(graph, describedNodes),
    () => checkPortCounts(graph, describedNodes),
    () => checkReachability(graph, describedNodes),
    () => checkResponding(graph),
    () => checkSchedules(nodes),
    () => checkRuntimeFailures(nodes),
    () => checkAddresses(nodes, catalog),
    () => checkConditions(nodes, catalog),
    () => checkLoops(graph),
    () => checkBatches(graph),
    () => checkTexts(nodes)
  ]
  // Each of them goes through all nodes.
  const whole = weightOfJson(nodes) / checks.length
  const findings = yield* inSlices(function* () {
    const ofNodes = yield* mapSliced(nodes, ofNode, weightOfJson)
    const others = yield* mapSliced(
      checks,
      (check) => check(),
      () => whole
    )
    return [...ofNodes, ...others].flat()
  })
  const texts = nodes.some(({ parameters }) => mayHoldCode(parameters))
    ? yield* checkExpressions(graph, yield* parser)
    : []
  return inOrder(nodes, [...findings, ...texts])
})

const mayHoldCode = (value: unknown): boolean =>
  Predicate.isString(value)
    ? value.startsWith("=")
    : Predicate.isObjectOrArray(value) &&
      (Object.hasOwn(value, "jsCode") || Object.values(value).some((item) => mayHoldCode(item)))

const describe = Effect.fnUntraced(function* (nodes: ReadonlyArray<JsonObject>, catalog: Catalog) {
  const describedNodes = new Map<string, DescribedNode>()
  for (const node of nodes) {
    const one = describedNode(node, yield* catalog.read(toEngineType(textOf(node.type))))
    if (one !== undefined) describedNodes.set(nameOf(node), one)
  }
  return describedNodes
})

/** Errors before warnings, and node by node. */
const inOrder = (nodes: ReadonlyArray<JsonObject>, findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const places = new Map(nodes.map((node, place) => [nameOf(node), place]))
  const placeOf = ({ node }: Finding) => places.get(node ?? "") ?? -1
  const rankOf = ({ level }: Finding) => (level === "error" ? 0 : 1)
  return findings.toSorted((a, b) => rankOf(a) - rankOf(b) || placeOf(a) - placeOf(b))
}
