import { Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { neutralType } from "../client/naming.ts"

interface Graph {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
}

/** Adds a daily 'Schedule Trigger', left of the first node and connected to it; the node's name is unique. */
export const addScheduleTrigger = ({ nodes, connections }: Graph): Graph & { readonly added: string } => {
  const [first] = nodes
  const added = freeName("Schedule Trigger", new Set(nodes.map(({ name }) => name)))
  const trigger = {
    name: added,
    type: neutralType("scheduleTrigger"),
    typeVersion: 1.2,
    position: leftOf(first?.position),
    parameters: { rule: { interval: [{ field: "days", daysInterval: 1, triggerAtHour: 0 }] } }
  }
  const edges = Predicate.isString(first?.name)
    ? { [added]: { main: [[{ node: first.name, type: "main", index: 0 }]] } }
    : {}
  return { added, nodes: [...nodes, trigger], connections: { ...connections, ...edges } }
}

const freeName = (wanted: string, taken: ReadonlySet<unknown>): string => {
  let name = wanted
  for (let count = 1; taken.has(name); count++) name = `${wanted}${count}`
  return name
}

const leftOf = (position: unknown): readonly [number, number] => {
  const [x, y]: ReadonlyArray<unknown> = Array.isArray(position) ? position : []
  return Predicate.isNumber(x) && Predicate.isNumber(y) ? [x - 220, y] : [0, 0]
}
