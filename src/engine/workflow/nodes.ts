import { Predicate, Struct } from "effect"

import { grouped } from "../../internal/collections.ts"
import { digest } from "../../internal/json/digest.ts"
import { type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"

/** The name of a node, "" if it has none. */
export const nameOf = ({ name }: JsonObject): string => (Predicate.isString(name) ? name : "")

/** The nodes of two workflows: those that are in both, under one name or two, and the others. */
export interface NodePairs {
  readonly both: ReadonlyArray<readonly [before: JsonObject, after: JsonObject]>
  readonly removed: ReadonlyArray<JsonObject>
  readonly added: ReadonlyArray<JsonObject>
}

/** The nodes of a workflow, whatever else stands between them. */
export const nodesOf = ({ nodes }: JsonObject): ReadonlyArray<JsonObject> => objectsOf(nodes)

/** Pairs nodes by their names, then what is left by their ids, then by what they are and do: these were renamed. */
export const pairNodes = (before: ReadonlyArray<JsonObject>, after: ReadonlyArray<JsonObject>): NodePairs => {
  const byName = pairBy(before, after, nameOf)
  const byId = pairBy(byName.removed, byName.added, ({ id, type }) =>
    typeof id === "string" && id !== "" ? JSON.stringify([id, type]) : undefined
  )
  const byContent = pairBy(byId.removed, byId.added, (node) => digest(contentOf(node)))
  return { ...byContent, both: [...byName.both, ...byId.both, ...byContent.both] }
}

/** Pairs what has the same key; where several have it, in their order. */
const pairBy = (
  before: ReadonlyArray<JsonObject>,
  after: ReadonlyArray<JsonObject>,
  keyOf: (node: JsonObject) => string | undefined
): NodePairs => {
  const waiting = new Map([...grouped(after, keyOf)].map(([key, nodes]) => [key, nodes.values()]))
  const both: Array<readonly [JsonObject, JsonObject]> = []
  const removed = before.filter((node) => {
    const key = keyOf(node)
    const partner = key === undefined ? undefined : waiting.get(key)?.next().value
    if (partner !== undefined) both.push([node, partner])
    return partner === undefined
  })
  const taken = new Set(both.map(([, node]) => node))
  return { both, removed, added: after.filter((node) => !taken.has(node)) }
}

/** The type and work of a node, whatever its name and position. */
const contentOf = (node: JsonObject) => Struct.omit(node, ["id", "name", "position", "webhookId"])

/** The new names of renamed nodes, by their old ones. */
export const renamesIn = ({ both }: NodePairs): ReadonlyMap<string, string> =>
  new Map(
    both.flatMap(([before, after]): ReadonlyArray<readonly [string, string]> =>
      nameOf(before) === nameOf(after) ? [] : [[nameOf(before), nameOf(after)]]
    )
  )

/** A credential without its values. */
export interface Credential {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** The credentials that workflows name in their nodes, each once. One that is called as its own id was written without its name. */
export const credentialsIn = (workflows: ReadonlyArray<JsonObject>): ReadonlyArray<Credential> => {
  const all = workflows.flatMap(nodesOf).flatMap(({ credentials }) =>
    Object.entries(objectOf(credentials)).flatMap(([type, given]): ReadonlyArray<Credential> => {
      const { id, name } = objectOf(given)
      return Predicate.isString(id) && Predicate.isString(name) && id !== name ? [{ id, name, type }] : []
    })
  )
  return [...new Map(all.map((one) => [`${one.type} ${one.id}`, one])).values()]
}
