import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import type { Workflow } from "./models.ts"
import { nameOf } from "./nodes.ts"
import { isEnabled, isTrigger, kindOf } from "./triggers.ts"

/** An address at which an active workflow is called from outside. */
export interface Address {
  readonly kind: "webhook" | "form" | "chat"
  /** Name of the trigger node. */
  readonly node: string
  readonly method: string
  /** Absolute path on the engine's host, encoded, but for variable segments: `/webhook/orders/:id`. */
  readonly path: string
  /** Names of the variable segments of the path. */
  readonly variables: ReadonlyArray<string>
}

/** Every production address of a workflow, in the order in which they are best called: webhooks, forms, chats. */
export const addressesOf = (workflow: {
  readonly id: string
  readonly nodes: ReadonlyArray<JsonObject>
}): ReadonlyArray<Address> =>
  order.flatMap((find) => workflow.nodes.filter(isEnabled).flatMap((node) => find(workflow.id, node) ?? []))

type Find = (workflowId: string, node: JsonObject) => Address | undefined

const webhook: Find = (workflowId, node) => {
  const { httpMethod, path } = parametersOf(node)
  if (kindOf(node) !== "webhook" || !isFixed(path)) return undefined
  const methods: ReadonlyArray<unknown> = Array.isArray(httpMethod) ? httpMethod : [httpMethod]
  const method = methods.includes("POST") ? "POST" : (methods.find(Predicate.isString) ?? "GET")
  return isFixed(method) ? address("webhook", method, workflowId, node, path) : undefined
}

/** Forms of the first version have an address of their own making, which nobody uses any more. */
const form: Find = (workflowId, node) => {
  const { path, options } = parametersOf(node)
  const formPath = path === undefined || path === "" ? objectOf(options).path : path
  return kindOf(node) === "formTrigger" && node.typeVersion !== 1 && isFixed(formPath)
    ? address("form", "POST", workflowId, node, formPath)
    : undefined
}

/** A chat answers outside the editor only when it is public. */
const chat: Find = (workflowId, node) =>
  kindOf(node) === "chatTrigger" && parametersOf(node).public === true
    ? address("chat", "POST", workflowId, node, "chat")
    : undefined

const order: ReadonlyArray<Find> = [webhook, form, chat]

const address = (
  kind: Address["kind"],
  method: string,
  workflowId: string,
  node: JsonObject,
  path = ""
): Address | undefined => {
  const pathSegments = path.split("/").filter((segment) => segment !== "")
  const variables = pathSegments.filter((segment) => segment.startsWith(":")).map((segment) => segment.slice(1))
  const name = nameOf(node)
  const segments = Predicate.isString(node.webhookId)
    ? withId(node.webhookId, pathSegments, kind === "chat" || variables.length > 0)
    : [workflowId, encode(name.toLowerCase()), ...pathSegments]
  if (segments.some((segment) => segment === "." || segment === "..")) return undefined
  const root = kind === "form" ? "form" : "webhook"
  return { kind, node: name, method, path: `/${[root, ...segments].map(encodeSegment).join("/")}`, variables }
}

/** The id stands for a path that is missing, and before one that cannot tell its workflow by itself. */
const withId = (id: string, pathSegments: ReadonlyArray<string>, isBelowId: boolean): ReadonlyArray<string> => {
  if (isBelowId) return [id, ...pathSegments]
  return pathSegments.length === 0 ? [id] : pathSegments
}

const encodeSegment = (segment: string) => (segment.startsWith(":") ? `:${encode(segment.slice(1))}` : encode(segment))

/** Half a surrogate pair has no encoding. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed())

const parametersOf = (node: JsonObject) => objectOf(node.parameters)

/** An expression is only known to the engine, so that its value cannot be part of an address here. */
const isFixed = (value: unknown): value is string | undefined =>
  value === undefined || (Predicate.isString(value) && !value.startsWith("="))

interface Owner {
  readonly id: string
  readonly nodes: ReadonlyArray<JsonObject>
}

/** Two nodes that want the same calls. */
interface Collision {
  readonly node: string
  /** Method and path: `POST /webhook/orders`. */
  readonly address: string
  readonly otherNode: string
}

/** The addresses of one workflow that another one has as well. */
export const collisions = (workflow: Owner, other: Owner): ReadonlyArray<Collision> =>
  collisionsAmong(addressTexts(workflow), other)

/** The same where many others are looked at. */
export const collisionsAmong = (
  addresses: ReadonlyArray<Pick<Collision, "address" | "node">>,
  other: Owner
): ReadonlyArray<Collision> => {
  const taken = new Map(addressTexts(other).map(({ address, node }) => [address, node]))
  return addresses.flatMap(({ address, node }) => {
    const otherNode = taken.get(address)
    return otherNode === undefined ? [] : [{ node, address, otherNode }]
  })
}

/** Every address of a workflow with its node; a webhook that takes several methods has one for each. */
export const addressTexts = ({ id, nodes }: Owner): ReadonlyArray<Pick<Collision, "address" | "node">> =>
  addressesOf({ id, nodes: nodes.flatMap(perMethod) }).map(({ method, node, path }) => ({
    node,
    address: `${method} ${path}`
  }))

const perMethod = (node: JsonObject): ReadonlyArray<JsonObject> => {
  const { parameters } = node
  if (!Predicate.isObject(parameters) || !Array.isArray(parameters.httpMethod)) return [node]
  return parameters.httpMethod.map((httpMethod: unknown) => ({ ...node, parameters: { ...parameters, httpMethod } }))
}

/** The path that a trigger listens at, as its parameters say; expressions stand as they are. */
export const pathOf = ({ parameters }: JsonObject): string | undefined => {
  if (!isJsonObject(parameters)) return undefined
  const { options, path } = parameters
  const listeningPath = path === undefined && isJsonObject(options) ? options.path : path
  return Predicate.isString(listeningPath) ? listeningPath : undefined
}

/** Whether triggers listen at a path, given as their parameters hold it, as its address, or as the whole URL. */
export const pathTest = (wanted: string): ((node: JsonObject) => boolean) => {
  const wantedSegments = segmentsOf(wanted)
  return (node) => {
    if (!isTrigger(node)) return false
    const listening = segmentsOf(pathOf(node) ?? "")
    const { webhookId } = node
    const behindId =
      Predicate.isString(webhookId) && wantedSegments[0] === webhookId ? wantedSegments.slice(1) : undefined
    return (
      (listening.length > 0 && fits(listening, wantedSegments)) ||
      (behindId !== undefined && (behindId.length === 0 || fits(listening, behindId)))
    )
  }
}

const fits = (segments: ReadonlyArray<string>, wantedSegments: ReadonlyArray<string>) =>
  segments.length === wantedSegments.length &&
  segments.every(
    (segment, place) => segment === wantedSegments[place] || (segment.startsWith(":") && wantedSegments[place] !== "")
  )

/** The part of an address before its path: the host, and the root of the kind of trigger. */
const hostAndRoot = /^(?:[a-z][a-z\d+.-]*:\/\/[^/]*)?\/*(?:(?:webhook|form|mcp)(?:-test|-waiting)?\/)?/i
/** The signs at which the query or the fragment of an address begins. */
const queryOrFragment = /[?#]/

const segmentsOf = (path: string): ReadonlyArray<string> =>
  path
    .trim()
    .split(queryOrFragment, 1)
    .join("")
    .replace(hostAndRoot, "")
    .split("/")
    .filter((segment) => segment !== "")

/** Editors choose such a path where nobody else does. */
const generated = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The nodes of a copy, which have new webhook ids already. A path that an editor once chose becomes the new id, as editors
 * do it, the same for all nodes that share it; one that somebody has chosen stays.
 */
export const nodesWithOwnPaths = (
  nodes: ReadonlyArray<JsonObject>,
  originals: ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  const copied = new Set(originals.map(parameterPath))
  const renewed = new Map<string, string>()
  return nodes.map((node) => {
    const path = parameterPath(node)
    const { parameters, webhookId } = node
    if (!Predicate.isString(webhookId) || !generated.test(path) || !copied.has(path)) return node
    const newPath = renewed.get(path) ?? webhookId
    renewed.set(path, newPath)
    return { ...node, parameters: { ...objectOf(parameters), path: newPath } }
  })
}

const parameterPath = ({ parameters }: JsonObject): string => {
  const { path } = objectOf(parameters)
  return Predicate.isString(path) ? path : ""
}

/** Warnings about nodes of a copy that want the same calls as nodes of its original. */
export const sharedAddresses = (nodes: ReadonlyArray<JsonObject>, original: Workflow): ReadonlyArray<string> => {
  const { active, activeVersion, id } = original
  const theirs = [...original.nodes, ...(active ? objectsOf(objectOf(activeVersion).nodes) : [])]
  const servers = new Set(theirs.filter(isServer).map(parameterPath))
  const shared = [
    ...collisions({ id: "", nodes }, { id, nodes: theirs }),
    ...nodes
      .filter((node) => isServer(node) && servers.has(parameterPath(node)))
      .map((node) => ({ node: nameOf(node), address: `/mcp/${parameterPath(node)}` }))
  ]
  return shared.map(
    ({ address, node }) =>
      `${node} has ${address} in common with ${id}: only one of both can answer there while both are active. ` +
      "Set parameters.path of one of them."
  )
}

/** Whether MCP clients find a node at its path. */
const isServer = (node: JsonObject) => kindOf(node) === "mcpTrigger" && isEnabled(node)
