import { Data, Predicate } from "effect"

import { abridged, clipped, oneLine, visibleJson } from "../../internal/foreignText.ts"
import type { ResourceNotFound } from "../Resources.ts"
import { render, type Rendered, ToolError, type ToolFailure } from "../ToolError.ts"
import type { ConcurrencyGroupFull } from "./InFlightRequests.ts"
import { type ErrorObject, longestErrorText, type MethodResult } from "./Message.ts"
import type { ProtocolVersion } from "./ProtocolVersion.ts"

/** The message itself cannot be served; `code` is that of JSON-RPC and MCP. */
export class ProtocolError extends Data.TaggedError("ProtocolError")<{
  readonly code: number
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}> {}

export const parseError = (problem: string) => new ProtocolError({ code: -32700, message: `Parse error: ${problem}` })

export const invalidRequest = (problem: string) =>
  new ProtocolError({ code: -32600, message: `Invalid request: ${problem}` })

export const methodNotFound = (method: string) =>
  new ProtocolError({ code: -32601, message: `Method not found: ${method}` })

export const invalidParams = (problem: string) =>
  new ProtocolError({ code: -32602, message: `Invalid params: ${problem}` })

/** A defect. Details are in the server's log, under the id of the request. */
export const internalError = (requestId: string | undefined) =>
  new ProtocolError({
    code: -32603,
    message: "Internal error",
    data: { code: "INTERNAL_ERROR", ...(requestId === undefined ? {} : { requestId }) }
  })

const stoppedBefore = (message: string) =>
  new ProtocolError({ code: -32603, message: `The server was stopped before this was answered. ${message}` })

/** The request was stopped, and may have changed something. */
export const stoppedHalfway = stoppedBefore("Its outcome is unknown: read the current state before trying again.")

/** The request was stopped before it had begun, or only reads. */
export const stoppedUnchanged = stoppedBefore("It changed nothing: ask again.")

/** The selection of tools leaves out the tool that was called. */
export const notOffered = (tool: string, isOfToken: boolean) =>
  new ToolError({
    blame: "caller",
    code: "NOT_OFFERED",
    message:
      `${tool} is not offered here and was not called: ` +
      (isOfToken
        ? "the scopes of the token of this request leave it out (http.oauth.tools in the server's configuration)."
        : "the server's --tools, or tools in its configuration, leaves it out. Whoever runs the server can add it there."),
    details: { tool }
  })

/** The caller may only read, and requested more. */
export const forbidden = (tool: string, scope?: string) =>
  new ProtocolError({
    code: -32600,
    message:
      `${tool} may change something, and the token of this request only allows to read` +
      (scope === undefined ? "" : `: get one with the scope ${scope}`),
    data: { code: "INSUFFICIENT_SCOPE", ...(scope === undefined ? {} : { scope }) }
  })

export const isForbidden = (error: { readonly _tag: string }): boolean =>
  error instanceof ProtocolError && error.data?.["code"] === "INSUFFICIENT_SCOPE"

/** An HTTP header contradicts the message. */
export const headerMismatch = (problem: string) =>
  new ProtocolError({ code: -32020, message: `Header mismatch: ${problem}` })

export const unsupportedVersion = (requested: string, supported: ReadonlyArray<string>) =>
  new ProtocolError({
    code: -32022,
    message: "Unsupported protocol version",
    data: { supported, requested: clipped(requested, 100) }
  })

export const busy = new ProtocolError({
  code: -32603,
  message:
    "The server has as many requests in flight as it can hold. This one was not begun: try again when some are done.",
  data: { code: "BUSY" }
})

/** Every error of serving a request. */
export type Failure = ConcurrencyGroupFull | ProtocolError | ResourceNotFound | ToolFailure

type ServingFailure = Exclude<Failure, ProtocolError>

const describe = (error: ServingFailure): Rendered => {
  const { details, ...rest } = describeWhole(error)
  return { ...rest, details: shortened(details) }
}

const shortened = (data: Rendered["details"]) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, shallow(value)]))

/** Deeper parts of an upstream's answer are of no use, and may be too deep for JSON. */
const deepest = 32

const shallow = (value: unknown, depth = 0): unknown => {
  if (Predicate.isString(value)) return abridged(value, longestErrorText)
  if (!Predicate.isObjectOrArray(value)) return value
  if (depth === deepest) return "[nested too deep]"
  if (Array.isArray(value)) return value.map((item: unknown) => shallow(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [abridged(name, longestErrorText), shallow(inner, depth + 1)])
  )
}

const describeWhole = (error: ServingFailure): Rendered => {
  switch (error._tag) {
    case "ConcurrencyGroupFull":
      return { blame: "upstream", code: "BUSY", details: { concurrencyGroup: error.concurrencyGroup } }
    case "ResourceNotFound":
      return { blame: "caller", code: "RESOURCE_NOT_FOUND", details: { uri: error.uri } }
    default:
      return render(error)
  }
}

/** The failure as a JSON-RPC error in the contract's form: `data` has the kind and its extra fields. */
export const toErrorObject = (failure: Failure, protocolVersion: ProtocolVersion): ErrorObject => {
  const { message } = failure
  if (failure instanceof ProtocolError) {
    return { code: failure.code, message, ...(failure.data === undefined ? {} : { data: shortened(failure.data) }) }
  }
  const { blame, code, details } = describe(failure)
  const data = { code, ...details }
  if (failure._tag === "ResourceNotFound") return { code: protocolVersion.unknownResource, message, data }
  return { code: blame === "caller" ? -32602 : upstreamCode[protocolVersion.era], message, data }
}

/** The modern revision reserves -32000 and neighbouring codes. */
const upstreamCode = { legacy: -32000, modern: -32603 } as const

/** The failure of a tool as a result for the model, with the same text and data. */
export const toErrorResult = (failure: ServingFailure): MethodResult => {
  const message = oneLine(abridged(failure.message, longestErrorText))
  const { code, details } = describe(failure)
  const error = { error: { code, message, details } }
  return {
    content: [
      { type: "text", text: message },
      { type: "text", text: visibleJson(JSON.stringify(error)) }
    ],
    structuredContent: error,
    isError: true
  }
}
