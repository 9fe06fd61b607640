import { Predicate, Schema } from "effect"

/** A struct that keeps the fields it does not know, so that what the marketplace adds survives. */
export const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Unknown)])

/** Whatever answers a change, as the document does not show it; but a page is the answer of something in between. */
export const Done = Schema.Unknown.check(
  Schema.makeFilter((answer) => !Predicate.isString(answer) || !answer.trimStart().startsWith("<"), {
    message: "must not be a page"
  })
)
