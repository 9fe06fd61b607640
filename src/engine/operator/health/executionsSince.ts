import { Effect } from "effect"

import type { EngineError } from "../../client/EngineError.ts"
import { firstPages } from "../../client/listAll.ts"
import type { Execution, Page, PageQuery } from "../../workflow/models.ts"

/** Pages that are read of a list. */
const mostPages = 4

export interface Listed {
  readonly runs: ReadonlyArray<Execution>
  readonly isMore: boolean
}

/** The executions of a list since a moment, as many as a few pages hold; older engines list earlier ones as well. */
export const executionsSince = (
  list: (query: PageQuery) => Effect.Effect<Page<Execution>, EngineError>,
  startedAfter: string
): Effect.Effect<Listed, EngineError> => {
  const from = Date.parse(startedAfter)
  return Effect.map(
    firstPages(list, { pages: mostPages, isEnough: (later, all) => later < all }, (executions) =>
      executions.filter(({ startedAt }) => Date.parse(String(startedAt)) >= from)
    ),
    ({ matches, isWhole }) => ({ runs: matches, isMore: !isWhole })
  )
}
