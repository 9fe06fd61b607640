import { Effect, Schema } from "effect"

import {
  headerName,
  matching,
  number,
  secret,
  secretHeaders,
  text,
  whole,
  yesOrNo
} from "../../../internal/config/fields.ts"

/** The limits that count where nothing is said. */
export const defaults = { requestsPerSecond: 90, concurrency: 10 }

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
  requestsPerSecond: number(0.1, 99, "a number from 0.1 to 99").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(defaults.requestsPerSecond))
  ),
  concurrency: whole(1, 1000, "a whole number from 1 to 1000").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(defaults.concurrency))
  ),
  headers: secretHeaders,
  caFile: Schema.optionalKey(text("the path of a PEM file")),
  proxy: Schema.optionalKey(matching(/^https?:\/\/\S+$/, "the URL of an HTTP proxy"))
}).annotate({ message: "an object with engine_host and engine_api_key" })
