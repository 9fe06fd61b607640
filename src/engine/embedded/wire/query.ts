import { Effect, Result, Schema } from "effect"
import * as Base64 from "effect/encoding/Base64"

import { badRequest, type Refusal } from "./http.ts"

/**
 * The values that a query parameter may have. `encoded` is any text, whose reserved characters generation 1
 * refuses where they are not encoded, and of `escaped` ones generation 2 as well; `limit` a page size, a list the values of which one
 * is allowed, `moment` a time with its zone.
 */
type Parameter = "any" | "boolean" | "encoded" | "escaped" | "limit" | "moment" | ReadonlyArray<string>

export type Parameters = Readonly<Record<string, Parameter>>

/** The parameters that were given, decoded and checked. */
export type Query = ReadonlyMap<string, string>

/** Characters that must be encoded. Engines check only up to the next `=`, so that a cursor may end with some. */
const reserved = /[:/?#[\]@!$&'()*+,;]/

/** The refusal of a value in which reserved characters stand as they are. */
export const reservedProblem = ({ name, raw }: Given): string | undefined =>
  reserved.test(raw)
    ? `Parameter '${name}' must be url encoded. Its value may not contain reserved characters.`
    : undefined

/** One parameter as it was sent: its values, decoded, and the first of them as it stands in the address. */
export interface Given {
  readonly name: string
  readonly values: ReadonlyArray<string>
  readonly raw: string
}

/** Reads the query part of an address, without its `?`; the first problem of a parameter refuses the call. */
export const readQuery = (
  source: string,
  problemOf: (given: Given) => string | undefined
): Result.Result<Query, Refusal> => {
  const given = new URLSearchParams(source)
  const query = new Map<string, string>()
  for (const name of new Set(given.keys())) {
    const values = given.getAll(name)
    const raw = source.split("&").find((part) => part.startsWith(`${name}=`))
    const problem = problemOf({ name, values, raw: raw?.split("=")[1] ?? "" })
    if (problem !== undefined) return Result.fail(badRequest(problem))
    const [value = ""] = values
    if (value !== "") query.set(name, value)
  }
  return Result.succeed(query)
}

/** Rules of an engine for page sizes and the numbers in cursors. */
export interface PagingRules {
  /** The page size for the one that was asked for. */
  readonly limit: (size: number) => Result.Result<number, Refusal>
  /** The refusal of a cursor that has something else in place of a number. */
  readonly badNumber: Refusal
}

const Cursor = Schema.fromJsonString(
  Schema.Struct({
    limit: Schema.optionalKey(Schema.Unknown),
    offset: Schema.optionalKey(Schema.Unknown),
    lastId: Schema.optionalKey(Schema.Unknown)
  })
)

const decode = (cursor: string) =>
  Base64.decodeString(cursor).pipe(
    Result.flatMap(Schema.decodeUnknownResult(Cursor)),
    Result.mapError(() => badRequest("An invalid cursor was provided"))
  )

const encode = (cursor: Record<string, unknown>) => Base64.encode(JSON.stringify(cursor))

/** The cursor of a call, if it has one, and the page size. */
const begin = Effect.fnUntraced(function* (query: Query, rules: PagingRules) {
  const given = query.get("cursor")
  if (given === undefined) {
    return {
      cursor: undefined,
      limit: yield* Effect.fromResult(rules.limit(Number(query.get("limit") ?? defaultLimit)))
    }
  }
  const cursor = yield* Effect.fromResult(decode(given))
  return { cursor, limit: yield* asNumber(cursor.limit ?? defaultLimit, rules) }
})

const defaultLimit = 100

const asNumber = (value: unknown, { badNumber }: PagingRules): Effect.Effect<number, Refusal> =>
  typeof value === "number" ? Effect.succeed(value) : Effect.fail(badNumber)

/** A page by offset. The cursor holds only limit and offset, overrides the query, and is not checked. A limit of 0 or less means all rows. */
export const byOffset = Effect.fnUntraced(function* <A>(rows: ReadonlyArray<A>, query: Query, rules: PagingRules) {
  const { cursor, limit } = yield* begin(query, rules)
  const offset = yield* asNumber(cursor === undefined ? Number(query.get("offset") ?? 0) : (cursor.offset ?? 0), rules)
  const start = Math.max(offset, 0)
  const next = offset + limit
  return {
    data: limit > 0 ? rows.slice(start, start + limit) : rows.slice(start),
    nextCursor: next < rows.length ? encode({ limit, offset: next }) : null
  }
})

/** A page of rows that are sorted by descending id, after the last id of the page before. */
export const byLastId = Effect.fnUntraced(function* <A extends { readonly id: number }>(
  rows: ReadonlyArray<A>,
  query: Query,
  rules: PagingRules
) {
  const { cursor, limit } = yield* begin(query, rules)
  const lastId = Number(cursor?.lastId ?? Number.POSITIVE_INFINITY)
  const rest = rows.filter(({ id }) => id < lastId)
  const data = limit > 0 ? rest.slice(0, limit) : rest
  const last = data.at(-1)
  return {
    data,
    nextCursor: last === undefined || data.length === rest.length ? null : encode({ lastId: `${last.id}`, limit })
  }
})
