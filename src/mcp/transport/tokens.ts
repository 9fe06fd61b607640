import { Effect, type Redacted, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

import { monotonicMillis } from "../../internal/time.ts"
import type { Access } from "../callContext.ts"

/** A token is invalid, for a reason that its owner may know. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  /** A sentence without the token or any part of it. */
  reason: Schema.String,
  /** The scope that an otherwise valid token lacks. */
  lacks: Schema.optionalKey(Schema.Literal("scope"))
}) {}

/** The token cannot be verified at the moment. */
export class TokenUnverifiable extends Schema.TaggedError<TokenUnverifiable>()("TokenUnverifiable", {
  reason: Schema.String
}) {}

/** Verifies a bearer token: it allows everything or nothing, or a specific access. */
export type Verify = (token: Redacted.Redacted) => Effect.Effect<boolean | Access, TokenRefused | TokenUnverifiable>

/** Metadata by which clients request a token for this server from an authorization server (RFC 9728). */
export interface ProtectedResource {
  /** The URL of `/mcp` as clients write it, which tokens have as their audience. */
  readonly resource: string
  readonly authorizationServers: ReadonlyArray<string>
  /** Scope of a token that may only read, and of one that may also change something. */
  readonly scopes: { readonly read: string; readonly write: string }
}

const wellKnown = "/.well-known/oauth-protected-resource"

/** Paths of the document: with the path of the resource appended, and without. */
export const metadataPaths = ({ resource }: ProtectedResource): ReadonlyArray<`/${string}`> => {
  const path = new URL(resource).pathname.replace(/\/$/, "")
  return path === "" ? [wellKnown] : [`${wellKnown}${path}`, wellKnown]
}

/** The document itself. */
export const metadata = ({ authorizationServers, resource, scopes }: ProtectedResource) =>
  HttpServerResponse.jsonUnsafe({
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: [scopes.read, scopes.write],
    bearer_methods_supported: ["header"],
    resource_name: "workflow-tool-server"
  })

/** The reason for a refusal, as an error code of RFC 6750. */
export interface Challenge {
  readonly error?: "invalid_token" | "insufficient_scope"
  readonly description?: string
  readonly scope?: string
}

/** The value of `WWW-Authenticate`: where to find out how to get a token, and what was wrong with the given one. */
export const challenge = (
  protectedResource: ProtectedResource | undefined,
  { description, error, scope }: Challenge = {}
): string => {
  if (protectedResource === undefined) return "Bearer"
  const parameters = {
    error,
    error_description: description,
    resource_metadata: metadataUrl(protectedResource),
    scope
  }
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replace(/[^\x20-\x7e]|["\\]/g, "")}"`]
  )
  return `Bearer ${written.join(", ")}`
}

const metadataUrl = (protectedResource: ProtectedResource): string =>
  new URL(metadataPaths(protectedResource)[0] ?? wellKnown, protectedResource.resource).href

/** Wrong tokens per address that are answered immediately, and milliseconds that every further one has to wait. */
const free = 5
const interval = 1000
/** Longest wait; beyond that, a wrong token is refused at once. */
const longest = 10_000
/** Most addresses remembered. */
const mostAddresses = 10_000
/** Minimum milliseconds between two log lines about one address. */
const logEvery = 60_000

interface Attempts {
  /** When the next wrong token will be answered. */
  due: number
  /** Wrong tokens since the last log line. */
  count: number
  logNext: number
}

/** Rate-limits wrong tokens per address, and logs them. A valid token never waits. */
export const makeWrongTokens = () => {
  const addresses = new Map<string, Attempts>()

  /** Waits for as long as this wrong token has to; false if too many are already waiting. */
  const wait = Effect.fnUntraced(function* (address: string) {
    const now = yield* monotonicMillis
    const attempts = addresses.get(address) ?? { due: -Infinity, count: 0, logNext: -Infinity }
    addresses.delete(address)
    addresses.set(address, attempts)
    for (const [oldest] of addresses) {
      if (addresses.size <= mostAddresses) break
      addresses.delete(oldest)
    }
    attempts.count++
    if (now >= attempts.logNext) {
      yield* Effect.logWarning(`Wrong bearer token from ${address}, ${attempts.count} since this was last said`)
      attempts.count = 0
      attempts.logNext = now + logEvery
    }
    const due = Math.max(now, attempts.due)
    const pause = due - now - (free - 1) * interval
    if (pause > longest) return false
    attempts.due = due + interval
    if (pause > 0) yield* Effect.sleep(pause)
    return true
  })

  return { wait }
}
