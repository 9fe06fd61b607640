import { Effect, Predicate } from "effect"

import { objectsOf } from "../../internal/json/lenient.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../client/EngineClient.ts"
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
  const byType = new Map<string, Array<UsedNode>>()
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const page = yield* engine.listWorkflows(cursor === undefined ? { limit: 250 } : { limit: 250, cursor })
    for (const workflow of page.data) {
      for (const node of objectsOf(workflow.nodes)) {
        const type = textOf(node.type)
        const used = byType.get(type) ?? []
        used.push({ workflow: textOf(workflow.name), node })
        byType.set(type, used)
      }
    }
    const next = page.nextCursor
    if (!Predicate.isString(next) || next === "" || next === cursor) return { byType, isWhole: true } satisfies Usage
    cursor = next
  }
  return { byType, isWhole: false } satisfies Usage
})
