import { isJsonObject, type JsonObject, objectOf } from "../internal/schema/JsonObject.ts"
import { resolved } from "./browser.ts"
import { type Outcome, token } from "./client.ts"
import { textOf, textsOf } from "./json.ts"
import { readJson } from "./readJson.ts"

/** The things that a login leaves in this tab while the browser is at the issuer. */
const pendingKey = "workflow-tool-server-login"

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

const randomText = () => base64Url(crypto.getRandomValues(new Uint8Array(32)))

const failure = (problem: string): Outcome<JsonObject> => ({ ok: false, problem, details: undefined, needsToken: true })

const ask = (body?: object): Promise<Outcome<JsonObject>> =>
  fetch("login", {
    method: body === undefined ? "GET" : "POST",
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    credentials: "omit",
    cache: "no-store"
  }).then(
    (response) =>
      response.text().then((text) => {
        const value = objectOf(readJson(text)?.value)
        return response.ok ? { ok: true, value } : failure(textOf(value.error))
      }),
    () => failure("The server cannot be reached. Is it still running?")
  )

/** The address of this page, as the issuer has to know it. */
const redirectUri = () => location.origin + location.pathname

/** The place where a login begins, if this server has an issuer of tokens. */
export const readLogin = () => ask()

/** Leaves for the issuer; what it sends back is only good for this tab. */
export const beginLogin = (authorize: JsonObject): Promise<void> => {
  const [verifier, state] = [randomText(), randomText()]
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)).then((digest) => {
    sessionStorage.setItem(pendingKey, JSON.stringify({ verifier, state, hash: location.hash }))
    const url = new URL(textOf(authorize.endpoint))
    for (const [name, value] of Object.entries({
      response_type: "code",
      client_id: textOf(authorize.clientId),
      redirect_uri: redirectUri(),
      scope: textOf(authorize.scope),
      resource: textOf(authorize.resource),
      state,
      code_challenge: base64Url(new Uint8Array(digest)),
      code_challenge_method: "S256"
    })) {
      url.searchParams.set(name, value)
    }
    location.assign(url)
  })
}

/** Ends a login, where the browser comes back from one: the code becomes a token, and leaves the address. */
export const endLogin = (): Promise<string | undefined> => {
  const query = new URLSearchParams(location.search)
  const pending = objectOf(readJson(sessionStorage.getItem(pendingKey) ?? "")?.value)
  sessionStorage.removeItem(pendingKey)
  if (!query.has("state")) return resolved(undefined)
  history.replaceState(undefined, "", redirectUri() + (textOf(pending.hash) || location.hash))
  dispatchEvent(new Event("hashchange"))
  const problem = query.get("error_description") ?? query.get("error")
  if (textOf(pending.state) === "" || query.get("state") !== textOf(pending.state)) {
    return resolved("This login was not begun in this tab. Log in again.")
  }
  if (problem !== null) return resolved(`The issuer refused the login: ${problem}`)
  return ask({ code: query.get("code") ?? "", verifier: textOf(pending.verifier), redirectUri: redirectUri() }).then(
    (outcome) => {
      if (!outcome.ok) return outcome.problem
      token.set(textOf(outcome.value.token))
      return undefined
    }
  )
}

/** The scopes that a token says it has; undefined for one that is not of an issuer. */
const scopesIn = (text: string): ReadonlyArray<string> | undefined => {
  const [, middle = "", ...rest] = text.split(".")
  const isJwt = rest.length === 1 && /^[\w-]+$/.test(middle)
  const claims = isJwt ? readJson(atob(middle.replaceAll("-", "+").replaceAll("_", "/")))?.value : undefined
  if (!isJsonObject(claims)) return undefined
  const written = claims.scope ?? claims.scp
  return Array.isArray(written) ? textsOf(written) : textOf(written).split(" ")
}

/** Whether the token of this tab lets its bearer change something; only the server decides that, and this what is offered. */
export const mayChange = (): Promise<boolean> => {
  const scopes = scopesIn(token.get())
  if (scopes === undefined) return resolved(true)
  return readLogin().then((login) => {
    const writeScope = login.ok ? textOf(login.value.writeScope) : ""
    return writeScope === "" || scopes.includes(writeScope)
  })
}
