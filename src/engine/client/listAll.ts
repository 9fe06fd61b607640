import { Effect, Option, Schema } from "effect"

import { inSlices } from "../../internal/effects.ts"
import { weightOfJson } from "../../internal/json/values.ts"
import { mapSliced } from "../../internal/Sliced.ts"
import { type Page, type PageQuery, Workflow, isWorkflow } from "../workflow/models.ts"
import { type EngineError, ForeignAnswer } from "./EngineError.ts"

/** The part of a list to read. */
export interface Extent {
  readonly pages: number
  /** Items per page; by default the engine's own. */
  readonly limit?: number
  /** Whether no more pages are needed, by the number of picked and of all items so far. */
  readonly isEnough?: (picked: number, all: number) => boolean
}

/** The picked items of the pages that were read, and whether these were all that exist or are needed. */
interface FirstPages<B> {
  readonly matches: ReadonlyArray<B>
  readonly isWhole: boolean
}

/**
 * Reads a list page by page and keeps only what `pick` takes, so that long lists need no memory for the rest, and others have
 * their turn between its items. A repeated cursor ends the list.
 */
export const firstPages = Effect.fnUntraced(function* <A, B, E>(
  list: (query: PageQuery) => Effect.Effect<Page<A>, E>,
  { isEnough = () => false, limit = 250, pages }: Extent,
  pick: (items: ReadonlyArray<A>) => ReadonlyArray<B>
): Effect.fn.Return<FirstPages<B>, E> {
  const matches: Array<B> = []
  const seen = new Set<string>()
  let query: PageQuery = { limit }
  for (let page = 0; page < pages; page++) {
    const { data, nextCursor: cursor } = yield* list(query)
    const picked = (yield* inSlices(() => mapSliced(data, (item) => pick([item]), weightOfJson))).flat()
    for (const item of picked) matches.push(item)
    const isLast = typeof cursor !== "string" || cursor === "" || seen.has(cursor)
    if (isLast || isEnough(picked.length, data.length)) return { matches, isWhole: true }
    seen.add(cursor)
    query = { limit, cursor }
  }
  return { matches, isWhole: false }
})

/** The same for a list that not every engine has; `None` if this one does not. */
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

/** A `pick` that takes all items. */
export const everything = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> => items

/** Most pages: an engine with an endless list is not followed forever. */
const maxPages = 1000

/** All items of a list. `report` is called with the number of items so far. */
export const listAll = <A>(
  list: (query: PageQuery) => Effect.Effect<Page<A>, EngineError>,
  report: (count: number) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<ReadonlyArray<A>, EngineError> =>
  Effect.suspend(() => {
    let count = 0
    const reported = (query: PageQuery) => Effect.tap(list(query), ({ data }) => report((count += data.length)))
    return Effect.map(firstPages(reported, { pages: maxPages }, everything), ({ matches }) => matches)
  })

/**
 * A page of a list from which it follows what an instance does not have. Engines say of each page whether another one follows: an
 * empty one that does not is somebody else's, and proves nothing.
 */
export const provingPage =
  ({ instance }: { readonly instance: string }) =>
  <A>(page: Effect.Effect<Page<A>, EngineError>): Effect.Effect<Page<A>, EngineError> =>
    Effect.filterOrFail(
      page,
      ({ data, nextCursor }) => data.length > 0 || nextCursor !== undefined,
      () => endless(instance)
    )

/** All items of a list from which it follows what an instance does not have. */
export const listWhole = <A>(
  client: { readonly instance: string },
  list: (query: PageQuery) => Effect.Effect<Page<A>, EngineError>,
  report?: (count: number) => Effect.Effect<void>
): Effect.Effect<ReadonlyArray<A>, EngineError> => listAll((query) => provingPage(client)(list(query)), report)

/** The same for a list that not every engine has; `None` if this one does not. */
export const listWholeIfSupported = <A>(
  client: { readonly instance: string },
  list: (query: PageQuery) => Effect.Effect<Option.Option<Page<A>>, EngineError>
): Effect.Effect<Option.Option<ReadonlyArray<A>>, EngineError> =>
  listAllIfSupported((query) =>
    Effect.flatMap(
      list(query),
      Option.match({
        onNone: () => Effect.succeed(Option.none()),
        onSome: (page) => Effect.asSome(provingPage(client)(Effect.succeed(page)))
      })
    )
  )

/** The error for a list of which nobody can tell whether it is whole. */
export const endless = (instance: string) =>
  new ForeignAnswer({
    instance,
    httpStatus: 200,
    kind: "other JSON",
    problem:
      `the list that instance ${instance} answers has no end that an engine's list has: it does not prove what is missing. ` +
      "Look at what is in front of the engine, and try again in a moment",
    apiResponse: null
  })

/** All items of a list that not every engine has; `None` if this one does not. */
export const listAllIfSupported = <A>(
  list: (query: PageQuery) => Effect.Effect<Option.Option<Page<A>>, EngineError>
): Effect.Effect<Option.Option<ReadonlyArray<A>>, EngineError> =>
  Effect.map(
    firstPagesIfSupported(list, { pages: maxPages }, everything),
    Option.map(({ matches }) => matches)
  )

const decode = Schema.decodeUnknownOption(Workflow)

/** The workflows of a list, without items that do not have the shape of one. */
export const workflowsIn = (items: ReadonlyArray<unknown>): ReadonlyArray<Workflow> =>
  items.flatMap((item) => (isWorkflow(item) ? [item] : Option.toArray(decode(item))))
