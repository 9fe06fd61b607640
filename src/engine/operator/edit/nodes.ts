import { Predicate, Result, Struct } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/schema/nearest.ts"
import { nameOf, type Workflow } from "../../client/models.ts"
import { nodeType, toEngineType } from "../../client/naming.ts"
import { arrange as arranged, isStickyNote, placeFor } from "../../workflow/placing.ts"
import { renameNode, stateKey } from "../../workflow/references.ts"
import { kindOf } from "../../workflow/triggers.ts"
import { fullType, knownTypeVersion } from "../../workflow/typeVersions.ts"
import { bridges, wiresLike, withoutWires, withWire } from "../../workflow/wires.ts"
import {
  type Apply,
  connectionsOf,
  type Draft,
  type KnownCredential,
  type Lookups,
  nodeNamed,
  type Step,
  tell,
  withConnections,
  withNode,
  withWorkflow
} from "./Draft.ts"
import { inputOf, linkType, outputOf } from "./wiring.ts"

/** Kinds that are called from outside, at an address that hangs on an id. */
const called = new Set(["chatTrigger", "form", "formTrigger", "mcpTrigger", "wait", "webhook"])

const freeName = (draft: Draft, name: string): Result.Result<string, string> => {
  if (name.trim() === "") return Result.fail("the name of a node must not be empty")
  if (restricted.has(name.toLowerCase())) return Result.fail(`engines allow no node called ${name}`)
  return draft.workflow.nodes.some((node) => nameOf(node) === name)
    ? Result.fail(`there is a node ${JSON.stringify(name)} already`)
    : Result.succeed(name)
}

/** Names that every object has by itself. */
const restricted = new Set([
  "__definegetter__",
  "__definesetter__",
  "__lookupgetter__",
  "__lookupsetter__",
  "__proto__",
  "constructor",
  "hasownproperty",
  "isprototypeof",
  "propertyisenumerable",
  "prototype",
  "tolocalestring",
  "tostring",
  "valueof"
])

export const add: Apply<"add"> = (draft, operation, lookups, place) =>
  Result.gen(function* () {
    const { from, node: given, parameters = {}, position, to } = operation
    const name = yield* freeName(draft, given)
    const type = fullType(operation.type)
    const typeVersion = yield* versionOf(draft, type, operation.typeVersion, lookups)
    const source = from === undefined ? undefined : yield* nodeNamed(draft, from)
    const target = to === undefined ? undefined : yield* nodeNamed(draft, to)
    const link = linkType(operation.link)
    const node: JsonObject = {
      parameters,
      type,
      typeVersion,
      position: position ?? placeFor(draft.workflow.nodes, { from: source, to: target, isPart: link !== "main" }),
      name,
      ...(called.has(kindOf({ type })) ? { webhookId: lookups.webhookIds[place] } : {})
    }
    const grown = withWorkflow(draft, { nodes: [...draft.workflow.nodes, node] })
    const output = source === undefined ? undefined : yield* outputOf(source, operation.output)
    const input = yield* inputOf(operation.input)
    return yield* wired(grown, { from, to, name, link, output, input })
  })

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
      if (wire === undefined) return yield* Result.fail(`${from} does not lead to ${to}; give only one of them, or connect them`)
      if (between.length > 1) {
        return yield* Result.fail(`${between.length} connections lead from ${from} to ${to}: say which one with output or input`)
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

/** The version that is given, that of the same type in the workflow, the usual one, or that of the instance's workflows. */
const versionOf = (
  { workflow: { nodes } }: Draft,
  type: string,
  given: number | undefined,
  { typeVersions }: Lookups
): Result.Result<number, string> => {
  const used = versionIn(nodes, type)
  const found = given ?? used ?? knownTypeVersion(type) ?? typeVersions.get(toEngineType(type))
  return found === undefined
    ? Result.fail(`no version of ${type} is known here: give typeVersion, or see that the type is right`)
    : Result.succeed(found)
}

/** The newest version in which nodes of a type are used. */
export const versionIn = (nodes: ReadonlyArray<JsonObject>, type: string): number | undefined => {
  const versions = nodes
    .filter((node) => Predicate.isString(node.type) && toEngineType(node.type) === toEngineType(type))
    .map(({ typeVersion }) => typeVersion)
    .filter(Predicate.isNumber)
  return versions.length === 0 ? undefined : Math.max(...versions)
}

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
    return withWorkflow(draft, {
      nodes: nodes.filter((one) => one !== node),
      connections: Object.fromEntries(Object.entries(connections).filter(([source]) => source !== name)),
      ...(isJsonObject(pinData) && Object.hasOwn(pinData, name) ? { pinData: Struct.omit(pinData, [name]) } : {}),
      ...(isJsonObject(staticData) && Object.hasOwn(staticData, stateKey(name))
        ? { staticData: Struct.omit(staticData, [stateKey(name)]) }
        : {}),
      ...(Array.isArray(nodeGroups) && nodeGroups.length > 0 ? { nodeGroups: withoutMember(nodeGroups, node.id) } : {})
    })
  })

/** Groups of nodes without one that is removed; those that it leaves empty go with it. */
const withoutMember = (groups: ReadonlyArray<unknown>, id: unknown): ReadonlyArray<unknown> =>
  groups.flatMap((group) => {
    if (!isJsonObject(group) || !Array.isArray(group.nodeIds) || !group.nodeIds.includes(id)) return [group]
    const nodeIds = group.nodeIds.filter((member: unknown) => member !== id)
    return nodeIds.length === 0 ? [] : [{ ...group, nodeIds }]
  })

/** Renames a node with every reference to it, or the workflow. */
export const rename: Apply<"rename"> = (draft, { name, node: given }) =>
  Result.gen(function* () {
    if (given === undefined) {
      if (name.trim() === "") return yield* Result.fail("the name of a workflow must not be empty")
      return withWorkflow(draft, { name })
    }
    const node = yield* nodeNamed(draft, given)
    if (given === name) return draft
    yield* freeName(draft, name)
    const renamed: Workflow = renameNode(draft.workflow, { from: given, to: name })
    const changed = renamed.nodes.filter(
      (one, index) => one.parameters !== draft.workflow.nodes[index]?.parameters
    )
    const done = { ...draft, workflow: renamed }
    const told =
      changed.length === 0
        ? done
        : tell(done, `references to ${given} now say ${name} in: ${changed.map(nameOf).join(", ")}`)
    return called.has(kindOf(node)) && !Predicate.isString(node.webhookId) && kindOf(node) !== "form"
      ? tell(told, `the address of ${name} has changed, as the node has no webhookId and its name is part of it`)
      : told
  })

const switched =
  (disabled: boolean): Apply<"disable" | "enable"> =>
  (draft, { node: name }) =>
    Result.map(nodeNamed(draft, name), (node) => {
      if ((node.disabled === true) === disabled) return draft
      return withNode(draft, node, disabled ? { ...node, disabled } : Struct.omit(node, ["disabled"]))
    })

export const enable = switched(false)
export const disable = switched(true)

export const move: Apply<"move"> = (draft, { node: name, position }) =>
  Result.map(nodeNamed(draft, name), (node) => withNode(draft, node, { ...node, position }))

export const arrange: Apply<"arrange"> = (draft) =>
  Result.map(connectionsOf(draft), (connections) =>
    withWorkflow(draft, { nodes: arranged(draft.workflow.nodes, connections) })
  )

/** Puts a note on a node, on the canvas, or into a note that lies there. */
export const note: Apply<"note"> = (draft, { node: name, position, value }) =>
  Result.gen(function* () {
    const text = value ?? ""
    if (name === undefined) return withWorkflow(draft, { nodes: [...draft.workflow.nodes, sticky(draft, text, position)] })
    const node = yield* nodeNamed(draft, name)
    if (isStickyNote(node)) {
      const parameters = isJsonObject(node.parameters) ? node.parameters : {}
      return withNode(draft, node, { ...node, parameters: { ...parameters, content: text } })
    }
    return withNode(draft, node, text === "" ? Struct.omit(node, ["notes"]) : { ...node, notes: text })
  })

const sticky = ({ workflow: { nodes } }: Draft, content: string, position: readonly [number, number] | undefined): JsonObject => {
  const names = new Set(nodes.map(nameOf))
  let name = "Sticky Note"
  for (let count = 1; names.has(name); count++) name = `Sticky Note${count}`
  const type = nodeType("stickyNote")
  return { parameters: { content }, type, typeVersion: 1, position: position ?? placeFor(nodes, { isPart: false }), name }
}

/** Gives a node a credential by name or id, or takes one away. */
export const credential: Apply<"credential"> = (draft, { node: name, type, value }, lookups) =>
  Result.gen(function* () {
    const node = yield* nodeNamed(draft, name)
    const credentials = isJsonObject(node.credentials) ? node.credentials : {}
    if (value === null) {
      const types = type === undefined ? Object.keys(credentials) : [type]
      const [only] = types
      if (only === undefined || !Object.hasOwn(credentials, only)) return yield* Result.fail(`${name} has no such credential`)
      if (types.length > 1) return yield* Result.fail(`${name} has credentials of ${types.join(" and ")}: give type`)
      const left = Object.fromEntries(Object.entries(credentials).filter(([one]) => one !== only))
      const bare = Struct.omit(node, ["credentials"])
      return withNode(draft, node, Object.keys(left).length === 0 ? bare : { ...node, credentials: left })
    }
    const found = yield* credentialCalled(value, type, lookups)
    const own = { id: found.id, name: found.name }
    return withNode(draft, node, { ...node, credentials: { ...credentials, [found.type]: own } })
  })

const credentialCalled = (
  value: string,
  type: string | undefined,
  { credentials, hasAllCredentials }: Lookups
): Result.Result<KnownCredential, string> => {
  const called = credentials.filter(({ id, name }) => id === value || name === value)
  const fitting = called.filter((one) => type === undefined || one.type === type)
  const [found] = fitting
  if (found !== undefined && fitting.length === 1) return Result.succeed(found)
  if (fitting.length > 1) {
    const each = fitting.map((one) => `${one.id} (${one.type})`).join(", ")
    return Result.fail(`several credentials are called ${value}: give type, or the id: ${each}`)
  }
  if (called.length > 0) {
    return Result.fail(`credential ${value} is of type ${called.map((one) => one.type).join(", ")}, not ${String(type)}`)
  }
  if (!hasAllCredentials && type !== undefined && /^[A-Za-z0-9]{8,36}$/.test(value)) {
    return Result.succeed({ id: value, name: value, type })
  }
  const names = credentials.filter((one) => type === undefined || one.type === type).map(({ name }) => name)
  const guess = nearest(value, names)
  const known = names.length === 0 ? "None of that type is known" : `Known: ${[...new Set(names)].slice(0, 20).join(", ")}`
  const hint = guess === undefined ? known : `Did you mean ${guess}?`
  return Result.fail(
    hasAllCredentials
      ? `there is no credential ${JSON.stringify(value)}. ${hint}`
      : `no workflow uses a credential ${JSON.stringify(value)}, and this engine does not list credentials. ${hint}. Else give its id and type`
  )
}
