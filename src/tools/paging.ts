import { Effect, Result, Schema } from "effect"

import { EngineClient } from "../engine/EngineClient.ts"
import type { Page, PageQuery } from "../engine/Page.ts"
import type { Free } from "../engine/Workflow.ts"
import * as Cursors from "./cursors.ts"
import { InvalidArgument } from "./ToolError.ts"

interface Listing<Filters extends Free, Item extends Free, E> {
  /** Name of the tool, kept in its cursors. */
  readonly list: string
  readonly filters: Schema.Codec<Filters, unknown>
  readonly given: Filters
  readonly cursor: string | undefined
  readonly limit: number
  readonly fetch: (filters: Filters, query: PageQuery) => Effect.Effect<Page<Item>, E, EngineClient>
  /** Checks what the engine's own filter is not to be trusted with. */
  readonly keep?: (item: Item, filters: Filters) => boolean
  readonly show: (item: Item) => Free
}

/** Pages that a strict filter may leave empty before the caller is asked to go on by itself. */
const longestSearch = 20

/** One page of a list. It is only empty when the list is over, or when a long search found nothing yet. */
export const listPage = Effect.fnUntraced(function* <Filters extends Free, Item extends Free, E>(
  listing: Listing<Filters, Item, E>
) {
  const { fetch, keep = () => true, limit, list, show } = listing
  const { instance } = yield* EngineClient
  let { after, filters } = yield* start(listing, instance)

  for (let pages = 1; ; pages++) {
    const page = yield* fetch(filters, after === undefined ? { limit } : { cursor: after })
    const data = page.data.filter((item) => keep(item, filters)).map(show)
    const next = page.nextCursor ?? ""
    if (next === "" || next === after) return { data }
    if (data.length > 0 || pages >= longestSearch) {
      return { data, nextCursor: Cursors.write({ list, instance, after: next, filters }) }
    }
    after = next
  }
})

/** The beginning of a new list, or the place and the filters that a cursor carries. */
const start = Effect.fnUntraced(function* <Filters extends Free, Item extends Free, E>(
  { cursor, filters, given, list }: Listing<Filters, Item, E>,
  instance: string
): Effect.fn.Return<{ readonly after: string | undefined; readonly filters: Filters }, InvalidArgument> {
  if (cursor === undefined) return { after: undefined, filters: given }
  const carried = yield* Cursors.read(cursor, list, instance)
  const decoded = Schema.decodeUnknownResult(filters)(carried.filters)
  const isSameList = Object.entries(given).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(carried.filters[name])
  )
  if (Result.isFailure(decoded) || !isSameList) {
    return yield* new InvalidArgument({
      argument: "cursor",
      problem: "belongs to a list with other filters; give it alone"
    })
  }
  return { after: carried.after, filters: decoded.success }
})
