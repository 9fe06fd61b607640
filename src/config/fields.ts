import { Effect, Predicate, Result, Schema } from "effect"

import { fieldAliases } from "./aliases.ts"
import { ConfigurationError } from "./ConfigurationError.ts"
import { firstIssue } from "./firstIssue.ts"
import { nearest } from "./nearest.ts"
import { toolsets } from "./Settings.ts"

const text = (what: string) =>
  Schema.String.annotate({ message: what }).check(Schema.isPattern(/\S/, { message: what }))
const texts = (what: string) => Schema.Array(text(what)).annotate({ message: what })
const matching = (pattern: RegExp, what: string) =>
  Schema.String.annotate({ message: what }).check(Schema.isPattern(pattern, { message: what }))
const secret = (what: string) =>
  Schema.RedactedFromValue(matching(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, `${what}, as text of printable ASCII characters`))
const headerName = matching(/^[\w!#$%&'*+.^`|~-]+$/, "the name of an HTTP header")
const yesOrNo = Schema.Boolean.annotate({ message: "true or false" }).pipe(
  Schema.withDecodingDefaultKey(Effect.succeed(false))
)
const number = (minimum: number, maximum: number, what: string) =>
  Schema.Number.annotate({ message: what }).check(Schema.isBetween({ minimum, maximum }, { message: what }))
const whole = (minimum: number, maximum: number, what: string) =>
  number(minimum, maximum, what).check(Schema.isInt({ message: what }))

/** One instance in the configuration file, under the contract's own field names. */
export const InstanceFields = Schema.Struct({
  engine_host: text("the base URL of the instance as text").pipe(
    Schema.annotateKey({ messageMissingKey: "the base URL of the instance, and there is none" })
  ),
  engine_api_key: secret("the API key of the instance").pipe(
    Schema.annotateKey({ messageMissingKey: "the API key of the instance, and there is none" })
  ),
  engine_api_key_header: Schema.optionalKey(headerName),
  readOnly: yesOrNo,
  allowInsecureHttp: yesOrNo,
  requestsPerSecond: number(0.1, 99, "a number from 0.1 to 99").pipe(Schema.withDecodingDefaultKey(Effect.succeed(90))),
  concurrency: whole(1, 1000, "a whole number from 1 to 1000").pipe(Schema.withDecodingDefaultKey(Effect.succeed(10))),
  headers: Schema.Record(Schema.String, secret("the value of the header"))
    .annotate({ message: "an object from header names to their values" })
    .check(Schema.isPropertyNames(headerName, { message: "the name of an HTTP header" }))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  caFile: Schema.optionalKey(text("the path of a PEM file")),
  proxy: Schema.optionalKey(matching(/^https?:\/\/\S+$/, "the URL of an HTTP proxy"))
}).annotate({ message: "an object with engine_host and engine_api_key" })

/** How the server itself listens over HTTP. */
export const HttpFields = Schema.Struct({
  port: Schema.optionalKey(whole(0, 65535, "a port number from 0 to 65535")),
  host: Schema.optionalKey(text("the address to listen on as text")),
  authToken: Schema.optionalKey(secret("the token that callers must send")),
  authTokenFile: Schema.optionalKey(text("the name of a file with that token")),
  allowedHosts: texts("a list of host names").pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  allowedOrigins: texts("a list of origins").pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
}).annotate({ message: "an object" })

/** The configuration file around its instances, which are read one by one. */
export const FileFields = Schema.Struct({
  environments: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      message: "an object from instance names to their settings"
    })
  ),
  defaultEnv: Schema.optionalKey(text("the name of an instance as text")),
  http: HttpFields.pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  readOnly: yesOrNo,
  toolsets: Schema.Array(Schema.Literals(toolsets).annotate({ message: `one of ${toolsets.join(", ")}` }))
    .annotate({ message: "a list of toolset names" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  answerLimit: Schema.optionalKey(whole(1000, 1_000_000_000, "a whole number of bytes from 1000")),
  marketplace: Schema.optionalKey(Schema.Unknown)
}).annotate({ message: "an object with environments and defaultEnv" })

/** Reads fields that a person wrote. `place` turns the path of a field into words; what was found is never repeated. */
export const decode = <A, I>(
  schema: Schema.Codec<A, I>,
  input: unknown,
  place: (path: string) => string
): Result.Result<A, ConfigurationError> =>
  Result.mapError(Schema.decodeUnknownResult(schema)(input), (error) => {
    const { path, words } = firstIssue(error)
    return new ConfigurationError({ message: `${place(path)}: expected ${words}` })
  })

/** Names of given fields that no setting has, each with the known name that was probably meant, if there is one. */
export const unknownFields = (known: { readonly fields: object }, given: unknown): ReadonlyArray<Stranger> => {
  if (!Predicate.isObject(given)) return []
  const own = Object.keys(known.fields)
  const aliases = [...fieldAliases].flatMap(([alias, name]) => (own.includes(name) ? [alias] : []))
  const names = [...own, ...aliases]
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => ({ name, meant: nearest(name, names) }))
}

/** A field that no setting has. */
export interface Stranger {
  readonly name: string
  readonly meant: string | undefined
}
