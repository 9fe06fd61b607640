import { Effect, Schema } from "effect"

import {
  matching,
  number,
  secret,
  type Stranger,
  text,
  unknownFields,
  whole,
  yesOrNo
} from "../../internal/config/fields.ts"
import { fieldAliases } from "./aliases.ts"

const headerName = matching(/^[\w!#$%&'*+.^`|~-]+$/, "the name of an HTTP header")

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

/** Fields of a given instance that no setting has. */
export const unknownInstanceFields = (given: unknown): ReadonlyArray<Stranger> =>
  unknownFields(InstanceFields, given, [...fieldAliases.keys()])
