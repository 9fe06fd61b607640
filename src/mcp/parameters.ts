import { Effect, Schema } from "effect"

/** An optional argument. */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)

/** A boolean. */
export const flag = (description: string) => Schema.Boolean.annotate({ description })

/** A non-blank string. */
export const text = (description: string) =>
  Schema.String.check(Schema.isPattern(/\S/, { message: "must not be empty" })).annotate({ description })

/** A number as callers see it: its bounds stand in the refusal, not in every list of tools. */
export const shownNumber = (description: string, type: "integer" | "number" = "integer") => ({
  inputSchema: { type, description }
})

/** Number of rows of a list to return. */
export const limit = (standard: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }, { message: "must be between 1 and 500" }))
    .annotate({ description: `Rows to show, default ${standard}` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(standard)))

/** The same, with a default that a model can be expected to read. */
export const fittingLimit = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }, { message: "must be between 1 and 500" })).annotate(
    shownNumber("Rows; default what fits into 6 kB")
  )
)

/** Number of rows of a list to skip. */
export const offset = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be 0 or more" }))
  .annotate({ description: "Rows to skip, default 0" })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed(0)))
