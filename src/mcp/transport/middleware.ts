import { Effect, Option, Predicate, Redacted, type Scope } from "effect"
import { HttpServer, type HttpServerRequest, HttpServerResponse } from "effect/http"

import type { Memory } from "../../internal/http/MemoryBudget.ts"
import { type Access, CurrentAccess } from "../callContext.ts"
import type { Gauge } from "../Toolset.ts"
import type { BodyReaders } from "./body.ts"
import { type Challenge, challenge, type ProtectedResource, type Verify, makeWrongTokens } from "./tokens.ts"

/** Addresses of the server, and who may call over HTTP. */
export interface Options {
  /** Path for messages; `/mcp` by default. */
  readonly path?: `/${string}`
  /** Path of the health check; `/health` by default. */
  readonly healthPath?: `/${string}`
  /** Hosts besides the loopback names, as `name` for any port or `name:port`. */
  readonly allowedHosts?: ReadonlyArray<string>
  /** Origins besides our own, as a browser writes them. */
  readonly allowedOrigins?: ReadonlyArray<string>
  /** The verifier of bearer tokens; without it, everyone who reaches the port may call. */
  readonly verify?: Verify
  /** The metadata by which callers get such a token, if an authorization server issues them. */
  readonly protectedResource?: ProtectedResource
  /** At its end, requests in flight are answered with an error; for a server that is about to close. */
  readonly until?: Effect.Effect<void>
  /** The memory budget for messages and answers; by default one of its own. */
  readonly memory?: Memory
  /** Shorter ways to read the bodies of requests, if there are any. */
  readonly bodies?: BodyReaders
  /** The moment that a slow answer waits for, so that those of one round of the event loop are sent together. */
  readonly together?: Effect.Effect<void>
  /** Whether the page is served beside it, at `/` of the same origin, by this process alone: there people can enter secrets. */
  readonly hasPage?: boolean
  /** The text of `GET /metrics`, including the gauges of the toolsets; without it there is no such route. */
  readonly metrics?: ((gauges: ReadonlyArray<Gauge>) => string) | undefined
}

export type Handler = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope>

/** The checks before every route: of Host and Origin, and of the token where it is required. */
export const makeMiddleware = Effect.fnUntraced(function* ({
  allowedHosts = [],
  allowedOrigins = [],
  protectedResource,
  verify
}: Options) {
  const port = portOf(yield* Effect.serviceOption(HttpServer.HttpServer))
  const policy: OriginPolicy = { allowedHosts, allowedOrigins, ...(port === undefined ? {} : { port }) }

  const open =
    (handler: Handler): Handler =>
    (request) => {
      const refused = refusal({ hosts: hostsOf(request), origin: request.headers["origin"] }, policy)
      return refused === undefined ? handler(request) : Effect.succeed(problem(refused.status, refused.problem))
    }

  const wrong = makeWrongTokens()
  const { read, write } = protectedResource?.scopes ?? { read: undefined, write: undefined }
  // A client may read only the body, so it says as much as the header.
  const unauthorized = (reason: Challenge = {}) =>
    problem(
      401,
      ["A valid bearer token is needed", ...(reason.description === undefined ? [] : [reason.description])].join(". "),
      {
        "www-authenticate": challenge(protectedResource, { ...reason, ...(read === undefined ? {} : { scope: read }) })
      }
    )
  const insufficient = challenge(protectedResource, {
    error: "insufficient_scope",
    ...(read === undefined ? {} : { scope: `${read} ${write}` })
  })

  /** Serves within the access of a token; if that is not enough, the refusal says what would be. */
  const within = (access: Access, served: ReturnType<Handler>): ReturnType<Handler> =>
    Effect.map(Effect.provideService(served, CurrentAccess, access), (response) =>
      response.status === 403 ? HttpServerResponse.setHeader(response, "www-authenticate", insufficient) : response
    )

  const refuse = (request: HttpServerRequest.HttpServerRequest, reason: Challenge) =>
    Effect.map(wrong.wait(Option.getOrElse(request.remoteAddress, () => "an unknown address")), (isHeard) =>
      isHeard ? unauthorized(reason) : tooMany
    )

  const unknown: Challenge = {
    error: "invalid_token",
    ...(protectedResource === undefined ? {} : { description: "The token is not a signed JWT" })
  }

  const authorized = (handler: Handler): Handler => {
    if (verify === undefined) return open(handler)
    return open((request) => {
      const [, token] = /^Bearer +(\S+) *$/i.exec(request.headers["authorization"] ?? "") ?? []
      if (token === undefined) return Effect.succeed(unauthorized())
      return Effect.matchEffect(verify(Redacted.make(token)), {
        onSuccess: (access) =>
          access === false
            ? refuse(request, unknown)
            : access === true
              ? handler(request)
              : within(access, handler(request)),
        onFailure: (failure) => {
          if (failure._tag === "TokenUnverifiable")
            return Effect.succeed(problem(503, failure.reason, { "retry-after": "5" }))
          if (failure.lacks === "scope")
            return Effect.succeed(problem(403, failure.reason, { "www-authenticate": insufficient }))
          return refuse(request, { error: "invalid_token", description: failure.reason })
        }
      })
    })
  }

  return { open, authorized }
})

/** A plain text answer, for requests that never become a message. */
export const problem = (status: number, error: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe({ error }, { status, headers })

const tooMany = problem(429, "Too many wrong tokens from this address", { "retry-after": "10", connection: "close" })

const portOf = (server: Option.Option<HttpServer.HttpServer["Service"]>): number | undefined =>
  Option.isSome(server) && "port" in server.value.address ? server.value.address.port : undefined

/** Node joins or drops repeated headers; only its raw list, of alternating names and values, shows that a client sent two. */
const hostsOf = ({ headers, source }: HttpServerRequest.HttpServerRequest): ReadonlyArray<string> => {
  if (!Predicate.hasProperty(source, "rawHeaders") || !Array.isArray(source.rawHeaders)) {
    return headers["host"] === undefined ? [] : [headers["host"]]
  }
  const raw: ReadonlyArray<unknown> = source.rawHeaders
  const hosts: Array<string> = []
  for (let at = 0; at < raw.length; at += 2) {
    if (isHost(String(raw[at]))) hosts.push(String(raw[at + 1]))
  }
  return hosts
}

const isHost = (name: string) => name.length === 4 && name.toLowerCase() === "host"

/** The hosts and origins that may connect over HTTP. */
interface OriginPolicy {
  /** The port of this server, if it is known. */
  readonly port?: number
  /** Further hosts, as `name` for any port or `name:port`. */
  readonly allowedHosts: ReadonlyArray<string>
  /** Further origins, as a browser writes them: `https://name:port`. */
  readonly allowedOrigins: ReadonlyArray<string>
}

interface Caller {
  /** Every `Host` header of the request. */
  readonly hosts: ReadonlyArray<string>
  readonly origin: string | undefined
}

type Refusal = { readonly status: 400 | 403; readonly problem: string }

/**
 * The refusal of a request; undefined if it is allowed. A page from elsewhere can make a browser call a loopback server under a name of its own,
 * so both the name and the origin that the browser states must be ours.
 */
const refusal = ({ hosts, origin }: Caller, policy: OriginPolicy): Refusal | undefined => {
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

/** Whether a host is a name of this machine for itself. */
export const isLoopback = (host: string): boolean => loopback.test(host)

const isOurs = (host: string, { port }: OriginPolicy): boolean => {
  const match = loopback.exec(host)
  return match !== null && (port === undefined || Number(match[1] ?? 80) === port)
}

const isAllowed = (host: string, { allowedHosts }: OriginPolicy): boolean => {
  const name = host.toLowerCase()
  return allowedHosts.some((allowed) => [name, name.replace(/:\d+$/, "")].includes(allowed.toLowerCase()))
}
