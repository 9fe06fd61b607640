import { Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { type Address, addressesOf } from "./addresses.ts"

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
export const collisions = (workflow: Owner, other: Owner): ReadonlyArray<Collision> => {
  const taken = new Map(allAddresses(other).map((address) => [spelled(address), address.node]))
  return allAddresses(workflow).flatMap((address) => {
    const otherNode = taken.get(spelled(address))
    return otherNode === undefined ? [] : [{ node: address.node, address: spelled(address), otherNode }]
  })
}

/** Every address of a workflow; a webhook that takes several methods has one for each. */
const allAddresses = ({ id, nodes }: Owner): ReadonlyArray<Address> =>
  addressesOf({ id, nodes: nodes.flatMap(perMethod) })

const perMethod = (node: JsonObject): ReadonlyArray<JsonObject> => {
  const { parameters } = node
  if (!Predicate.isObject(parameters) || !Array.isArray(parameters.httpMethod)) return [node]
  return parameters.httpMethod.map((httpMethod: unknown) => ({ ...node, parameters: { ...parameters, httpMethod } }))
}

const spelled = ({ method, path }: Address) => `${method} ${path}`
