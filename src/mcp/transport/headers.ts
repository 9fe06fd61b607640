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

/** The hosts and origins that may connect over HTTP. */
export interface OriginPolicy {
  /** The port of this server, if it is known. */
  readonly port?: number
  /** Further hosts, as `name` for any port or `name:port`. */
  readonly allowedHosts: ReadonlyArray<string>
  /** Further origins, as a browser writes them: `https://name:port`. */
  readonly allowedOrigins: ReadonlyArray<string>
}

export interface Caller {
  /** Every `Host` header of the request. */
  readonly hosts: ReadonlyArray<string>
  readonly origin: string | undefined
}

type Refusal = { readonly status: 400 | 403; readonly problem: string }

/**
 * The refusal of a request; undefined if it is allowed. A page from elsewhere can make a browser call a loopback server under a name of its own,
 * so both the name and the origin that the browser states must be ours.
 */
export const refusal = ({ hosts, origin }: Caller, policy: OriginPolicy): Refusal | undefined => {
  const [host] = hosts
  if (host === undefined || hosts.length > 1) return { status: 400, problem: "Exactly one Host header is needed" }
  if (!isOurs(host, policy) && !isAllowed(host, policy))
    return { status: 403, problem: "This Host is not allowed: allowedHosts names those that are" }
  if (origin === undefined || policy.allowedOrigins.includes(origin)) return undefined
  const [, originHost] = /^https?:\/\/([^/]+)$/.exec(origin) ?? []
  // A page whose origin is the very address that it calls is our own: the name was allowed above.
  return originHost !== undefined && (isOurs(originHost, policy) || originHost === host)
    ? undefined
    : { status: 403, problem: "This Origin is not allowed" }
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d+))?$/i

const isOurs = (host: string, { port }: OriginPolicy): boolean => {
  const match = loopback.exec(host)
  return match !== null && (port === undefined || Number(match[1] ?? 80) === port)
}

const isAllowed = (host: string, { allowedHosts }: OriginPolicy): boolean => {
  const name = host.toLowerCase()
  return allowedHosts.some((allowed) => [name, name.replace(/:\d+$/, "")].includes(allowed.toLowerCase()))
}
