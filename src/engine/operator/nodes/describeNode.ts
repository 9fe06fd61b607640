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
  description: "What a node type of this engine needs: parameters, credentials, connections, an example from here",
  annotations: reads,
  arguments: {
    type: text("As in find_nodes"),
    resource: optional(text("Tells its parameters")),
    operation: optional(text("Tells its parameters")),
    version: optional(Schema.Finite.annotate({ description: "Default: newest" }))
  },
  run: Effect.fnUntraced(function* ({ type: asked, version: wanted, ...operation }) {
    const engine = yield* EngineClient
    const knowledge = yield* NodeKnowledge
    const [{ catalog, hint }, { byType }] = yield* Effect.all([knowledge.of(engine), usageOf(engine)], {
      concurrency: "unbounded"
    })
    if (catalog === undefined) {
      const type = usedType([...byType.keys()], asked)
      return unknown(type, byType.get(type) ?? [], hint)
    }
    const entry = yield* meant(catalog, asked)
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
  const { open, knownValues: known } = chosen
  const operation = Object.fromEntries(
    ["resource", "operation"].flatMap((name) =>
      valuesHidden(node, name) || known[name] === undefined ? [] : [[name, known[name]]]
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
    ...portsOf("inputs", node.inputs, known),
    ...portsOf("outputs", node.outputs, known),
    ...credentialsOf(node, known),
    parameters: node.isBare === true ? "not told by this engine" : describeParameters(node, known, open),
    ...exampleOf(used, operation),
    ...(used.length === 0 ? {} : { used: used.length }),
    ...(open.length === 0 ? {} : { notice: `Give ${open.join(" and ")} for the parameters of an operation.` })
  }
}

const valuesHidden = ({ properties }: NodeType, name: string) =>
  properties.every((property) => property.name !== name || property.type === "hidden")

/** The type in full, which a short name stands for. */
const usedType = (used: ReadonlyArray<string>, asked: string): string => {
  const type = toEngineType(fullType(asked))
  const [only, another] = used.filter((one) => same(nodeKind(one), asked))
  return used.includes(type) || only === undefined || another !== undefined ? type : only
}

/** What the instance's own workflows tell of a type. */
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
const meant = (catalog: Catalog, asked: string): Effect.Effect<IndexEntry, InvalidArgument> => {
  const found = catalog.find(asked)
  if (found !== undefined) return Effect.succeed(found)
  const named = catalog.entries.filter(({ title, type }) => same(title, asked) || same(nodeKind(type), nodeKind(asked)))
  const [only] = named
  if (only !== undefined && named.length === 1) return Effect.succeed(only)
  const near =
    named.length > 1
      ? named.map(({ type }) => type)
      : [
          ...new Set([
            ...suggestTypes(asked, catalog.entries, 3),
            ...search(catalog.entries, nodeKind(asked), undefined, () => 0)
              .slice(0, 3)
              .map(({ entry }) => entry.type)
          ])
        ]
  const hint = near.length === 0 ? "find_nodes finds its name" : `did you mean ${near.join(" or ")}?`
  return Effect.fail(
    new InvalidArgument({ argument: "type", problem: `this engine (${catalog.version}) has no node ${asked}: ${hint}` })
  )
}

const same = (a: string, b: string) => a.toLowerCase().replace(/\W/g, "") === b.toLowerCase().replace(/\W/g, "")

const noVersion = ({ type, versions }: IndexEntry, version: number) =>
  new InvalidArgument({
    argument: "version",
    problem: `${type} has no version ${version} on this engine. Its versions: ${versions.join(", ")}`
  })

/** Only what is not one plain connection from the left to the right. */
const portsOf = (name: "inputs" | "outputs", ports: ReadonlyArray<Port>, known: KnownValues) => {
  const shown = ports.flatMap(({ max, required = false, type, ...rest }) => {
    const when = condition(rest, known)
    if (when === undefined) return []
    const marks = [...(when === "" ? [] : [when]), ...(max === 1 ? ["one"] : [])]
    return [`${type}${required ? "*" : ""}${marks.length === 0 ? "" : ` [${marks.join(", ")}]`}`]
  })
  return shown.length === 1 && shown[0] === "main" ? {} : { [name]: shown.join(", ") }
}

const credentialsOf = (node: NodeType, known: KnownValues) => {
  const shown = node.credentials.flatMap((credential) => {
    const when = condition(credential, known)
    if (when === undefined) return []
    return [`${credential.name}${credential.required === true ? "*" : ""}${when === "" ? "" : ` [${when}]`}`]
  })
  return shown.length === 0 ? {} : { credentials: shown.join(", ") }
}

/** Parameters of a node of this instance for the same operation. */
const exampleOf = (used: ReadonlyArray<UsedNode>, operation: Readonly<Record<string, unknown>>) => {
  const found = used.find(({ node: { parameters } }) =>
    Object.entries(operation).every(([name, value]) => isJsonObject(parameters) && parameters[name] === value)
  )
  if (found === undefined) return {}
  const { node, workflow } = found
  // Engines keep nodes that came without parameters as they came.
  const sample = sampleOf(node.parameters ?? {})
  return JSON.stringify(sample).length > maxExample
    ? {}
    : { example: { workflow, version: node.typeVersion, parameters: sample } }
}

/** Characters of an example. */
const maxExample = 900
