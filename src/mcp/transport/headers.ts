import { Option, Predicate, Result } from "effect"
import { decodeString } from "effect/encoding/Base64"
import type { Headers } from "effect/http/Headers"

import type { Message, Notification, Request } from "../protocol/Message.ts"
import { headerMismatch, type ProtocolError, unsupportedVersion } from "../protocol/ProtocolError.ts"
import { assumed, claimed, dates, find, ofRequest, type ProtocolVersion } from "../protocol/ProtocolVersion.ts"

const versionHeader = "mcp-protocol-version"

/** The revision in which a message is to be answered, by its headers; or how they contradict it. */
export const readHeaders = (message: Message, headers: Headers): Result.Result<ProtocolVersion, ProtocolError> => {
  const version = headers[versionHeader]
  const isHandshake = message._tag === "Request" && message.method === "initialize"
  const params = message._tag === "Request" ? message.params : undefined
  const said = claimed(params)
  if (Option.isSome(said) && version !== said.value && Predicate.isString(said.value)) {
    return Result.fail(headerMismatch(`${versionHeader} is ${version ?? "absent"}, _meta says ${said.value}`))
  }
  const protocolVersion = find(version)
  if (version !== undefined && protocolVersion === undefined && !isHandshake) {
    return Result.fail(unsupportedVersion(version, dates))
  }
  const isModern = ofRequest(params, protocolVersion ?? assumed).era === "modern"
  const problem = isModern && "method" in message ? mismatch(message, headers) : undefined
  return problem === undefined ? Result.succeed(protocolVersion ?? assumed) : Result.fail(headerMismatch(problem))
}

/** The param of a method that the `Mcp-Name` header repeats. */
const named: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri"
}

const mismatch = ({ method, params }: Notification | Request, headers: Headers): string | undefined => {
  if (headers["mcp-method"] !== method) return `mcp-method is ${headers["mcp-method"] ?? "absent"}, not ${method}`
  const field = named[method]
  if (field === undefined || !Predicate.hasProperty(params, field) || !Predicate.isString(params[field]))
    return undefined
  const name = headers["mcp-name"]
  if (name === undefined) return "mcp-name is absent"
  return readValue(name) === params[field] ? undefined : `mcp-name is not the ${field} of the params`
}

/** A header value: visible ASCII as it is, anything else as `=?base64?...?=`. */
const readValue = (value: string): string | undefined => {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
  if (encoded !== undefined) return Result.getOrUndefined(decodeString(encoded))
  return /^[\t\x20-\x7e]*$/.test(value) ? value : undefined
}
