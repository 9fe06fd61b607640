import { Predicate } from "effect"

/** The system's code in an error or in what caused it: ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED and the like. */
export const transportCode = (error: unknown, depth = 0): string | undefined => {
  if (!Predicate.isObject(error) || depth > 8) return undefined
  if (Predicate.hasProperty(error, "code") && Predicate.isString(error.code)) return error.code
  const causes = [
    ...(Predicate.hasProperty(error, "errors") && Array.isArray(error.errors) ? error.errors : []),
    ...(Predicate.hasProperty(error, "reason") ? [error.reason] : []),
    ...(Predicate.hasProperty(error, "cause") ? [error.cause] : [])
  ]
  return causes.map((cause) => transportCode(cause, depth + 1)).find((code) => code !== undefined)
}

/** Failures of a handshake; the others of TLS may come later, when a request is on its way. */
const tls =
  /^(CERT_.*|.*_CERT(_.*)?|UNABLE_TO_.*|ERR_TLS_.*|ERR_SSL_.*(VERSION|PROTOCOL|HANDSHAKE|CERT|_CA|NAME).*|EPROTO)$/
const connecting = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_ABORTED",
  "UND_ERR_INVALID_ARG"
])

/** Whether a request that failed with this code cannot have reached the other side. */
export const failedWhileConnecting = (code: string): boolean => connecting.has(code) || tls.test(code)

/** The code in plain words. */
export const inWords = (code: string): string => {
  if (code === "ECONNREFUSED") return "nothing listens there (ECONNREFUSED)"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the host name cannot be resolved (${code})`
  if (code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") return `no connection could be made in time (${code})`
  if (tls.test(code)) return `its TLS certificate or protocol is not accepted (${code})`
  if (code === "UND_ERR_ABORTED") return `the proxy refuses to connect (${code})`
  if (code === "UND_ERR_INVALID_ARG") return `a header or the proxy's settings cannot be used (${code})`
  return `the connection broke (${code})`
}
