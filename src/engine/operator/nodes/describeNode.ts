import { Effect, Schema } from "effect"

import { isJsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument, ToolError } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Catalog } from "../../nodes/Catalog.ts"
import {
  chooseOperation,
  type Chosen,
  condition,
  describeParameters,
  type KnownValues,
  operationsOf
} from "../../nodes/describeParameters.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import type { IndexEntry, NodeType, Port } from "../../nodes/NodeType.ts"
import { sampleOf, usageOf, type UsedNode } from "../../nodes/nodeUsage.ts"
import { search } from "../../nodes/searchNodes.ts"
import { suggestTypes } from "../../nodes/suggestNodes.ts"
import { fullType } from "../../nodes/typeVersions.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { optional, text } from "../../tools/parameters.ts"
import { nodeKind, toEngineType } from "../../workflow/naming.ts"

export const describeNode = EngineTool.make("describe_node", {
  title: "Describe node",
  description:
    "Tell what a node type needs on this engine: parameters, credentials, connections; with an example from here",
  annotations: reads,
  arguments: {
    type: text("e.g. slack"),
    resource: optional(text("Of the node, for its parameters")),
    operation: optional(text("Same")),
    version: optional(Schema.Finite.annotate({ description: "Default newest" }))
  },
  run: Effect.fnUntraced(function* ({ type: name, version: wanted, ...operation }) {
    const engine = yield* EngineClient
    const knowledge = yield* NodeKnowledge
    const [{ catalog, hint }, { byType }] = yield* Effect.all([knowledge.of(engine), usageOf(engine)], {
      concurrency: "unbounded"
    })
    if (catalog === undefined) {
      const type = usedType([...byType.keys()], name)
      return unknown(type, byType.get(type) ?? [], hint)
    }
    const entry = yield* meant(catalog, name)
    const version = wanted ?? entry.defaultVersion
    const versions = yield* Effect.mapError(
      catalog.read(entry.type),
      ({ message }) => new ToolError({ blame: "upstream", code: "CACHE_ERROR", message, details: {} })
    )
    const node = versions.find((one) => one.versions.includes(version))
    if (node === undefined) return yield* noVersion(entry, version)
    const chosen = yield* Effect.fromResult(chooseOperation(node, version, operation))
    return described(entry, node, version, chosen, byType.get(entry.type) ?? [])
  })
})

const described = (
  entry: IndexEntry,
  node: NodeType,
  version: number,
  chosen: Chosen,
  used: ReadonlyArray<UsedNode>
) => {
  const { open, knownValues } = chosen
  const operation = Object.fromEntries(
    ["resource", "operation"].flatMap((name) =>
      valuesHidden(node, name) || knownValues[name] === undefined ? [] : [[name, knownValues[name]]]
    )
  )
  return {
    type: entry.type,
    title: entry.title,
    what: entry.description,
    version,
    ...(entry.versions.length > 1 ? { versions: entry.versions } : {}),
    ...operation,
    ...(open.length === 0 ? {} : { operations: operationsOf(node, chosen) }),
    ...portsOf("inputs", node.inputs, knownValues),
    ...portsOf("outputs", node.outputs, knownValues),
    ...credentialsOf(node, knownValues),
    parameters: node.isBare === true ? "not told by this engine" : describeParameters(node, knownValues, open),
    ...exampleOf(used, operation),
    ...(used.length === 0 ? {} : { used: used.length }),
    ...(open.length === 0 ? {} : { notice: `Give ${open.join(" and ")} for the parameters of an operation.` })
  }
}

const valuesHidden = ({ properties }: NodeType, name: string) =>
  properties.every((property) => property.name !== name || property.type === "hidden")

/** The type in full, which a short name stands for. */
const usedType = (used: ReadonlyArray<string>, name: string): string => {
  const type = toEngineType(fullType(name))
  const [only, another] = used.filter((one) => same(nodeKind(one), name))
  return used.includes(type) || only === undefined || another !== undefined ? type : only
}

/** A type by its use in the instance's workflows, for engines that do not describe types. */
const unknown = (type: string, used: ReadonlyArray<UsedNode>, hint: string | undefined) => {
  const versions = [...new Set(used.map(({ node }) => node.typeVersion))]
  const keys = [...new Set(used.flatMap(({ node }) => Object.keys(objectOf(node.parameters))))]
  return {
    type,
    used: used.length,
    ...(used.length === 0 ? {} : { versions, parametersUsedHere: keys }),
    ...exampleOf(used, {}),
    notice: hint
  }
}

/** The type of this name; of a title or the last part of a name, where only one fits. */
const meant = (catalog: Catalog, name: string): Effect.Effect<IndexEntry, InvalidArgument> => {
  const exactMatch = catalog.find(name)
  if (exactMatch !== undefined) return Effect.succeed(exactMatch)
  const named = catalog.entries.filter(({ title, type }) => same(title, name) || same(nodeKind(type), nodeKind(name)))
  const [only] = named
  if (only !== undefined && named.length === 1) return Effect.succeed(only)
  const near =
    named.length > 1
      ? named.map(({ type }) => type)
      : [
          ...new Set([
            ...suggestTypes(name, catalog.entries, 3),
            ...search(catalog.entries, nodeKind(name), undefined, () => 0)
              .slice(0, 3)
              .map(({ entry }) => entry.type)
          ])
        ]
  const hint = near.length === 0 ? "find_nodes finds its name" : `did you mean ${near.join(" or ")}?`
  return Effect.fail(
    new InvalidArgument({ argument: "type", problem: `this engine (${catalog.version}) has no node ${name}: ${hint}` })
  )
}

const same = (a: string, b: string) => a.toLowerCase().replace(/\W/g, "") === b.toLowerCase().replace(/\W/g, "")

const noVersion = ({ type, versions }: IndexEntry, version: number) =>
  new InvalidArgument({
    argument: "version",
    problem: `${type} has no version ${version} on this engine. Its versions: ${versions.join(", ")}`
  })

/** The ports of a node, unless there is only one plain main port. */
const portsOf = (name: "inputs" | "outputs", ports: ReadonlyArray<Port>, knownValues: KnownValues) => {
  const portTexts = ports.flatMap(({ max, required = false, type, ...rest }) => {
    const when = condition(rest, knownValues)
    if (when === undefined) return []
    const marks = [...(when === "" ? [] : [when]), ...(max === 1 ? ["one"] : [])]
    return [`${type}${required ? "*" : ""}${marks.length === 0 ? "" : ` [${marks.join(", ")}]`}`]
  })
  return portTexts.length === 1 && portTexts[0] === "main" ? {} : { [name]: portTexts.join(", ") }
}

const credentialsOf = (node: NodeType, knownValues: KnownValues) => {
  const credentialTexts = node.credentials.flatMap((credential) => {
    const when = condition(credential, knownValues)
    if (when === undefined) return []
    return [`${credential.name}${credential.required === true ? "*" : ""}${when === "" ? "" : ` [${when}]`}`]
  })
  return credentialTexts.length === 0 ? {} : { credentials: credentialTexts.join(", ") }
}

/** Parameters of a node of this instance for the same operation. */
const exampleOf = (used: ReadonlyArray<UsedNode>, operation: Readonly<Record<string, unknown>>) => {
  const example = used.find(({ node: { parameters } }) =>
    Object.entries(operation).every(([name, value]) => isJsonObject(parameters) && parameters[name] === value)
  )
  if (example === undefined) return {}
  const { node, workflow } = example
  // Engines keep nodes that came without parameters as they came.
  const sample = sampleOf(node.parameters ?? {})
  return JSON.stringify(sample).length > maxExample
    ? {}
    : { example: { workflow, version: node.typeVersion, parameters: sample } }
}

/** Characters of an example. */
const maxExample = 900
