import { Data } from "effect"

import { clipped } from "../../internal/foreignText.ts"

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
