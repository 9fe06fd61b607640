import { Predicate } from "effect"

type Fields = Readonly<Record<string, unknown>>

const idToken =
  "The token is an ID token, which tells a client who its user is: send the access token that came with it instead"

/**
 * Why a signed token is not an access token: by the type in its header (RFC 8725, 3.11), or by its claims if that is merely
 * JWT, as with most issuers.
 */
export const notForAccess = ({ typ }: Fields, payload: Fields): string | undefined => {
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
