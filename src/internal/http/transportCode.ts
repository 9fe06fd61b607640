import { Data, Predicate } from "effect"

/** The failure of a client that knows that there was no connection, so that nothing was sent. */
export class NotConnected extends Data.TaggedError("NotConnected")<{ readonly cause: unknown }> {}

/** A failure that the system would call by this code, and never told. */
export const systemError = (code: string) => Object.assign(new Error(code), { code })

/** The first thing that `find` finds in an error or its causes. */
const findIn = <A>(error: unknown, find: (error: object) => A | undefined, depth = 0): A | undefined => {
  if (!Predicate.isObject(error) || depth > 8) return undefined
  const match = find(error)
  if (match !== undefined) return match
  const causes = [
    ...(Predicate.hasProperty(error, "errors") && Array.isArray(error.errors) ? error.errors : []),
    ...(Predicate.hasProperty(error, "reason") ? [error.reason] : []),
    ...(Predicate.hasProperty(error, "cause") ? [error.cause] : [])
  ]
  return causes.map((cause) => findIn(cause, find, depth + 1)).find((match) => match !== undefined)
}

/** The system's code in an error or its causes: ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED and the like. */
export const transportCode = (error: unknown): string | undefined =>
  findIn(error, (error) =>
    Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : undefined
  )

/** Whether a request that failed like this cannot have reached the other side. */
export const neverLeft = (error: unknown): boolean =>
  findIn(error, (error) => (error instanceof NotConnected ? true : undefined)) ??
  failedWhileConnecting(transportCode(error) ?? "")

/** Failures of a handshake; the others of TLS may come later, when a request is on its way. */
const tls =
  /^(?:CERT_|UNABLE_TO_|ERR_TLS_|EPROTO$|.*_CERT(?:_|$)|ERR_SSL_.*(?:VERSION|PROTOCOL|HANDSHAKE|CERT|_CA|NAME))/

/** Whether a handshake failed with this code. */
export const isTlsFailure = (code: string): boolean => tls.test(code)

const connecting = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_PROXY_TUNNEL",
  "UND_ERR_INVALID_ARG"
])

/** Whether a request that failed with this code cannot have reached the other side. */
const failedWhileConnecting = (code: string): boolean => connecting.has(code) || isTlsFailure(code)

const invalid = /^(UND_ERR_INVALID_ARG|ERR_INVALID_CHAR|ERR_INVALID_HTTP_TOKEN|ERR_UNESCAPED_CHARACTERS)$/

/** Of Node's decompression: zlib's codes, and Brotli's. */
const packed = /^(Z_|ERR__ERROR_|ERR_BROTLI)/

/** The code in plain words. */
export const inWords = (code: string): string => {
  if (code === "ECONNREFUSED") return "nothing listens there (ECONNREFUSED)"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the host name cannot be resolved (${code})`
  if (code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") return `no connection could be made in time (${code})`
  if (isTlsFailure(code)) return `its TLS certificate or protocol is not accepted (${code})`
  if (code === "ERR_PROXY_TUNNEL") return `the proxy refuses to connect (${code})`
  if (invalid.test(code)) return `a header or the proxy's settings cannot be used (${code})`
  if (packed.test(code)) return `its compressed answer cannot be unpacked (${code})`
  if (code === "HPE_HEADER_OVERFLOW") return `the headers of its answer are too long (${code})`
  if (code.startsWith("HPE_")) return `its answer is not HTTP (${code})`
  return `the connection broke (${code})`
}
