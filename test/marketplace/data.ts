import { readFileSync } from "node:fs"

import { Schema } from "effect"

const read = <S extends Schema.Codec<unknown, unknown>>(name: string, schema: S): S["Type"] =>
  Schema.decodeUnknownSync(schema)(JSON.parse(readFileSync(new URL(`./data/${name}.json`, import.meta.url), "utf8")))

const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

export const examples = read(
  "examples",
  Schema.Array(Schema.Struct({ operation: Schema.String, kind: Schema.String, value: Schema.Unknown }))
)

export const errors = read(
  "errors",
  Schema.Array(
    Schema.Struct({
      operation: Schema.String,
      status: Schema.Int,
      case: Schema.NullOr(Schema.String),
      contentType: Schema.String,
      body: Schema.Unknown
    })
  )
)

const Limit = Schema.Struct({ limit: Schema.Int, periodMs: Schema.Int, intervalMs: Schema.Int, burst: Schema.Int })

export const rateLimits = read(
  "rate-limits",
  Schema.Array(Schema.Struct({ operation: Schema.String, limits: Schema.Record(Schema.String, Limit) }))
)

const operation = {
  method: Schema.Literals(["DELETE", "GET", "PATCH", "POST", "PUT"]),
  path: Schema.String,
  request: Schema.optionalKey(Schema.NullOr(JsonObject)),
  response: Schema.optionalKey(Schema.NullOr(JsonObject))
}

export const specOperations = read(
  "spec-operations",
  Schema.Struct({ operations: Schema.Array(Schema.Struct(operation)) })
).operations

export const publishedOperations = read(
  "published-operations",
  Schema.Struct({
    operations: Schema.Array(
      Schema.Struct({
        ...operation,
        query: Schema.NullOr(
          Schema.Record(Schema.String, Schema.Struct({ required: Schema.Boolean, schema: JsonObject }))
        ),
        /** By status: the shape of a refusal. */
        refusals: Schema.Record(Schema.String, Schema.Struct({ contentType: Schema.String, schema: JsonObject }))
      })
    )
  })
).operations
