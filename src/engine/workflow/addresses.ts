import { Predicate } from "effect"

import { type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "./models.ts"
import { isEnabled, kindOf } from "./triggers.ts"

/** Where an active workflow is called from outside. */
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
  const own = path === undefined || path === "" ? objectOf(options).path : path
  return kindOf(node) === "formTrigger" && node.typeVersion !== 1 && isFixed(own)
    ? address("form", "POST", workflowId, node, own)
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
  const own = path.split("/").filter((segment) => segment !== "")
  const variables = own.filter((segment) => segment.startsWith(":")).map((segment) => segment.slice(1))
  const name = nameOf(node)
  const segments = Predicate.isString(node.webhookId)
    ? withId(node.webhookId, own, kind === "chat" || variables.length > 0)
    : [workflowId, encode(name.toLowerCase()), ...own]
  if (segments.some((segment) => segment === "." || segment === "..")) return undefined
  const root = kind === "form" ? "form" : "webhook"
  return { kind, node: name, method, path: `/${[root, ...segments].map(encodeSegment).join("/")}`, variables }
}

/** The id stands for a path that is missing, and before one that cannot tell its workflow by itself. */
const withId = (id: string, own: ReadonlyArray<string>, isBelowId: boolean): ReadonlyArray<string> => {
  if (isBelowId) return [id, ...own]
  return own.length === 0 ? [id] : own
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
export interface Collision {
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
