import { isTlsFailure } from "../../internal/http/transportCode.ts"
import type { Environment } from "./config/EngineConfig.ts"

/** The contract's code for a network failure. */
export const networkKind = (code: string): string => {
  if (code === "ECONNREFUSED") return code
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "ENOTFOUND"
  return code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT" ? "ETIMEDOUT" : "NETWORK_ERROR"
}

/** Advice about a connection that could not be made. */
export const remedyFor = (code: string, { proxy }: Pick<Environment, "proxy">): string => {
  const settings = proxy === undefined ? "its engine_host" : "its engine_host and proxy"
  if (isTlsFailure(code)) return `Check ${settings}; caFile names further certificate authorities to trust.`
  if (networkKind(code) === "ECONNREFUSED") return `Check that the engine runs, and ${settings}.`
  return `Check ${settings}, and the network.`
}
