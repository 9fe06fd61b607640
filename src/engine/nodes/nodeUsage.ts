import { Effect, Predicate } from "effect"

import { clipped } from "../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, objectsOf, textOf } from "../../internal/schema/JsonObject.ts"
import { maskSecrets } from "../../internal/secrets/maskSecrets.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import { firstPages } from "../client/listAll.ts"

/** A node of a workflow of the instance. */
export interface UsedNode {
  readonly workflow: string
  readonly node: JsonObject
}

/** The uses of nodes in the workflows of an instance. */
export interface Usage {
  /** Every node of the workflows that were read, by its type. */
  readonly byType: ReadonlyMap<string, ReadonlyArray<UsedNode>>
  /** Whether all workflows were read. */
  readonly isWhole: boolean
}

/** Most pages that are read; a larger instance is read in part. */
const maxPages = 4

/** Reads the workflows of an instance, 1,000 at most. */
export const usageOf = Effect.fnUntraced(function* (engine: EngineClient["Service"]) {
  const { matches: usedNodes, isWhole } = yield* firstPages(engine.listWorkflows, { pages: maxPages }, (page) =>
    page.flatMap(({ name, nodes }) => objectsOf(nodes).map((node): UsedNode => ({ workflow: textOf(name), node })))
  )
  const byType = new Map<string, Array<UsedNode>>()
  for (const used of usedNodes) {
    const type = textOf(used.node.type)
    const others = byType.get(type) ?? []
    others.push(used)
    byType.set(type, others)
  }
  return { byType, isWhole } satisfies Usage
})

/** Longest text, longest list and deepest object of a sample. */
const most = { text: 160, items: 3, depth: 6 }

/** A value as an example for others: without secrets, and cut where it is long. */
export const sampleOf = (value: unknown): unknown => shorten(maskSecrets(value), 0)

const shorten = (value: unknown, depth: number): unknown => {
  if (Predicate.isString(value)) return clipped(value, most.text)
  if (!Predicate.isObjectOrArray(value)) return value
  if (depth >= most.depth) return "…"
  if (Array.isArray(value)) {
    const items = value.slice(0, most.items).map((item) => shorten(item, depth + 1))
    return value.length > most.items ? [...items, `… ${value.length - most.items} more`] : items
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shorten(one, depth + 1)]))
    : "…"
}
