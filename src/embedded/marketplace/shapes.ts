import { JsonSchema, Option, Result, Schema, SchemaRepresentation } from "effect"

import requests from "./data/requests.json" with { type: "json" }

export type Wire = "published" | "spec"

type Check = (value: unknown) => string | undefined

/** Says what is wrong with a value, by the marketplace's own shape for it. */
const checkOf = (shape: object): Check => {
  const schema = SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12({ ...shape }), {
    patterns: "apply"
  })
  const read = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(schema.ast))
  return (value) => {
    const outcome = read(value)
    return Result.isFailure(outcome) ? outcome.failure.message : undefined
  }
}

const Shapes = Schema.Record(
  Schema.String,
  Schema.Struct({
    spec: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
    published: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
    query: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
  })
)

const shapes = Option.getOrThrow(Schema.decodeUnknownOption(Shapes)(requests))

/** What is wrong with the body of an operation, in the form of this wire; nothing where there is no shape for it. */
export const bodyChecks = (wire: Wire): ReadonlyMap<string, Check> =>
  new Map(
    Object.entries(shapes).flatMap(([operation, { [wire]: shape }]) =>
      shape === null ? [] : [[operation, checkOf(shape)] as const]
    )
  )
