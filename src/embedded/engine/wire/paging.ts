import { Effect, Result, Schema } from "effect"
import * as Base64 from "effect/encoding/Base64"

import type { Query } from "./query.ts"
import { badRequest, Refusal } from "./Refusal.ts"

/** One page of a list; the last one has no cursor. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly nextCursor: string | null
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

const defaultLimit = 100

/** The page size that was asked for; a 2.x engine cuts what is too large, and what is behind the point. */
const limitOf = (query: Query, isSecond: boolean): Effect.Effect<number, Refusal> => {
  const limit = Number(query.get("limit") ?? defaultLimit)
  if (isSecond) return Effect.succeed(Math.min(Math.trunc(limit), 250))
  return Number.isInteger(limit) ? Effect.succeed(limit) : Effect.fail(badRequest("SQLITE_MISMATCH: datatype mismatch"))
}

const asNumber = (value: unknown, isSecond: boolean): Effect.Effect<number, Refusal> => {
  if (typeof value === "number") return Effect.succeed(value)
  return Effect.fail(
    isSecond
      ? new Refusal({ status: 500, message: "Internal server error" })
      : badRequest(`Provided "skip" value is not a number. Please provide a numeric value.`)
  )
}

/** A page by offset. The cursor holds only limit and offset, wins over the query, and is believed. A limit of 0 or less means all rows. */
export const byOffset = Effect.fnUntraced(function* <A>(rows: ReadonlyArray<A>, query: Query, isSecond: boolean) {
  const given = query.get("cursor")
  const cursor = given === undefined ? undefined : yield* Effect.fromResult(decode(given))
  const limit =
    cursor === undefined ? yield* limitOf(query, isSecond) : yield* asNumber(cursor.limit ?? defaultLimit, isSecond)
  const offset = yield* asNumber(
    cursor === undefined ? Number(query.get("offset") ?? 0) : (cursor.offset ?? 0),
    isSecond
  )
  const start = Math.max(offset, 0)
  const next = offset + limit
  return {
    data: limit > 0 ? rows.slice(start, start + limit) : rows.slice(start),
    nextCursor: next < rows.length ? encode({ limit, offset: next }) : null
  }
})

/** A page of rows that are sorted by descending id, behind the last id of the page before. */
export const byLastId = Effect.fnUntraced(function* <A extends { readonly id: number }>(
  rows: ReadonlyArray<A>,
  query: Query,
  isSecond: boolean
) {
  const given = query.get("cursor")
  const cursor = given === undefined ? undefined : yield* Effect.fromResult(decode(given))
  const limit =
    cursor === undefined ? yield* limitOf(query, isSecond) : yield* asNumber(cursor.limit ?? defaultLimit, isSecond)
  const lastId = Number(cursor?.lastId ?? Number.POSITIVE_INFINITY)
  const rest = rows.filter(({ id }) => id < lastId)
  const data = limit > 0 ? rest.slice(0, limit) : rest
  const last = data.at(-1)
  return {
    data,
    nextCursor: last === undefined || data.length === rest.length ? null : encode({ lastId: `${last.id}`, limit })
  }
})
