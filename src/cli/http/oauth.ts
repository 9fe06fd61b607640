import { Effect, Predicate, Redacted, Result, Schema } from "effect"
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey
} from "jose"

import { isLoopback } from "../../internal/config/baseUrl.ts"
import type { Access } from "../../mcp/callContext.ts"
import { type ProtectedResource, TokenRefused, TokenUnverifiable, type Verify } from "../../mcp/transport/tokens.ts"
import type { OAuthSettings } from "../configuration/fileFields.ts"
import { selectionOf } from "../configuration/profiles.ts"

/** Algorithms that need the issuer's private key; with a shared secret, whoever can verify a token could also make one. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
/** Allowed difference in seconds between the clocks of the issuer and of this machine. */
const clockTolerance = 30
/** Timeout of one request to the issuer, in milliseconds. */
export const issuerTimeout = 5000
/** Pause before an issuer that did not answer is asked again. */
const retryInterval = "5 seconds"

/** The metadata of this server as a protected resource of the issuer. */
export const protectedResource = ({ issuer, readScope, resource, writeScope }: OAuthSettings): ProtectedResource => ({
  resource,
  authorizationServers: [issuer],
  scopes: { read: readScope, write: writeScope }
})

/** Accepts access tokens that the issuer made for this server: signed JWTs (RFC 9068), verified with its published keys. */
export const verifyWith = Effect.fnUntraced(function* (settings: OAuthSettings) {
  const keys = yield* issuerKeys(settings)
  const verify: Verify = Effect.fnUntraced(function* (token) {
    const text = Redacted.value(token)
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return false
    const getKey = yield* keys
    const { payload, protectedHeader } = yield* Effect.tryPromise({
      try: () =>
        jwtVerify(text, getKey, {
          issuer: settings.issuer,
          audience: settings.audience ?? settings.resource,
          algorithms,
          clockTolerance,
          requiredClaims: ["exp"]
        }),
      catch: (error) => describe(error, text, settings)
    })
    const reason = notForAccess(protectedHeader, payload)
    return yield* reason === undefined ? accessOf(payload, settings) : Effect.fail(new TokenRefused({ reason }))
  })
  return verify
})

/** The first of several verifiers that knows the token decides; one that cannot verify it now is skipped if another one can. */
export const either =
  (one: Verify, other: Verify): Verify =>
  (token) =>
    Effect.flatMap(one(token), (access) => (access === false ? other(token) : Effect.succeed(access)))

/** The scopes of a token, which issuers write as a string or a list. */
const accessOf = (
  payload: JWTPayload,
  { issuer, readScope, tools = {}, writeScope }: OAuthSettings
): Effect.Effect<Access, TokenRefused> => {
  const written = payload["scope"] ?? payload["scp"]
  const scopes = Array.isArray(written) ? written.filter(Predicate.isString) : (text(written) ?? "").split(" ")
  const mayChange = scopes.includes(writeScope)
  if (!mayChange && !scopes.includes(readScope)) {
    return Effect.fail(
      new TokenRefused({ reason: `The token has neither the scope ${readScope} nor ${writeScope}`, lacks: "scope" })
    )
  }
  const words = Object.entries(tools).flatMap(([scope, names]) => (scopes.includes(scope) ? names : []))
  return Effect.succeed({
    subject: payload.sub ?? text(payload["client_id"]),
    issuer,
    mayChange,
    scopeToChange: writeScope,
    selection: words.length === 0 ? undefined : selectionOf(words)
  })
}

const text = (value: unknown) => (Predicate.isString(value) ? value : undefined)

const describe = (
  error: unknown,
  token: string,
  { audience, issuer, resource }: OAuthSettings
): TokenRefused | TokenUnverifiable => {
  if (error instanceof errors.JWTExpired) return new TokenRefused({ reason: "The token has expired" })
  if (error instanceof errors.JWTClaimValidationFailed) {
    // An ID token is made for its client, and would not become valid with another aud. Its signature has been verified.
    const kind = notForAccess(decodeProtectedHeader(token), error.payload)
    if (kind !== undefined) return new TokenRefused({ reason: kind })
    // Clients find out by trial what is wanted; both are public, and tell them at once.
    const wanted: Readonly<Record<string, string>> = {
      aud: `, its aud must name ${audience ?? resource}`,
      iss: `, its iss must be ${issuer}`
    }
    const isUnbound = error.claim === "aud" && error.reason === "missing"
    const is = isUnbound ? unbound : (claims[error.claim] ?? "The token lacks a claim or has a wrong one")
    return new TokenRefused({ reason: is + (wanted[error.claim] ?? "") + (isUnbound ? howToBind : "") })
  }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) {
    return new TokenRefused({ reason: "The token is not a signed JWT" })
  }
  if (error instanceof errors.JOSEError && isOfToken(error)) {
    return new TokenRefused({ reason: "The token is not signed by its issuer's keys" })
  }
  return unverifiable(issuer)
}

const claims: Readonly<Record<string, string>> = {
  iss: "The token is of another issuer",
  aud: "The token is made for another resource",
  nbf: "The token is not valid yet",
  exp: "The token does not say when it expires"
}

/** Tokens that name no resource would be good at any server of their issuer: MCP forbids to take them. */
const unbound = "The token has no aud, and may be made for anything"
const howToBind =
  ": ask for it with the parameter resource (RFC 8707), or let the issuer write aud into access tokens; client_id does not stand for it"

/** All other errors mean that the issuer's keys could not be fetched. */
const isOfToken = ({ code }: { readonly code: string }): boolean =>
  /^ERR_(?:JWS|JWT|JWE)_|^ERR_JOSE_(?:ALG_NOT_ALLOWED|NOT_SUPPORTED)$|^ERR_JWKS_(?:NO|MULTIPLE)_MATCHING_KEYS?$/.test(
    code
  )

const unverifiable = (issuer: string) =>
  new TokenUnverifiable({
    reason: `Tokens cannot be checked at the moment: their issuer ${issuer} does not publish its keys. Try again later.`
  })

/**
 * The keys of the issuer, fetched with the first token; they are cached for ten minutes, and fetched again for an unknown key.
 */
const issuerKeys = Effect.fnUntraced(function* ({ issuer, jwksUri }: OAuthSettings) {
  let keys: JWTVerifyGetKey | undefined
  const keysAt = (uri: string) => {
    keys = createRemoteJWKSet(new URL(uri), { timeoutDuration: issuerTimeout })
    return keys
  }
  if (jwksUri !== undefined) return Effect.succeed(keysAt(jwksUri))
  const attempt = yield* Effect.cachedWithTTL(
    Effect.exit(Effect.map(discover(issuer), ({ jwks_uri }) => keysAt(jwks_uri))),
    retryInterval
  )
  return Effect.suspend(() => (keys === undefined ? Effect.flatten(attempt) : Effect.succeed(keys)))
})

const Metadata = Schema.Struct({
  issuer: Schema.String,
  jwks_uri: Schema.String,
  authorization_endpoint: Schema.optionalKey(Schema.String),
  token_endpoint: Schema.optionalKey(Schema.String),
  token_endpoint_auth_methods_supported: Schema.optionalKey(Schema.Array(Schema.String))
})
const readMetadata = Schema.decodeUnknownResult(Metadata)

/** The metadata of the issuer: of OAuth (RFC 8414), or of OpenID Connect. Its keys are behind https. */
export const discover = (issuer: string) =>
  Effect.firstSuccessOf(metadataUrls(issuer).map((url) => readFrom(url, issuer))).pipe(
    Effect.tapError((problem) => Effect.logError(`The issuer of tokens ${issuer} cannot be used: ${problem}`)),
    Effect.mapError(() => unverifiable(issuer)),
    Effect.uninterruptible
  )

const readFrom = Effect.fnUntraced(function* (url: string, issuer: string) {
  const unreadable = () => `${url} cannot be read`
  const answer = yield* Effect.tryPromise({
    try: () => fetch(url, { redirect: "manual", signal: AbortSignal.timeout(issuerTimeout) }),
    catch: unreadable
  })
  if (!answer.ok) return yield* Effect.fail(unreadable())
  const read = Effect.tryPromise({ try: () => answer.json(), catch: unreadable })
  const metadata = readMetadata(yield* read)
  if (Result.isFailure(metadata)) return yield* Effect.fail(`${url} holds no jwks_uri`)
  const { issuer: named, jwks_uri: uri } = metadata.success
  if (named !== issuer) return yield* Effect.fail(`${url} is of another issuer`)
  return isSafe(uri) ? metadata.success : yield* Effect.fail(`${url} names keys that are not behind https`)
})

/** Whether nobody can tamper with what goes to an address. */
export const isSafe = (url: string): boolean =>
  URL.canParse(url) && (url.startsWith("https:") || isLoopback(new URL(url).hostname))

const metadataUrls = (issuer: string): ReadonlyArray<string> => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`
  ].filter((url, at, all) => all.indexOf(url) === at)
}

type Fields = Readonly<Record<string, unknown>>

const idToken =
  "The token is an ID token, which tells a client who its user is: send the access token that came with it instead"

/**
 * The reason why a signed token is no access token: by the type in its header (RFC 8725, 3.11), or by its claims if that is merely
 * JWT, as with most issuers.
 */
const notForAccess = ({ typ }: Fields, payload: Fields): string | undefined => {
  const kind = Predicate.isString(typ) ? typ.toLowerCase().replace(/^application\//, "") : "jwt"
  if (kind === "at+jwt") return undefined
  if (kind.endsWith("+jwt"))
    return "The typ of the token is not that of an access token, at+jwt or JWT: send an access token"
  return isIdToken(payload) ? idToken : undefined
}

/** Keycloak uses `typ`, Cognito `token_use`; ID tokens of others have claims that only OpenID Connect defines for them. */
const isIdToken = ({ at_hash, c_hash, nonce, scope, scp, token_use, typ }: Fields): boolean => {
  if (typ === "ID" || token_use === "id") return true
  if (typ === "Bearer" || token_use === "access") return false
  if (at_hash !== undefined || c_hash !== undefined) return true
  // Some issuers repeat the nonce in access tokens, which then state their kind.
  return nonce !== undefined && scope === undefined && scp === undefined
}
