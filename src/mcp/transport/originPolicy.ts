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
