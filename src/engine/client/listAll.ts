import { Array as Arrays, Effect, Schema } from "effect"

import type { EngineError } from "./EngineError.ts"
import { type Page, type PageQuery, Workflow } from "./models.ts"

/** Pages at most: an engine that leads on for ever is not followed. */
const maxPages = 1000

/** All items of a list, page by page; a cursor that comes again ends it. `report` is told how many there are so far. */
export const listAll = Effect.fnUntraced(function* <A>(
  list: (query: PageQuery) => Effect.Effect<Page<A>, EngineError>,
  report: (count: number) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<ReadonlyArray<A>, EngineError> {
  const all: Array<A> = []
  const seen = new Set<string>()
  let query: PageQuery = { limit: 250 }
  for (let pages = 0; pages < maxPages; pages++) {
    const { data, nextCursor: cursor } = yield* list(query)
    for (const item of data) all.push(item)
    yield* report(all.length)
    if (typeof cursor !== "string" || cursor === "" || seen.has(cursor)) break
    seen.add(cursor)
    query = { limit: 250, cursor }
  }
  return all
})

const decode = Schema.decodeUnknownOption(Workflow)

/** The workflows of a list; an item that has not the shape of one is left out. */
export const workflowsIn = (items: ReadonlyArray<unknown>): ReadonlyArray<Workflow> =>
  Arrays.getSomes(items.map((item) => decode(item)))
