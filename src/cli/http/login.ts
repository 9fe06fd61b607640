import { Effect, Result, Schema } from "effect"

import type { Login, LoginStart } from "../../mcp/transport/page.ts"
import type { OAuthSettings } from "../configuration/fileFields.ts"
import { discover, isSafe, issuerTimeout } from "./oauth.ts"

const refused = (problem: string) => Effect.fail(problem)

/** The issuer's addresses for a login, or why there can be none. */
const endpoints = Effect.fnUntraced(function* ({ issuer }: OAuthSettings) {
  const { authorization_endpoint: authorization = "", token_endpoint: token = "" } = yield* Effect.mapError(
    discover(issuer),
    ({ reason }) => reason
  )
  if (!isSafe(authorization) || !isSafe(token)) {
    return yield* refused(`The issuer ${issuer} offers no login: its metadata names no endpoints behind https for it.`)
  }
  return { authorization, token }
})

const Tokens = Schema.Struct({ access_token: Schema.NonEmptyString })
const readTokens = Schema.decodeUnknownResult(Tokens)

const Failure = Schema.Struct({ error: Schema.String, error_description: Schema.optionalKey(Schema.String) })
const readFailure = Schema.decodeUnknownResult(Failure)

/**
 * The login of people at the issuer: an authorization code with PKCE, which this server exchanges, so that the page calls
 * nobody but this server. Only the access token goes back to the page.
 */
export const loginWith = (settings: OAuthSettings): Login => {
  const { clientId, issuer, readScope, resource, writeScope } = settings
  if (clientId === undefined) return { start: Effect.succeed({ writeScope }), exchange: () => refused(notConfigured) }
  const start = Effect.map(endpoints(settings), ({ authorization }): LoginStart => ({
    writeScope,
    authorize: { endpoint: authorization, clientId, scope: `${readScope} ${writeScope}`, resource }
  }))
  const exchange: Login["exchange"] = Effect.fnUntraced(function* ({ code, redirectUri, verifier }) {
    const { token } = yield* endpoints(settings)
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
      client_id: clientId,
      resource
    })
    const silent = () => `The issuer ${issuer} did not answer. Log in again.`
    const response = yield* Effect.tryPromise({
      try: () =>
        fetch(token, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
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
