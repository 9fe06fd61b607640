import { Effect, Option, Predicate, Schema } from "effect"

import { invalidParams, unsupportedVersion } from "./ProtocolError.ts"
import { modern, versions } from "./Revision.ts"

const versionKey = "io.modelcontextprotocol/protocolVersion"
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

const RequestMeta = Schema.Struct({
  _meta: Schema.Struct({
    [versionKey]: Schema.String,
    [capabilitiesKey]: Schema.Record(Schema.String, Schema.Unknown)
  })
})

const read = Schema.decodeUnknownOption(RequestMeta)

/** The revision that a request's own params claim, if they claim any; only modern requests do. */
export const claimedVersion = (params: unknown): Option.Option<unknown> =>
  Predicate.hasProperty(params, "_meta") && Predicate.hasProperty(params._meta, versionKey)
    ? Option.some(params._meta[versionKey])
    : Option.none()

/** Whether the params name a modern revision and the client's capabilities. */
export const admit = Effect.fnUntraced(function* (params: unknown) {
  const meta = read(params)
  if (Option.isNone(meta)) return yield* invalidParams(`_meta needs ${versionKey} and ${capabilitiesKey}`)
  const version = meta.value._meta[versionKey]
  return yield* version === modern.version ? Effect.void : unsupportedVersion(version, versions)
})
