import { Effect, Redacted, Result, Schema } from "effect"
import * as Base64 from "effect/encoding/Base64"

import type { Login, LoginStart } from "../../mcp/transport/page.ts"
import type { OAuthSettings } from "../configuration/fileFields.ts"
import { discover, isSafe, issuerTimeout } from "./oauth.ts"

const refused = (problem: string) => Effect.fail(problem)

/** The issuer's addresses for a login, or why there can be none. */
const endpoints = Effect.fnUntraced(function* ({ issuer }: OAuthSettings) {
  const {
    authorization_endpoint: authorization = "",
    token_endpoint: token = "",
    token_endpoint_auth_methods_supported: methods = [basic]
  } = yield* Effect.mapError(discover(issuer), ({ reason }) => reason)
  if (!isSafe(authorization) || !isSafe(token)) {
    return yield* refused(`The issuer ${issuer} offers no login: its metadata names no endpoints behind https for it.`)
  }
  return { authorization, token, isBasic: methods.includes(basic) }
})

/** The way of sending the secret of a client that every issuer of secrets has to know (RFC 6749, 2.3.1). */
const basic = "client_secret_basic"

/** The client as it says who it is to the issuer: a public one by its id alone, one with a secret by both. */
const credentialsOf = (clientId: string, clientSecret: Redacted.Redacted | undefined, isBasic: boolean) => {
  if (clientSecret === undefined) return { headers: {}, fields: { client_id: clientId } }
  const secret = Redacted.value(clientSecret)
  if (!isBasic) return { headers: {}, fields: { client_id: clientId, client_secret: secret } }
  const written = [clientId, secret].map((text) => new URLSearchParams({ "": text }).toString().slice(1)).join(":")
  return { headers: { authorization: `Basic ${Base64.encode(written)}` }, fields: {} }
}

const Tokens = Schema.Struct({ access_token: Schema.NonEmptyString })
const readTokens = Schema.decodeUnknownResult(Tokens)

const Failure = Schema.Struct({ error: Schema.String, error_description: Schema.optionalKey(Schema.String) })
const readFailure = Schema.decodeUnknownResult(Failure)

/**
 * The login of people at the issuer: an authorization code with PKCE, which this server exchanges, so that the page calls
 * nobody but this server. Only the access token goes back to the page.
 */
export const loginWith = (settings: OAuthSettings): Login => {
  const { clientId, clientSecret, issuer, readScope, resource, writeScope } = settings
  if (clientId === undefined) return { start: Effect.succeed({ writeScope }), exchange: () => refused(notConfigured) }
  const start = Effect.map(endpoints(settings), ({ authorization }): LoginStart => ({
    writeScope,
    authorize: { endpoint: authorization, clientId, scope: `${readScope} ${writeScope}`, resource }
  }))
  const exchange: Login["exchange"] = Effect.fnUntraced(function* ({ code, redirectUri, verifier }) {
    const { isBasic, token } = yield* endpoints(settings)
    const { fields, headers } = credentialsOf(clientId, clientSecret, isBasic)
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
      resource,
      ...fields
    })
    const silent = () => `The issuer ${issuer} did not answer. Log in again.`
    const response = yield* Effect.tryPromise({
      try: () =>
        fetch(token, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json", ...headers },
          body,
          redirect: "manual",
          signal: AbortSignal.timeout(issuerTimeout)
        }),
      catch: silent
    })
    const answer: unknown = yield* Effect.tryPromise({ try: () => response.json(), catch: silent })
    const tokens = readTokens(answer)
    if (response.ok && Result.isSuccess(tokens)) return tokens.success.access_token
    const failure = readFailure(answer)
    const words = Result.isSuccess(failure) ? (failure.success.error_description ?? failure.success.error) : ""
    return yield* refused(
      `The issuer ${issuer} refused the login${words === "" ? "" : `: ${words.slice(0, 200)}`}. Log in again.`
    )
  })
  return { start, exchange }
}

const notConfigured = "No login is configured: http.oauth.clientId names the client for it."
