import { Schema } from "effect"

/** A struct that keeps the fields it does not know, so that what an upstream adds survives. */
export const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Unknown)])
