import { assert } from "vitest"

type Json = Readonly<Record<string, unknown>>

const post = (url: string, method: string, params: Json, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", "mcp-protocol-version": "2025-11-25", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })

/** Reads a resource. */
export const read = async (url: string, uri: string): Promise<{ readonly mimeType: string; readonly text: string }> => {
  const response = await post(url, "resources/read", { uri })
  const { result }: { result?: { contents: ReadonlyArray<{ mimeType: string; text: string }> } } = JSON.parse(
    await response.text()
  )
  return result?.contents[0] ?? assert.fail(`${uri} cannot be read`)
}

/** The list of tools as the server sends it to a client that shows views. */
export const toolList = async (url: string): Promise<string> => {
  const capabilities = { extensions: { "io.modelcontextprotocol/ui": {} } }
  const clientInfo = { name: "test", version: "1" }
  const { headers } = await post(url, "initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo })
  return (await post(url, "tools/list", {}, { "mcp-session-id": headers.get("mcp-session-id") ?? "" })).text()
}

/** Calls a tool of a server, as any client would; a refusal fails the test. */
export const call = async (url: string, name: string, args: Json): Promise<Json> => {
  const response = await post(url, "tools/call", { name, arguments: args })
  const { error, result }: { error?: { message: string }; result?: { structuredContent: Json } } = JSON.parse(
    await response.text()
  )
  return result?.structuredContent ?? assert.fail(`${name}: ${error?.message}`)
}

/** A node that does nothing, at a place. */
export const step = (name: string, x: number, y: number, more: Json = {}) => ({
  name,
  type: "engine-nodes-base.noOp",
  typeVersion: 1,
  position: [x, y],
  parameters: {},
  ...more
})
