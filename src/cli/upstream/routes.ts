import type { Agent, AgentOptions, ClientRequest, RequestOptions } from "node:http"
import type { Duplex } from "node:stream"
import { urlToHttpOptions } from "node:url"

import { Effect, Scope, Result } from "effect"
import { Base64 } from "effect/encoding"

import { BoundedCache } from "../../internal/caching.ts"
import { cachedSuccess } from "../../internal/effects.ts"
import { type ConnectionOptions, UnusableConnection } from "../../internal/http/HttpClients.ts"
import type { Proxy } from "./TunnelAgent.ts"

/** An idle connection is closed before its upstream does that, mostly after five seconds, under a request just leaving. */
const keptOpen: AgentOptions = { keepAlive: true, timeout: 4000 }

interface Outgoing {
  readonly method: string
  readonly path?: string
  readonly headers: Readonly<Record<string, string>>
}

/** The way out for requests of one scheme. */
export interface Route {
  readonly open: (url: URL, options: Outgoing) => ClientRequest
  /** The event of a new connection from which on requests leave. */
  readonly connected: "connect" | "secureConnect"
}

/** The route to each address. */
export interface Routes {
  readonly to: (url: URL) => Effect.Effect<Route>
}

/** Connects in the place of Node, over HTTP that is not encrypted. */
export type Connect = () => Duplex

/**
 * Routes with connections of their own, kept for the next request until the scope ends. What they need of Node is loaded by
 * the first request that needs it.
 */
export const makeRoutes = Effect.fnUntraced(function* ({ caFile, proxy }: ConnectionOptions, connect?: Connect) {
  const trusted = caFile === undefined ? undefined : yield* trustedIn(caFile)
  const via = proxy === undefined ? undefined : yield* parseProxy(proxy)
  const scope = yield* Effect.scope
  const owned = <A extends Agent>(agent: A) =>
    Effect.as(
      Scope.addFinalizer(
        scope,
        Effect.sync(() => agent.destroy())
      ),
      agent
    )

  const http: Effect.Effect<Route> = Effect.gen(function* () {
    // As a module, it loads Node's own fetch, too: 13 MiB and 60 ms of the first call.
    const { Agent, request } = process.getBuiltinModule("node:http")
    const agent = yield* owned(Object.assign(new Agent(keptOpen), connect && { createConnection: connect }))
    const whole = completion(agent)
    return { open: (url, options) => request(whole(url, options)), connected: "connect" }
  })
  const https = (through?: Proxy): Effect.Effect<Route> =>
    Effect.gen(function* () {
      const { Agent, request } = yield* Effect.promise(() => import("node:https"))
      const options = trusted === undefined ? keptOpen : { ...keptOpen, secureContext: yield* trusted }
      const agent = yield* owned(through === undefined ? new Agent(options) : yield* tunnelling(through, options))
      const whole = completion(agent)
      return { open: (url, options) => request(whole(url, options)), connected: "secureConnect" }
    })
  const plain = via?.url.protocol === "https:" ? https() : http
  const toPlain = yield* cachedSuccess(
    via === undefined ? plain : Effect.map(plain, (route) => throughProxy(route, via))
  )
  const toSecure = yield* cachedSuccess(https(via))
  return { to: (url) => (url.protocol === "https:" ? toSecure : toPlain) } satisfies Routes
})

/** The trusted certificates, with those of a file. The code that reads it takes longer to load than a call. */
const trustedIn = (caFile: string) =>
  Effect.flatMap(
    Effect.promise(() => import("./certificates.ts")),
    ({ readCertificates, trusting }) => Effect.map(readCertificates(caFile), trusting)
  )

/** A request as Node wants it. Where to is taken apart once for each host. */
const completion = (agent: Agent) => {
  const addresses = new BoundedCache<ReturnType<typeof addressOf>>(mostHosts)
  return (url: URL, options: Outgoing): RequestOptions => ({
    ...addresses.keep(nameOf(url), () => addressOf(url)),
    path: url.pathname + url.search,
    agent,
    ...options
  })
}

const mostHosts = 256

/** The host of an address, with the login if there is one. */
const nameOf = ({ host, password, username }: URL) =>
  username === "" && password === "" ? host : `${username}:${password}@${host}`

const addressOf = (url: URL) => {
  const { auth, hostname, port, protocol } = urlToHttpOptions(url)
  return { protocol, hostname, port, ...(auth === undefined ? {} : { auth }) }
}

/** The same route to a proxy, which is asked for the whole address. */
const throughProxy = ({ connected, open }: Route, proxy: Proxy): Route => ({
  connected,
  open: ({ host, origin, pathname, search }, { headers, ...options }) =>
    open(proxy.url, {
      ...options,
      path: origin + pathname + search,
      headers: { ...headers, ...proxy.headers, host }
    })
})

const tunnelling = (proxy: Proxy, options: AgentOptions) =>
  Effect.map(
    Effect.promise(() => import("./TunnelAgent.ts")),
    ({ TunnelAgent }) => new TunnelAgent(proxy, options)
  )

/** Reads the address of a proxy; a name and password in it are for the proxy alone. */
const parseProxy = (text: string): Effect.Effect<Proxy, UnusableConnection> =>
  Effect.fromResult(
    Result.try({
      try: () => {
        const url = new URL(text)
        const login = [url.username, url.password].map(decodeURIComponent)
        url.username = url.password = ""
        return {
          url,
          headers: login.join("") === "" ? {} : { "proxy-authorization": `Basic ${Base64.encode(login.join(":"))}` }
        }
      },
      catch: unusable
    })
  ).pipe(Effect.filterOrFail(({ url }) => /^https?:$/.test(url.protocol), unusable))

const unusable = () => new UnusableConnection({ message: "proxy: expected the URL of an HTTP proxy" })
