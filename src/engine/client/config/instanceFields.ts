import { Effect, Schema } from "effect"

import {
  headerName,
  matching,
  meaning,
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
    Schema.annotateKey({ messageMissingKey: "the base URL of the instance, and there is none" }),
    meaning("base URL, without `/api/v1`")
  ),
  engine_api_key: secret("the API key of the instance").pipe(
    Schema.annotateKey({ messageMissingKey: "the API key of the instance, and there is none" }),
    meaning("API key of that instance")
  ),
  engine_api_key_header: Schema.optionalKey(headerName).pipe(
    meaning("name of the key header; left out, it is learnt from the first call")
  ),
  readOnly: yesOrNo.pipe(meaning("refuse every change there")),
  allowInsecureHttp: yesOrNo.pipe(meaning("permit `http://` to another machine")),
  allowsDeprecatedNodes: Schema.optionalKey(Schema.Boolean.annotate({ message: "true or false" })).pipe(
    meaning("whether the engine is set to take deprecated node types that its version would refuse")
  ),
  requestsPerSecond: number(0.1, 99, "a number from 0.1 to 99").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(defaults.requestsPerSecond)),
    meaning("most requests that leave in any one second")
  ),
  concurrency: whole(1, 1000, "a whole number from 1 to 1000").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(defaults.concurrency)),
    meaning("most requests under way at once")
  ),
  headers: secretHeaders.pipe(
    meaning("headers of every request, for a proxy in front of the engine; their values are kept secret")
  ),
  caFile: Schema.optionalKey(text("the path of a PEM file")).pipe(
    meaning("certificate authorities to trust beside those of Node")
  ),
  proxy: Schema.optionalKey(matching(/^https?:\/\/\S+$/, "the URL of an HTTP proxy")).pipe(
    meaning("HTTP proxy on the way there")
  )
}).annotate({ message: "an object with engine_host and engine_api_key" })
