import { Result } from "effect"

import { nearest } from "../../internal/schema/nearest.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { condition, type KnownValues } from "./describeParameters.ts"
import type { NodeType, Property } from "./NodeType.ts"

/** The values that are known when a node is described, and what still has to be chosen to tell the rest. */
export interface Chosen {
  readonly known: KnownValues
  /** `resource` or `operation`, where there are several and none was named. */
  readonly open: ReadonlyArray<string>
}

/** Takes the resource and operation that are asked for; of one alone the other is found where only one fits. */
export const chooseOperation = (
  node: NodeType,
  version: number,
  asked: { readonly resource?: string | undefined; readonly operation?: string | undefined }
): Result.Result<Chosen, InvalidArgument> =>
  Result.gen(function* () {
    const start = { ...fixedValues(node), "@version": version, "@tool": node.type.endsWith("Tool") }
    const resources = valuesOf(node.properties, "resource", start)
    const fitting =
      asked.operation === undefined
        ? []
        : resources.filter((value) =>
            valuesOf(node.properties, "operation", { ...start, resource: value }).includes(asked.operation ?? "")
          )
    const resource =
      asked.resource ?? (fitting.length === 1 ? fitting[0] : resources.length === 1 ? resources[0] : undefined)
    if (resource !== undefined) yield* requireKnown("resource", resource, resources)
    const withResource = resource === undefined ? start : { ...start, resource }
    const operations = valuesOf(node.properties, "operation", withResource)
    const operation = asked.operation ?? (operations.length === 1 && resources.length <= 1 ? operations[0] : undefined)
    if (operation !== undefined) yield* requireKnown("operation", operation, operations)
    return {
      known: operation === undefined ? withResource : { ...withResource, operation },
      open: [
        ...(resources.length > 0 && resource === undefined ? ["resource"] : []),
        ...(operations.length > 0 && operation === undefined ? ["operation"] : [])
      ]
    }
  })

const requireKnown = (argument: string, value: string, all: ReadonlyArray<string>) => {
  if (all.includes(value)) return Result.succeed(undefined)
  const guess = nearest(value, all)
  const hint = all.length === 0 ? `this node has no ${argument} to choose` : `its values are ${all.join(", ")}`
  const problem = `there is no ${value}: ${hint}${guess === undefined ? "" : `. Did you mean ${guess}?`}`
  return Result.fail(new InvalidArgument({ argument, problem }))
}

/** What no form lets anybody choose. */
const fixedValues = ({ properties }: NodeType): KnownValues =>
  Object.fromEntries(
    properties
      .filter(
        ({ default: value, name, type }) =>
          type === "hidden" && value !== undefined && properties.filter((other) => other.name === name).length === 1
      )
      .map(({ default: value, name }) => [name, value])
  )

/** The values that a parameter can have where these are known, over all its forms. */
const valuesOf = (properties: ReadonlyArray<Property>, name: string, known: KnownValues): ReadonlyArray<string> => [
  ...new Set(
    properties
      .filter((property) => property.name === name && condition(property, known) !== undefined)
      .flatMap(({ choices = [] }) => choices)
      .filter((choice) => condition(choice, known) !== undefined)
      .map(({ value }) => String(value))
  )
]

/** What can be chosen: each resource with its operations, or only operations. */
export const operationsOf = (node: NodeType, { known }: Chosen): Readonly<Record<string, string>> | string => {
  const resources = Object.hasOwn(known, "resource") ? [] : valuesOf(node.properties, "resource", known)
  if (resources.length === 0) return valuesOf(node.properties, "operation", known).join("|")
  return Object.fromEntries(
    resources.map((resource) => [resource, valuesOf(node.properties, "operation", { ...known, resource }).join("|")])
  )
}
