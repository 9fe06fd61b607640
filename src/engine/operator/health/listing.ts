import { Effect } from "effect"

import type { EngineError } from "../../client/EngineError.ts"
import type { Execution, ExecutionQuery, Page } from "../../client/models.ts"

/** Pages that are read of a list. */
const mostPages = 4

export interface Listed {
  readonly runs: ReadonlyArray<Execution>
  readonly isMore: boolean
}

/** The executions of a list since a moment, as many as a few pages hold; older engines list earlier ones as well. */
export const pagesOf = Effect.fnUntraced(function* (
  ask: (query: Pick<ExecutionQuery, "cursor" | "limit">) => Effect.Effect<Page<Execution>, EngineError>,
  startedAfter: string
): Effect.fn.Return<Listed, EngineError> {
  const found: Array<Execution> = []
  const from = Date.parse(startedAfter)
  let cursor: string | undefined
  for (let pages = 0; pages < mostPages; pages++) {
    const page = yield* ask(cursor === undefined ? { limit: 250 } : { cursor })
    const inside = page.data.filter(({ startedAt }) => Date.parse(String(startedAt)) >= from)
    found.push(...inside)
    const next = page.nextCursor ?? ""
    if (next === "" || next === cursor || inside.length < page.data.length) return { runs: found, isMore: false }
    cursor = next
  }
  return { runs: found, isMore: true }
})
