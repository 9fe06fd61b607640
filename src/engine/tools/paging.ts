import { Effect, Result, Schema, Option } from "effect"
import { Base64 } from "effect/encoding"

import { fitted } from "../../internal/json/values.ts"
import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { EngineClient } from "../client/EngineClient.ts"
import type { Page, PageQuery } from "../workflow/models.ts"

interface Listing<Filters extends JsonObject, Item extends JsonObject, E> {
  /** Name of the tool, kept in its cursors. */
  readonly list: string
  readonly filters: Schema.Codec<Filters, unknown>
  readonly given: Filters
  readonly cursor: string | undefined
  readonly limit: number
  readonly fetch: (filters: Filters, query: PageQuery) => Effect.Effect<Page<Item>, E, EngineClient>
  /** Checks what the engine's own filter is not to be trusted with. */
  readonly keep?: (item: Item, filters: Filters) => boolean
  /** Whether no later page can hold matches. */
  readonly isOver?: (items: ReadonlyArray<Item>, filters: Filters) => boolean
  readonly show: (item: Item, filters: Filters) => JsonObject
  /** Bytes of the items that are shown; by default any number. */
  readonly room?: number
}

/** Pages that a strict filter may leave empty before the caller is asked to go on by itself. */
const maxEmptyPages = 20

/** One page of a list. It is only empty when the list is over, or when a long search found nothing yet. */
export const listPage = Effect.fnUntraced(function* <Filters extends JsonObject, Item extends JsonObject, E>(
  listing: Listing<Filters, Item, E>
) {
  const { fetch, isOver = () => false, keep = () => true, list, room = Infinity, show } = listing
  const { instance } = yield* EngineClient
  const { filters, limit, ...place } = yield* start(listing, instance)
  const cursorAt = (at: Place) => write({ list, instance, limit, filters, ...at })
  let { after, skip } = place

  for (let pages = 1; ; pages++) {
    const page = yield* fetch(filters, after === undefined ? { limit } : { cursor: after })
    const matches = page.data.filter((item) => keep(item, filters)).slice(skip)
    const data = fitted(
      matches.slice(0, limit).map((item) => show(item, filters)),
      room
    )
    if (matches.length > data.length) {
      return { data, nextCursor: cursorAt({ ...(after === undefined ? {} : { after }), skip: skip + data.length }) }
    }
    const next = page.nextCursor ?? ""
    if (next === "" || next === after || isOver(page.data, filters)) return { data }
    if (data.length > 0) return { data, nextCursor: cursorAt({ after: next, skip: 0 }) }
    if (pages >= maxEmptyPages) {
      const notice = `Nothing was found on ${pages} pages, and there are more: go on with nextCursor.`
      return { notice, data, nextCursor: cursorAt({ after: next, skip: 0 }) }
    }
    after = next
    skip = 0
  }
})

/** A place in an engine's list: a page, and how many of its items are done. */
interface Place {
  readonly after?: string
  readonly skip: number
}

/** The beginning of a new list, or the place and the filters that a cursor carries. */
const start = Effect.fnUntraced(function* <Filters extends JsonObject, Item extends JsonObject, E>(
  { cursor, filters, given, limit, list }: Listing<Filters, Item, E>,
  instance: string
): Effect.fn.Return<Place & { readonly limit: number; readonly filters: Filters }, InvalidArgument> {
  if (cursor === undefined) return { skip: 0, limit, filters: given }
  const carried = yield* read(cursor, list, instance)
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
  return { ...carried, filters: decoded.success }
})

const pageSize = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 250 }))

/**
 * Engine cursors forget their filters, so ours carry both, beside which list they continue. `after` is the engine's
 * cursor of the page to go on with, none for the first one; `skip` are the items of that page already shown, where the
 * engine sends more at once than it is asked for. To the caller they are opaque.
 */
const Cursor = Schema.fromJsonString(
  Schema.Struct({
    list: Schema.String,
    instance: Schema.String,
    after: Schema.optionalKey(Schema.NonEmptyString),
    skip: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    limit: pageSize,
    filters: JsonObject
  })
)
type Cursor = typeof Cursor.Type

/** Engines believe the page size in their own cursors, where 0 means everything. */
const EngineCursor = Schema.fromJsonString(Schema.Struct({ limit: Schema.optionalKey(Schema.Unknown) }))
const readEngineCursor = Schema.decodeUnknownOption(EngineCursor)
const isPageSize = Schema.is(pageSize)

const hasValidPageSize = ({ after = "" }: Cursor): boolean => {
  const engineCursor = Option.flatMap(Result.getSuccess(Base64.decodeString(after)), readEngineCursor)
  return Option.isNone(engineCursor) || engineCursor.value.limit === undefined || isPageSize(engineCursor.value.limit)
}

const encode = Schema.encodeSync(Cursor)
const decode = Schema.decodeUnknownOption(Cursor)

/** The opaque text of a cursor. */
const write = (cursor: Cursor): string => Base64.encode(encode(cursor))

/** Reads a cursor, which has to be one of the same list on the same instance. */
const read = (text: string, list: string, instance: string): Effect.Effect<Cursor, InvalidArgument> => {
  const cursor = Option.filter(
    Option.flatMap(Result.getSuccess(Base64.decodeString(text)), decode),
    (cursor) => cursor.list === list && cursor.instance === instance && hasValidPageSize(cursor)
  )
  return Option.match(cursor, {
    onNone: () =>
      Effect.fail(
        new InvalidArgument({
          argument: "cursor",
          problem: `must be the nextCursor of an earlier ${list} on instance ${instance}`
        })
      ),
    onSome: Effect.succeed
  })
}
