import { Effect, Option, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"

import { Free } from "../engine/Workflow.ts"
import { InvalidArgument } from "./ToolError.ts"

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
    skip: Schema.Int,
    limit: Schema.Int,
    filters: Free
  })
)
type Cursor = typeof Cursor.Type

const encode = Schema.encodeSync(Cursor)
const decode = Schema.decodeUnknownOption(Cursor)

/** The opaque text of a cursor. */
export const write = (cursor: Cursor): string => Base64.encode(encode(cursor))

/** Where a list goes on: a cursor of the same list on the same instance. */
export const read = (text: string, list: string, instance: string): Effect.Effect<Cursor, InvalidArgument> => {
  const cursor = Option.filter(
    Option.flatMap(Result.getSuccess(Base64.decodeString(text)), decode),
    (cursor) => cursor.list === list && cursor.instance === instance
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
