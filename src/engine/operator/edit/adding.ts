import { Predicate, Result, Struct } from "effect"

import { nameAmongWords } from "../../../internal/foreignText.ts"
import { isSameJson } from "../../../internal/json/digest.ts"
import { type JsonObject, isJsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { groupsAmong } from "../../client/refusedGroups.ts"
import { isCalled } from "../../client/webhookIds.ts"
import type { NodeType, Property } from "../../nodes/NodeType.ts"
import { fullType, portableVersion, newestVersion } from "../../nodes/typeVersions.ts"
import { toEngineType } from "../../workflow/naming.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { placeFor } from "../../workflow/placing.ts"
import { stateKey } from "../../workflow/references.ts"
import { mergePatch } from "../../workflow/valuePaths.ts"
import { bridges, wiresLike, withoutWires, withWire } from "../../workflow/wires.ts"
import {
  addNote,
  type Apply,
  connectionsOf,
  type Draft,
  freeName,
  type Lookups,
  type Retyped,
  nodeNamed,
  type Step,
  withConnections,
  withNode,
  withWorkflow
} from "./Draft.ts"
import { inputOf, linkType, outputOf } from "./wiring.ts"

/** Adds a node, and connects it. */
export const add: Apply<"add"> = (draft, operation, lookups, place) =>
  Result.gen(function* () {
    const { from, node: given, parameters = {}, position, to } = operation
    const name = yield* freeName(draft, given)
    const type = fullType(operation.type)
    const typeVersion = yield* versionOf(draft, type, operation.typeVersion, lookups)
    const source = from === undefined ? undefined : yield* nodeNamed(draft, from)
    const target = to === undefined ? undefined : yield* nodeNamed(draft, to)
    const link = linkType(operation.link, from === undefined ? type : source?.type)
    const node: JsonObject = {
      parameters,
      type,
      typeVersion,
      position: position ?? placeFor(draft.workflow.nodes, { from: source, to: target, isPart: link !== "main" }),
      name,
      ...idOf(lookups, place),
      ...(isCalled({ type }) ? { webhookId: lookups.webhookIds[place] } : {})
    }
    const grown = withWorkflow(draft, { nodes: [...draft.workflow.nodes, node] })
    const output = source === undefined ? undefined : yield* outputOf(source, operation.output)
    const input = yield* inputOf(operation.input)
    return yield* wired(grown, { from, to, name, link, output, input })
  })

/** The id of a new node, where there has to be one before it is written. */
export const idOf = ({ nodeIds }: Lookups, place: number): { readonly id?: string } => {
  const id = nodeIds[place]
  return id === undefined ? {} : { id }
}

interface Wiring {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly name: string
  readonly link: string
  readonly output: number | undefined
  readonly input: number | undefined
}

/** Connects a new node; where it goes between two that are connected, it takes the place of their connection. */
const wired = (draft: Draft, { from, input, link, name, output, to }: Wiring): Step =>
  Result.gen(function* () {
    if (from === undefined && to === undefined) return draft
    let connections = yield* connectionsOf(draft)
    if (from !== undefined && to !== undefined) {
      const between = wiresLike(connections, { source: from, target: to, type: link, output, input })
      const [wire] = between
      if (wire === undefined)
        return yield* Result.fail(`${from} does not lead to ${to}; give only one of them, or connect them`)
      if (between.length > 1) {
        return yield* Result.fail(
          `${between.length} connections lead from ${from} to ${to}: say which one with output or input`
        )
      }
      connections = withoutWires(withWire(connections, { ...wire, target: name, input: 0 }), wire)
      connections = withWire(connections, { ...wire, source: name, output: 0 })
      return withConnections(draft, connections)
    }
    if (from !== undefined) {
      connections = withWire(connections, { source: from, type: link, output: output ?? 0, target: name, input: 0 })
    }
    if (to !== undefined) {
      connections = withWire(connections, { source: name, type: link, output: 0, target: to, input: input ?? 0 })
    }
    return withConnections(draft, connections)
  })

/** The version for a new node: the given one, that of the same type in the workflow, that of the engine, or a built-in one. */
const versionOf = (
  { workflow: { nodes } }: Draft,
  type: string,
  given: number | undefined,
  { missingTypes, typeVersions }: Lookups
): Result.Result<number, string> => {
  const missing = missingTypes.get(toEngineType(type))
  if (missing !== undefined) return Result.fail(missing)
  const version =
    given ??
    versionIn(nodes, type) ??
    typeVersions.get(toEngineType(type)) ??
    portableVersion(type) ??
    newestVersion(type)
  return version === undefined
    ? Result.fail(`no version of ${type} is known here: give typeVersion, or see that the type is right`)
    : Result.succeed(version)
}

/** The newest version in which nodes of a type are used. */
export const versionIn = (nodes: ReadonlyArray<JsonObject>, type: string): number | undefined => {
  const versions = nodes
    .filter((node) => Predicate.isString(node.type) && toEngineType(node.type) === toEngineType(type))
    .map(({ typeVersion }) => typeVersion)
    .filter(Predicate.isNumber)
  return versions.length === 0 ? undefined : Math.max(...versions)
}

/**
 * Gives a node another type. Its name, id, notes and connections stay, and of its parameters and credentials those that the
 * new type takes; all of them where that is not known.
 */
export const retype: Apply<"retype"> = (draft, { node: name, parameters = {}, ...given }, lookups, place) =>
  Result.gen(function* () {
    const node = yield* nodeNamed(draft, name)
    const type = fullType(given.type)
    const typeVersion = yield* versionOf(draft, type, given.typeVersion, lookups)
    const descriptions = lookups.descriptions.get(toEngineType(type)) ?? []
    const description = descriptions.find(({ versions }) => versions.includes(typeVersion))
    const before = objectOf(node.parameters)
    const kept = description === undefined ? before : parametersTaken(before, description.properties)
    const credentials = Object.entries(objectOf(node.credentials))
    const fitting = credentials.filter(([one]) => description?.credentials.some((use) => use.name === one) ?? true)
    const changed: JsonObject = {
      ...Struct.omit(node, ["credentials"]),
      type,
      typeVersion,
      parameters: mergePatch(kept, parameters),
      ...(fitting.length === 0 ? {} : { credentials: Object.fromEntries(fitting) }),
      ...(isCalled({ type }) && node.webhookId === undefined ? { webhookId: lookups.webhookIds[place] } : {})
    }
    const entry: Retyped = {
      id: node.id,
      name,
      parameters: kept,
      credentials: Object.fromEntries(fitting),
      isTypeKnown: description !== undefined
    }
    return { ...withNode(draft, node, changed), retyped: [...draft.retyped, entry] }
  })

/** The draft after all operations, with a note of what each node with another type still has of the former one. */
export const withNotesOfRetyped = (draft: Draft): Draft =>
  draft.retyped.reduce((noted, { credentials, id, isTypeKnown, name, parameters }) => {
    const node = draft.workflow.nodes.find((one) => (id === undefined ? nameOf(one) === name : one.id === id))
    const left = [
      ...namesOfSame(parameters, node?.parameters),
      ...namesOfSame(credentials, node?.credentials).map((one) => `credential ${one}`)
    ]
    if (node === undefined || left.length === 0) return noted
    const reason = isTypeKnown ? "" : ", as what the new type takes is not known here"
    return addNote(noted, `${nameAmongWords(nameOf(node))} keeps ${left.join(", ")}${reason}`)
  }, draft)

/** The names of the values that are the same in another object. */
const namesOfSame = (values: JsonObject, given: unknown): ReadonlyArray<string> => {
  const others = objectOf(given)
  return Object.keys(values).filter((name) => Object.hasOwn(others, name) && isSameJson(values[name], others[name]))
}

/** The parameters that a type has as well. What names something at the former service stays behind. */
const parametersTaken = (parameters: JsonObject, properties: NodeType["properties"]): JsonObject =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      const alike = properties.filter((one) => one.name === name)
      const [first] = alike
      if (first === undefined || alike.some(namesResource) || isLocator(value)) return []
      if (first.type === "collection" && isJsonObject(value)) {
        const inner = parametersTaken(
          value,
          alike.flatMap(({ fields = [] }) => fields)
        )
        return Object.keys(inner).length === 0 ? [] : [[name, inner]]
      }
      const choices = alike.flatMap((one) => one.choices ?? [])
      return choices.length === 0 || choices.some((choice) => choice.value === value) ? [[name, value]] : []
    })
  )

const namesResource = ({ isDynamic, type }: Property) =>
  isDynamic === true || type === "resourceLocator" || type === "resourceMapper"

const isLocator = (value: unknown) => isJsonObject(value) && value.__rl === true

/** Removes a node with all that is kept by its name. */
export const remove: Apply<"remove"> = (draft, { bridge = false, node: name, output: given }) =>
  Result.gen(function* () {
    const node = yield* nodeNamed(draft, name)
    let connections = yield* connectionsOf(draft)
    if (bridge) {
      const used = [...new Set(wiresLike(connections, { source: name, type: "main" }).map(({ output }) => output))]
      const output = yield* outputOf(node, given)
      if (output === undefined && used.length > 1) {
        return yield* Result.fail(`${name} leads on from ${used.length} outputs: say with output which one to bridge`)
      }
      for (const wire of bridges(connections, name, output ?? used[0] ?? 0)) connections = withWire(connections, wire)
    }
    connections = withoutWires(withoutWires(connections, { source: name }), { target: name })
    const { nodes, pinData, staticData } = draft.workflow
    const nodeGroups: unknown = draft.workflow.nodeGroups
    const rest = nodes.filter((one) => one !== node)
    return withWorkflow(draft, {
      nodes: rest,
      connections: Object.fromEntries(Object.entries(connections).filter(([source]) => source !== name)),
      ...(isJsonObject(pinData) && Object.hasOwn(pinData, name) ? { pinData: Struct.omit(pinData, [name]) } : {}),
      ...(isJsonObject(staticData) && Object.hasOwn(staticData, stateKey(name))
        ? { staticData: Struct.omit(staticData, [stateKey(name)]) }
        : {}),
      ...(Array.isArray(nodeGroups) && nodeGroups.length > 0 ? { nodeGroups: groupsAmong(nodeGroups, rest) } : {})
    })
  })
