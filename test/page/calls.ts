import { assert } from "vitest"

type Json = Readonly<Record<string, unknown>>

/** Calls a tool of a server, as any client would; a refusal fails the test. */
export const call = async (url: string, name: string, args: Json): Promise<Json> => {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
  })
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
