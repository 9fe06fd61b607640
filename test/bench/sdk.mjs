// The same work as the command's, done by a server of the official SDK, as most people would write it: what a call costs with that.
// Arguments: transport and engine's port. The SDK is that of the suite of clients.
import { randomUUID } from "node:crypto"
import http from "node:http"
import { createRequire } from "node:module"

const require = createRequire(new URL("../clients/package.json", import.meta.url))
const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js")
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js")
const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js")
const { z } = require("zod")

const [, , transport, port] = process.argv

const read = async (path) => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers: { "x-n8n-api-key": "bench" } })
  return answer.json()
}

const server = new McpServer({ name: "bench", version: "1.0.0" })
const fields = {
  id: z.string().describe("Which one").optional(),
  limit: z.number().int().min(1).max(250).describe("Page size").optional(),
  instance: z.string().describe("production (default), staging").optional()
}
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }
const add = (name, run) => {
  const description = "What it does, in a few words that a model reads before it calls it"
  server.registerTool(name, { title: `Tool ${name}`, description, inputSchema: fields, annotations }, async (args) => ({
    content: [{ type: "text", text: JSON.stringify(await run(args)) }]
  }))
}
add("get_workflow", ({ id }) => read(`/workflows/${id}`))
for (let index = 1; index < 23; index++) add(`tool_${index}`, () => ({}))

if (transport === "http") {
  // One session for all calls, with answers as plain JSON: the least that the SDK takes.
  const session = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, enableJsonResponse: true })
  await server.connect(session)
  const listener = http.createServer((request, response) => void session.handleRequest(request, response))
  listener.listen(0, "127.0.0.1", () => console.error(`Serving http://127.0.0.1:${listener.address().port}/mcp`))
} else await server.connect(new StdioServerTransport())
