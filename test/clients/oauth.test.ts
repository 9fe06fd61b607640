import { createServer } from "node:http"

import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Provider } from "oidc-provider"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { directory, listen, startHttp, useCommand } from "../cli/built.ts"
import { freePort } from "../support/freePort.ts"

useCommand()

const clients = { reader: "workflows:read", writer: "workflows:read workflows:write" }
const secret = "a secret of this test alone"
let issuer = ""
let resource = ""
const open: Array<Client> = []

/** Starts the server for the resource that its issuer is told of, again if somebody else was given its port meanwhile. */
const startResource = async (attempts: number): Promise<unknown> => {
  const port = await freePort()
  resource = `http://127.0.0.1:${port}/mcp`
  const cwd = await directory({ "c.json": { http: { oauth: { issuer, resource } } } })
  const started = startHttp(["--embedded", "--config", "c.json", "--port", String(port)], { cwd })
  return attempts > 1 ? started.catch(() => startResource(attempts - 1)) : started
}

beforeAll(async () => {
  const server = createServer()
  issuer = `http://127.0.0.1:${await listen(server)}`
  const provider = new Provider(issuer, {
    clients: Object.entries(clients).map(([id, scope]) => ({
      client_id: id,
      client_secret: secret,
      scope,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: []
    })),
    scopes: ["workflows:read", "workflows:write"],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, indicator) => ({
          scope: "workflows:read workflows:write",
          audience: indicator,
          accessTokenTTL: 300,
          accessTokenFormat: "jwt"
        })
      }
    }
  })
  server.on("request", provider.callback())
  await startResource(3)
})
afterAll(() => Promise.all(open.map((client) => client.close())))

const connect = async (clientId: keyof typeof clients) => {
  const client = new Client({ name: clientId, version: "1.0.0" })
  const authProvider = new ClientCredentialsProvider({
    clientId,
    clientSecret: secret,
    scope: clients[clientId],
    expectedIssuer: issuer
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(resource), { authProvider }))
  open.push(client)
  return client
}

describe("an official client with a certified issuer", () => {
  it("finds the issuer, gets a token and works with it", async () => {
    const client = await connect("writer")
    assert.include(
      (await client.listTools()).tools.map(({ name }) => name),
      "create_tag"
    )
    const made = await client.callTool({ name: "create_tag", arguments: { name: "made with a token" } })
    assert.notEqual(made.isError, true)
  })

  it("that may only read is refused what would change something", async () => {
    const client = await connect("reader")
    const read = await client.callTool({ name: "get_tags", arguments: {} })
    assert.notEqual(read.isError, true)
    await client.callTool({ name: "create_tag", arguments: { name: "never made" } }).then(
      () => assert.fail("was not refused"),
      (error: unknown) => assert.match(String(error), /INSUFFICIENT_SCOPE|insufficient|scope|403/i)
    )
    const tags = await client.callTool({ name: "get_tags", arguments: {} })
    assert.notInclude(JSON.stringify(tags), "never made")
  })
})
