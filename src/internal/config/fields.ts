import { Effect, Predicate, Result, Schema } from "effect"

import { firstIssue } from "../schema/describeIssue.ts"
import { nearest } from "../texts.ts"
import { ConfigurationError } from "./ConfigurationError.ts"

/** The purpose of a field, as the page of options says it. */
export const meaning =
  (description: string) =>
  <S extends Schema.Top>(field: S): S["Rebuild"] =>
    field.annotateKey({ description })
/** A text that says something. `what` ends the sentence "expected …", here and below. */
export const text = (what: string) =>
  Schema.String.annotate({ message: what }).check(Schema.isPattern(/\S/, { message: what }))
/** A list of them. */
export const texts = (what: string) => Schema.Array(text(what)).annotate({ message: what })
/** A text of a form. */
export const matching = (pattern: RegExp, what: string) =>
  Schema.String.annotate({ message: what }).check(Schema.isPattern(pattern, { message: what }))
/** A key or a token, as HTTP headers can carry it; redacted from here on. */
export const secret = (what: string) =>
  Schema.RedactedFromValue(matching(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, `${what}, as text of printable ASCII characters`))
/** The name of an HTTP header. */
export const headerName = matching(/^[\w!#$%&'*+.^`|~-]+$/, "the name of an HTTP header")
/** Headers whose values are redacted; none by default. */
export const secretHeaders = Schema.Record(Schema.String, secret("the value of the header"))
  .annotate({ message: "an object from header names to their values" })
  .check(Schema.isPropertyNames(headerName, { message: "the name of an HTTP header" }))
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))
/** Yes or no; no by default. */
export const yesOrNo = Schema.Boolean.annotate({ message: "true or false" }).pipe(
  Schema.withDecodingDefaultKey(Effect.succeed(false))
)
/** A number within bounds, both included. */
export const number = (minimum: number, maximum: number, what: string) =>
  Schema.Number.annotate({ message: what }).check(Schema.isBetween({ minimum, maximum }, { message: what }))
/** A whole number within bounds. */
export const whole = (minimum: number, maximum: number, what: string) =>
  number(minimum, maximum, what).check(Schema.isInt({ message: what }))

/** Decodes fields that a person wrote. `place` turns the path of a field into words; values never appear in errors. */
export const decode = <A, I>(
  schema: Schema.Codec<A, I>,
  input: unknown,
  place: (path: string) => string
): Result.Result<A, ConfigurationError> =>
  Result.mapError(Schema.decodeUnknownResult(schema)(input), (error) => {
    const { path, words } = firstIssue(error)
    return new ConfigurationError({ message: `${place(path)}: expected ${words}` })
  })

/** The given fields that are no settings, each with the known name that was probably meant, if there is one. */
export const unknownFields = (
  settings: { readonly fields: object },
  given: unknown,
  aliases: ReadonlyArray<string> = []
): ReadonlyArray<UnknownField> => {
  if (!Predicate.isObject(given)) return []
  const names = [...Object.keys(settings.fields), ...aliases]
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => ({ name, meant: nearest(name, names) }))
}

/** A field of what a person wrote, whatever that is. */
export const fieldOf = (json: unknown, name: string): unknown =>
  Predicate.hasProperty(json, name) ? json[name] : undefined

/** The same fields, named from where the object that holds them stands. */
export const below = (path: string, fields: ReadonlyArray<UnknownField>): ReadonlyArray<UnknownField> =>
  fields.map((field) => ({ ...field, name: `${path}.${field.name}` }))

/** A field that no setting has. */
export interface UnknownField {
  readonly name: string
  readonly meant: string | undefined
}
