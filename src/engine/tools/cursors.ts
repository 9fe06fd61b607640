import { Effect, Option, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"

import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"

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

const isHonest = ({ after = "" }: Cursor): boolean => {
  const own = Option.flatMap(Result.getSuccess(Base64.decodeString(after)), readEngineCursor)
  return Option.isNone(own) || own.value.limit === undefined || isPageSize(own.value.limit)
}

const encode = Schema.encodeSync(Cursor)
const decode = Schema.decodeUnknownOption(Cursor)

/** The opaque text of a cursor. */
export const write = (cursor: Cursor): string => Base64.encode(encode(cursor))

/** Where a list goes on: a cursor of the same list on the same instance. */
export const read = (text: string, list: string, instance: string): Effect.Effect<Cursor, InvalidArgument> => {
  const cursor = Option.filter(
    Option.flatMap(Result.getSuccess(Base64.decodeString(text)), decode),
    (cursor) => cursor.list === list && cursor.instance === instance && isHonest(cursor)
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
