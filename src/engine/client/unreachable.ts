import { isTlsFailure } from "../../internal/http/transportCode.ts"
import type { Environment } from "../config/EngineConfig.ts"

/** The contract's name for a failure of the network. */
export const networkKind = (code: string): string => {
  if (code === "ECONNREFUSED") return code
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "ENOTFOUND"
  return code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT" ? "ETIMEDOUT" : "NETWORK_ERROR"
}

/** Scheme, host and port, and nothing else of a URL: no user, no path, no query. */
const originOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { host, protocol } = new URL(url)
  return host === "" ? undefined : `${protocol}//${host}`
}

/** Where an instance is called, for whoever reads why it did not answer. */
export const addressOf = ({ host, proxy }: Pick<Environment, "host" | "proxy">): string | undefined => {
  const [address, through] = [originOf(host), proxy === undefined ? undefined : originOf(proxy)]
  return address === undefined || through === undefined ? address : `${address} through the proxy ${through}`
}

/** What to do about a connection that could not be made. */
export const remedyFor = (code: string, { proxy }: Pick<Environment, "proxy">): string => {
  const settings = proxy === undefined ? "its engine_host" : "its engine_host and proxy"
  if (isTlsFailure(code)) return `Check ${settings}; caFile names further certificate authorities to trust.`
  if (networkKind(code) === "ECONNREFUSED") return `Check that the engine runs, and ${settings}.`
  return `Check ${settings}, and the network.`
}
