import { Schema } from "effect"

/** An argument that may be left out. */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)

/** Yes or no. */
export const flag = (description: string) => Schema.Boolean.annotate({ description })

/** A text that says something. */
export const text = (description: string) =>
  Schema.String.check(Schema.isPattern(/\S/, { message: "must not be empty" })).annotate({ description })
