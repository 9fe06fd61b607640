import { Array as Arrays, Effect, Option, Schema } from "effect"

import type { EngineError } from "./EngineError.ts"
import { type Page, type PageQuery, Workflow } from "./models.ts"

/** How much of a list is read at most. */
export interface Extent {
  readonly pages: number
  /** Items of one page; as many as engines give where it is left out. */
  readonly limit?: number
  /** Whether no later page is wanted, by how many items were picked of a page with so many. */
  readonly isEnough?: (picked: number, all: number) => boolean
}

/** What was found on the pages that were read, and whether these were all that are there or wanted. */
export interface FirstPages<B> {
  readonly found: ReadonlyArray<B>
  readonly isWhole: boolean
}

/**
 * Reads a list page by page and keeps of each what `pick` takes, so that long lists need no memory for the rest. A cursor
 * that comes again ends the list.
 */
export const firstPages = Effect.fnUntraced(function* <A, B, E>(
  list: (query: PageQuery) => Effect.Effect<Page<A>, E>,
  { isEnough = () => false, limit = 250, pages }: Extent,
  pick: (items: ReadonlyArray<A>) => ReadonlyArray<B>
): Effect.fn.Return<FirstPages<B>, E> {
  const found: Array<B> = []
  const seen = new Set<string>()
  let query: PageQuery = { limit }
  for (let page = 0; page < pages; page++) {
    const { data, nextCursor: cursor } = yield* list(query)
    const picked = pick(data)
    for (const item of picked) found.push(item)
    const isLast = typeof cursor !== "string" || cursor === "" || seen.has(cursor)
    if (isLast || isEnough(picked.length, data.length)) return { found, isWhole: true }
    seen.add(cursor)
    query = { limit, cursor }
  }
  return { found, isWhole: false }
})

/** The same of a list that not every engine has; nothing where this one has not. */
export const firstPagesIfSupported = <A, B, E>(
  list: (query: PageQuery) => Effect.Effect<Option.Option<Page<A>>, E>,
  extent: Extent,
  pick: (items: ReadonlyArray<A>) => ReadonlyArray<B>
): Effect.Effect<Option.Option<FirstPages<B>>, E> =>
  Effect.gen(function* () {
    const first = yield* list({ limit: extent.limit ?? 250 })
    if (Option.isNone(first)) return Option.none()
    const rest = (query: PageQuery) =>
      query.cursor === undefined
        ? Effect.succeed(first.value)
        : Effect.map(
            list(query),
            Option.getOrElse((): Page<A> => ({ data: [] }))
          )
    return Option.some(yield* firstPages(rest, extent, pick))
  })

/** What `firstPages` picks where everything is wanted. */
export const everything = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> => items

/** Pages at most: an engine that leads on for ever is not followed. */
const maxPages = 1000

/** All items of a list. `report` is told how many there are so far. */
export const listAll = <A>(
  list: (query: PageQuery) => Effect.Effect<Page<A>, EngineError>,
  report: (count: number) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<ReadonlyArray<A>, EngineError> =>
  Effect.suspend(() => {
    let count = 0
    const reported = (query: PageQuery) => Effect.tap(list(query), ({ data }) => report((count += data.length)))
    return Effect.map(firstPages(reported, { pages: maxPages }, everything), ({ found }) => found)
  })

/** The same of a list that not every engine has; nothing where this one has not. */
export const listAllIfSupported = <A>(
  list: (query: PageQuery) => Effect.Effect<Option.Option<Page<A>>, EngineError>
): Effect.Effect<Option.Option<ReadonlyArray<A>>, EngineError> =>
  Effect.map(
    firstPagesIfSupported(list, { pages: maxPages }, everything),
    Option.map(({ found }) => found)
  )

const decode = Schema.decodeUnknownOption(Workflow)

/** The workflows of a list; an item that has not the shape of one is left out. */
export const workflowsIn = (items: ReadonlyArray<unknown>): ReadonlyArray<Workflow> =>
  Arrays.getSomes(items.map((item) => decode(item)))
