import { Schema } from "effect"

import { Id } from "./Message.ts"
import { capabilitiesKey, versionKey } from "./ProtocolVersion.ts"

const Meta = Schema.Record(Schema.String, Schema.Unknown)

const Common = Schema.Struct({
  _meta: Schema.optionalKey(Schema.Struct({ progressToken: Schema.optionalKey(Id) }))
})
export type Common = typeof Common.Type

/** Params common to all methods. */
export const readCommon = Schema.decodeUnknownResult(Common)

const Modern = Schema.Struct({
  _meta: Schema.Struct({ [versionKey]: Schema.String, [capabilitiesKey]: Meta })
})
export type Modern = typeof Modern.Type

/** Params of every modern request. */
export const readModern = Schema.decodeUnknownOption(Modern)

export const initialize = {
  protocolVersion: Schema.String,
  capabilities: Schema.optionalKey(Schema.Unknown),
  clientInfo: Schema.optionalKey(Schema.Unknown)
}

export const list = { cursor: Schema.optionalKey(Schema.String) }

export const callTool = {
  name: Schema.String,
  arguments: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))),
  _meta: Schema.optionalKey(Meta),
  inputResponses: Schema.optionalKey(Schema.Unknown),
  requestState: Schema.optionalKey(Schema.Unknown)
}

const Called = Schema.Struct({ name: Schema.String, arguments: Schema.optionalKey(Schema.Unknown) })
export type Called = typeof Called.Type

/** The params of a call that determine where it works. */
export const readCalled = Schema.decodeUnknownOption(Called)

export const readResource = { uri: Schema.String }

export const getPrompt = {
  name: Schema.String,
  arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}

const Reference = Schema.Union([
  Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String }),
  Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String })
])
export type Reference = typeof Reference.Type

export const complete = { ref: Reference, argument: Schema.Struct({ name: Schema.String, value: Schema.String }) }
