import { Effect } from "effect"

import type { EngineError } from "../client/EngineError.ts"
import type { Page, PageQuery } from "../client/models.ts"

/** Pages at most: an engine that leads on for ever is not followed. */
const maxPages = 1000

/** All items of a list, page by page; a cursor that comes again ends it. */
export const listAll = Effect.fnUntraced(function* <A>(
  list: (query: PageQuery) => Effect.Effect<Page<A>, EngineError>
): Effect.fn.Return<ReadonlyArray<A>, EngineError> {
  const all: Array<A> = []
  const seen = new Set<string>()
  let query: PageQuery = { limit: 250 }
  for (let pages = 0; pages < maxPages; pages++) {
    const { data, nextCursor: cursor } = yield* list(query)
    all.push(...data)
    if (typeof cursor !== "string" || cursor === "" || seen.has(cursor)) break
    seen.add(cursor)
    query = { limit: 250, cursor }
  }
  return all
})
