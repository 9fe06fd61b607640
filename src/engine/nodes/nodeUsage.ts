import { Effect } from "effect"

import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import { firstPages } from "../client/listAll.ts"
import { textOf } from "./json.ts"

/** A node of a workflow of the instance. */
export interface UsedNode {
  readonly workflow: string
  readonly node: JsonObject
}

/** How the workflows of an instance use nodes. */
export interface Usage {
  /** Every node of the workflows that were read, by its type. */
  readonly byType: ReadonlyMap<string, ReadonlyArray<UsedNode>>
  /** Whether all workflows were read. */
  readonly isWhole: boolean
}

/** Pages that are read; who has more workflows is told of a part. */
const maxPages = 4

/** Reads the workflows of an instance, 1,000 at most. */
export const usageOf = Effect.fnUntraced(function* (engine: EngineClient["Service"]) {
  const { found, isWhole } = yield* firstPages(engine.listWorkflows, { pages: maxPages }, (page) =>
    page.flatMap(({ name, nodes }) => objectsOf(nodes).map((node): UsedNode => ({ workflow: textOf(name), node })))
  )
  const byType = new Map<string, Array<UsedNode>>()
  for (const used of found) {
    const type = textOf(used.node.type)
    const others = byType.get(type) ?? []
    others.push(used)
    byType.set(type, others)
  }
  return { byType, isWhole } satisfies Usage
})
