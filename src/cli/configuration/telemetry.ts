import { Effect, Schema } from "effect"

import { decode, matching, meaning, number, secretHeaders, text, unknownFields } from "../../internal/config/fields.ts"

const endpoint = "the URL of an OTLP collector, which begins with http:// or https://"
const listOfSignals = "a list of traces, metrics and logs"

/** The receiver of telemetry, and the signals sent to it; OpenTelemetry's own variables take precedence. */
export const TelemetryFields = Schema.Struct({
  endpoint: matching(/^https?:\/\/[^\s@?#]+$/, endpoint).pipe(
    Schema.annotateKey({ messageMissingKey: `${endpoint}, and there is none` }),
    meaning("base URL of the collector; `/v1/traces` and so on are added")
  ),
  headers: secretHeaders.pipe(meaning("headers of every delivery; their values are kept secret")),
  caFile: Schema.optionalKey(text("the path of a PEM file")).pipe(
    meaning("certificate authorities to trust beside those of Node; a relative path counts from the configuration file")
  ),
  protocol: Schema.Literals(["http/protobuf", "http/json"])
    .annotate({ message: "http/protobuf or http/json" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("http/protobuf")), meaning("how it is written")),
  compression: Schema.Literals(["none", "gzip"])
    .annotate({ message: "none or gzip" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("none")), meaning("whether it is compressed")),
  signals: Schema.Array(
    Schema.Literals(["traces", "metrics", "logs"]).annotate({ message: "one of traces, metrics, logs" })
  )
    .annotate({ message: listOfSignals })
    .pipe(
      Schema.withDecodingDefaultKey(Effect.succeed(["traces", "metrics", "logs"])),
      meaning("what is delivered; all unless this says otherwise")
    ),
  sampleRatio: number(0, 1, "a number from 0 to 1").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(1)),
    meaning("part of the traces to keep, where the caller has not decided")
  ),
  serviceName: Schema.optionalKey(text("a name")).pipe(
    meaning("`service.name`; `workflow-tool-server` unless this says otherwise")
  ),
  attributes: Schema.Record(Schema.String, text("a text"))
    .annotate({ message: "an object from names to texts" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed({})), meaning("further attributes of the resource"))
}).annotate({ message: "an object with endpoint" })

/** The telemetry settings of the configuration file. */
export type TelemetrySettings = typeof TelemetryFields.Type

/** The settings as given, and the names among them that are not settings. */
export const readTelemetry = (given: unknown, place: (path: string) => string) => ({
  settings: decode(TelemetryFields, given, place),
  unknown: unknownFields(TelemetryFields, given)
})
