import { readFile } from "node:fs/promises"
import { createServer, type RequestListener } from "node:http"

import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose"
import { afterEach, assert, beforeAll, describe, it } from "vitest"

import { directory, listen, run, standIn, startHttp, useCommand } from "../built.ts"

useCommand()

const resource = "https://workflows.example.com/mcp"
type Keys = Awaited<ReturnType<typeof generateKeyPair>>
let keys: Keys
let others: Keys
let issuer = ""
let requests: Array<string> = []
const faults = new Set<string>()

const answer: RequestListener = ({ url = "" }, response) => {
  requests.push(url)
  const json = (body: unknown) => response.setHeader("content-type", "application/json").end(JSON.stringify(body))
  if (faults.has(url)) response.writeHead(500).end()
  else if (url === "/.well-known/oauth-authorization-server") json({ issuer, jwks_uri: `${issuer}/keys` })
  else if (url === "/keys")
    void exportJWK(keys.publicKey).then((key) => json({ keys: [{ ...key, kid: "k1", alg: "ES256" }] }))
  else response.writeHead(404).end()
}

beforeAll(async () => {
  keys = await generateKeyPair("ES256", { extractable: true })
  others = await generateKeyPair("ES256")
  issuer = `http://127.0.0.1:${await listen(createServer(answer))}`
})
afterEach(() => {
  faults.clear()
  requests = []
})

const claims = (more: Readonly<Record<string, unknown>> = {}): JWTPayload => ({
  iss: issuer,
  aud: resource,
  sub: "ann",
  scope: "workflows:read workflows:write",
  exp: Math.floor(Date.now() / 1000) + 300,
  ...more
})
const signed = (
  payload: JWTPayload,
  { header = {}, key = keys.privateKey }: { header?: object; key?: Keys["privateKey"] } = {}
) => new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid: "k1", typ: "at+jwt", ...header }).sign(key)

const serve = async (http: object = {}, args: ReadonlyArray<string> = []) => {
  const cwd = await directory({ "c.json": { http: { oauth: { issuer, resource }, ...http }, audit: "audit.log" } })
  const { url } = await startHttp(["--embedded", "--config", "c.json", ...args], { cwd })
  const call = async (token: string | undefined, name = "list_workflows", args: object = { limit: 1 }) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/mcp`, { method: "POST", body, headers })
    return {
      status: response.status,
      challenge: response.headers.get("www-authenticate") ?? "",
      text: await response.text()
    }
  }
  return { call, cwd, url }
}

describe("tokens of an issuer", () => {
  it("are asked for with the place that tells how to get one", async () => {
    const { call, url } = await serve()
    const metadataUrl = "https://workflows.example.com/.well-known/oauth-protected-resource/mcp"
    const { challenge, status } = await call(undefined)
    assert.strictEqual(status, 401)
    assert.strictEqual(challenge, `Bearer resource_metadata="${metadataUrl}", scope="workflows:read"`)
    for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]) {
      assert.deepEqual(await (await fetch(url + path)).json(), {
        resource,
        authorization_servers: [issuer],
        scopes_supported: ["workflows:read", "workflows:write"],
        bearer_methods_supported: ["header"],
        resource_name: "workflow-tool-server"
      })
    }
    assert.strictEqual((await fetch(`${url}/health`)).status, 200)
    assert.deepEqual(requests, [])
  })

  it("let read with one scope and change with the other", async () => {
    const { call } = await serve()
    const reader = await signed(claims({ scope: "openid workflows:read" }))
    const listed = await signed(claims({ scope: undefined, scp: ["workflows:read"] }))
    const writer = await signed(claims({ scope: "workflows:write" }))
    for (const token of [reader, listed, writer]) assert.strictEqual((await call(token)).status, 200)
    assert.strictEqual((await call(writer, "create_tag", { name: "made by ann" })).status, 200)
    const refused = await call(reader, "create_tag", { name: "not made" })
    assert.strictEqual(refused.status, 403)
    assert.include(refused.challenge, `error="insufficient_scope"`)
    assert.include(refused.challenge, `scope="workflows:read workflows:write"`)
    assert.include(refused.text, "INSUFFICIENT_SCOPE")
    assert.notInclude((await call(writer, "get_tags", {})).text, "not made")
    const none = await call(await signed(claims({ scope: "openid" })))
    assert.strictEqual(none.status, 403)
    assert.include(none.text, "neither the scope workflows:read nor workflows:write")
    assert.deepEqual(requests, ["/.well-known/oauth-authorization-server", "/keys"])
  })

  it("are offered the tools that the configuration gives to their scopes, and all others those of the server", async () => {
    const tools = { "workflows:daily": ["daily"], "workflows:tags": ["*_tag", "get_tags"] }
    const { call } = await serve({ oauth: { issuer, resource, tools } }, ["--tools=-delete_*"])
    const of = (scope: string) => signed(claims({ scope: `workflows:write ${scope}` }))
    assert.include((await call(await of("workflows:daily"), "search_workflows", {})).text, "content")
    const refused = await call(await of("workflows:daily"), "get_tags", {})
    assert.include(refused.text, "the scopes of the token of this request leave it out (http.oauth.tools")
    assert.include((await call(await of("workflows:daily workflows:tags"), "get_tags", {})).text, "content")
    const plain = await signed(claims())
    assert.include((await call(plain, "delete_tag", { id: "1" })).text, "--tools")
    assert.include((await call(plain, "get_tags", {})).text, "content")
  })

  it("are refused when they are forged, of somebody else, for something else or out of their time", async () => {
    const publicKey = new TextEncoder().encode(JSON.stringify(await exportJWK(keys.publicKey)))
    const now = Math.floor(Date.now() / 1000)
    const good = await signed(claims())
    const [header = "", payload = "", signature = ""] = good.split(".")
    const changed = Buffer.from(JSON.stringify(claims({ sub: "eve" }))).toString("base64url")
    const forged: ReadonlyArray<readonly [string, string]> = [
      ["no token at all", "0123456789abcdef"],
      ["without a signature", new UnsecuredJWT(claims()).encode()],
      ["signature left off", `${header}.${payload}.`],
      [
        "signed with the public key as a secret",
        await new SignJWT(claims()).setProtectedHeader({ alg: "HS256", kid: "k1" }).sign(publicKey)
      ],
      ["other key under the same name", await signed(claims(), { key: others.privateKey })],
      ["key of another name", await signed(claims(), { header: { kid: "k2" } })],
      [
        "key brought along",
        await new SignJWT(claims())
          .setProtectedHeader({ alg: "ES256", jwk: await exportJWK(others.publicKey) })
          .sign(others.privateKey)
      ],
      ["changed payload", `${header}.${changed}.${signature}`],
      ["another issuer", await signed(claims({ iss: "https://evil.example.com" }))],
      ["issuer with a slash", await signed(claims({ iss: `${issuer}/` }))],
      ["another resource", await signed(claims({ aud: "https://other.example.com/mcp" }))],
      ["no resource", await signed(claims({ aud: undefined }))],
      ["expired", await signed(claims({ exp: now - 60 }))],
      ["without an end", await signed(claims({ exp: undefined }))],
      ["not valid yet", await signed(claims({ nbf: now + 600 }))]
    ]
    // Further wrong tokens of an address have to wait.
    const atOnce = 5
    for (let at = 0; at < forged.length; at += atOnce) {
      const { call } = await serve()
      for (const [what, token] of forged.slice(at, at + atOnce)) {
        const { challenge, status, text } = await call(token)
        assert.strictEqual(status, 401, what)
        assert.match(challenge, /^Bearer error="invalid_token"/, what)
        assert.notInclude(text + challenge, token)
      }
      assert.strictEqual((await call(good)).status, 200)
    }
  })

  it("are refused in words that say what a token has to be, in the body as in the header", async () => {
    const { call } = await serve()
    const now = Math.floor(Date.now() / 1000)
    for (const [token, reason] of [
      [await signed(claims({ exp: now - 600 })), "The token has expired"],
      [await signed(claims({ aud: "https://other.example.com/mcp" })), `its aud must name ${resource}`],
      [
        await signed(claims({ aud: undefined, client_id: "client", token_use: "access" }), { header: { typ: "JWT" } }),
        `no aud, and may be made for anything, its aud must name ${resource}: ask for it with the parameter resource (RFC 8707)`
      ],
      [await signed(claims({ iss: "https://evil.example.com" })), `its iss must be ${issuer}`],
      ["opaque", "The token is not a signed JWT"]
    ] as const) {
      const { challenge, status, text } = await call(token)
      assert.strictEqual(status, 401)
      assert.include(JSON.parse(text).error, reason)
      assert.include(challenge, reason)
    }
    const { status, text } = await call(await signed(claims({ scope: "workflows:read" })), "create_tag", { name: "a" })
    assert.strictEqual(status, 403)
    assert.match(JSON.parse(text).error.message, /only allows to read: get one with the scope workflows:write$/)
  })

  it("are refused where they are ID tokens, or no access tokens by their own words", async () => {
    const id = "The token is an ID token"
    const plain = { header: { typ: "JWT" } }
    const given: ReadonlyArray<readonly [string, string]> = [
      [await signed(claims({ nonce: "n", scope: undefined }), plain), id],
      [await signed(claims({ at_hash: "h" }), plain), id],
      [await signed(claims({ c_hash: "h", nonce: "n" }), { header: { typ: undefined } }), id],
      [await signed(claims({ token_use: "id" }), plain), id],
      [await signed(claims({ typ: "ID", azp: "client" }), plain), id],
      [await signed(claims({ aud: "client", nonce: "n", scope: undefined }), plain), id],
      [
        await signed(claims(), { header: { typ: "logout+jwt" } }),
        "The typ of the token is not that of an access token"
      ],
      [await signed(claims(), { header: { typ: "application/dpop+jwt" } }), "The typ of the token is not that"]
    ]
    for (const half of [given.slice(0, 4), given.slice(4)]) {
      const { call } = await serve()
      for (const [token, reason] of half) {
        const { challenge, status, text } = await call(token)
        assert.strictEqual(status, 401, text)
        assert.match(challenge, /^Bearer error="invalid_token"/)
        assert.include(challenge, reason)
        assert.include(JSON.parse(text).error, reason)
        assert.include(text, "send ")
      }
    }
  })

  it("are taken as issuers write them", async () => {
    const { call } = await serve()
    for (const [of, header, more] of [
      ["Entra", { typ: "JWT" }, { scope: undefined, scp: "workflows:read", ver: "2.0", azp: "client", uti: "u" }],
      ["Auth0", { typ: "JWT" }, { azp: "client", gty: "password", scope: "openid workflows:read" }],
      ["Keycloak", { typ: "JWT" }, { typ: "Bearer", azp: "client", nonce: "n", scope: "openid workflows:read" }],
      ["Cognito", { typ: undefined }, { token_use: "access", client_id: "client", scope: "workflows:read" }],
      ["Okta", { typ: undefined }, { cid: "client", scope: undefined, scp: ["workflows:read"] }],
      ["RFC 9068", { typ: "application/at+jwt" }, { client_id: "client", nonce: "n", at_hash: "h" }]
    ] as const) {
      const { status, text } = await call(await signed(claims(more), { header }))
      assert.strictEqual(status, 200, `${of}: ${text}`)
    }
  })

  it("are told to come again while the issuer does not answer, and taken when it does", async () => {
    faults.add("/keys")
    const { call } = await serve()
    const token = await signed(claims())
    const { status, text } = await call(token)
    assert.strictEqual(status, 503)
    assert.include(text, issuer)
    faults.clear()
    assert.strictEqual((await call(token)).status, 200)
  })

  it("stand beside a token of one's own, and name their owner in the audit log", async () => {
    const { call, cwd } = await serve({ authToken: "0123456789abcdef" })
    assert.strictEqual((await call("0123456789abcdef", "create_tag", { name: "a" })).status, 200)
    assert.strictEqual((await call(await signed(claims()), "create_tag", { name: "b" })).status, 200)
    const read = async () =>
      (await readFile(`${cwd}/audit.log`, "utf8"))
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line))
    await assertEventually(async () => assert.lengthOf(await read(), 2))
    const [shared, issued] = await read()
    assert.notProperty(shared, "subject")
    assert.propertyVal(issued, "subject", "ann")
  })

  it("go to no engine, whoever they are of", async () => {
    const requests: Array<string> = []
    const host = await standIn(({ method, rawHeaders, url }, response) => {
      requests.push([method, url, ...rawHeaders].join(" "))
      response.setHeader("content-type", "application/json").end('{"data":[],"nextCursor":null}')
    })
    const environments = { ours: { engine_host: host, engine_api_key: "key of the engine" } }
    const authToken = "0123456789abcdef"
    const cwd = await directory({ "c.json": { environments, http: { oauth: { issuer, resource }, authToken } } })
    const { url } = await startHttp(["--config", "c.json"], { cwd })
    const token = await signed(claims())
    for (const bearer of [authToken, token]) {
      const headers = { authorization: `Bearer ${bearer}` }
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_workflows" } })
      assert.strictEqual((await fetch(`${url}/mcp`, { method: "POST", body, headers })).status, 200)
    }
    assert.isAbove(requests.filter((request) => request.includes("/workflows")).length, 1)
    assert.include(requests.join(), "key of the engine")
    for (const request of requests) {
      for (const part of [authToken, ...token.split(".")]) assert.notInclude(request, part)
      assert.notMatch(request, /authorization/i)
    }
  })

  it("need an issuer and a resource that nobody can listen to", async () => {
    const cwd = await directory({
      "plain.json": { http: { oauth: { issuer: "http://issuer.example.com", resource } } },
      "none.json": { http: { oauth: { issuer: "https://issuer.example.com" } } },
      "typo.json": { http: { oauth: { issuer: "https://issuer.example.com", resource, readscope: "a" } } }
    })
    const said = async (file: string) => run(["--http", "--embedded", "--config", file], { cwd })
    assert.include(
      (await said("plain.json")).stderr,
      "http.oauth.issuer: expected the URL of the issuer of tokens, which begins with https://"
    )
    assert.include(
      (await said("none.json")).stderr,
      "http.oauth.resource: expected the URL of /mcp as clients write it"
    )
    assert.include((await said("typo.json")).stderr, "readscope")
  })
})

/** Repeats a check until it holds; the test's own time ends it. */
const assertEventually = async (check: () => Promise<void>): Promise<void> => {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    await new Promise((resolve) => setImmediate(resolve))
    await assertEventually(check)
  }
}
