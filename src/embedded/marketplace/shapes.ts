import { JsonSchema, Option, type Predicate, Schema, SchemaRepresentation } from "effect"

import requests from "./data/requests.json" with { type: "json" }

export type Wire = "published" | "spec"

type Shape = Readonly<Record<string, unknown>>

const Shape = Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
const Shapes = Schema.Record(Schema.String, Schema.Struct({ spec: Shape, published: Shape }))
const shapes = Option.getOrThrow(Schema.decodeUnknownOption(Shapes)(requests))

const fitOf = (shape: Shape): Predicate.Predicate<unknown> => {
  const schema = SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12({ ...shape }), {
    patterns: "apply"
  })
  return Schema.is(Schema.make<Schema.Codec<unknown>>(schema.ast))
}

/** Whether a body has the shape of its operation in the form of this wire; what the document does not show is as published. */
export const fits = (wire: Wire, operation: string): Predicate.Predicate<unknown> => {
  const { published = null, spec = null } = shapes[operation] ?? {}
  const shape = wire === "spec" ? (spec ?? published) : published
  return shape === null ? () => true : fitOf(shape)
}
