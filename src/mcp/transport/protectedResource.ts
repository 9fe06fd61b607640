import { HttpServerResponse } from "effect/http"

/** What clients need to know to request a token for this server from an authorization server (RFC 9728). */
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

/** Why a request is refused, as an error code of RFC 6750. */
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
