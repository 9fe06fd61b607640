import { Effect, Schema } from "effect"

/** An argument that may be left out. */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)

/** Yes or no. */
export const flag = (description: string) => Schema.Boolean.annotate({ description })

/** A text that says something. */
export const text = (description: string) =>
  Schema.String.check(Schema.isPattern(/\S/, { message: "must not be empty" })).annotate({ description })

/** How many rows of a list to show. */
export const limit = (standard: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }, { message: "must be between 1 and 500" }))
    .annotate({ description: `Rows to show, default ${standard}` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(standard)))

/** The same, where no more are shown than a model should have to read, unless it asks for them. */
export const fittingLimit = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }, { message: "must be between 1 and 500" })).annotate({
    description: "Rows to show; default: what fits into 6 kB"
  })
)

/** How many rows of a list to leave out first. */
export const offset = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be 0 or more" }))
  .annotate({ description: "Rows to skip, default 0" })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed(0)))
