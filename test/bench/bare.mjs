// The same work as the command's, done by Node alone: what a call costs at the least. Arguments: transport, engine's port, and
// `fetch` where the engine is asked by that, as most programs do.
import http from "node:http"

const [, , transport, port, client] = process.argv
const agent = new http.Agent({ keepAlive: true })

const fetched = async (path) => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers: { "x-n8n-api-key": "bench" } })
  return answer.json()
}

const requested = (path) =>
  new Promise((resolve, reject) => {
    http
      .get(
        { host: "127.0.0.1", port, path: `/api/v1${path}`, agent, headers: { "x-n8n-api-key": "bench" } },
        (answer) => {
          const chunks = []
          answer.on("data", (chunk) => chunks.push(chunk))
          answer.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
        }
      )
      .on("error", reject)
  })

const read = client === "fetch" ? fetched : requested

const tools = Array.from({ length: 23 }, (_, index) => ({
  name: `tool_${index}`,
  title: `Tool ${index}`,
  description: "What it does, in a few words that a model reads before it calls it",
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "string", description: "Which one" },
      limit: { type: "integer", minimum: 1, maximum: 250, description: "Page size" },
      instance: { type: "string", description: "production (default), staging" }
    }
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }
}))

const summary = ({ active, createdAt, id, name, nodes, tags, updatedAt }) => ({
  id,
  name,
  active,
  createdAt,
  updatedAt,
  nodes: nodes.length,
  tags: tags.map((tag) => ({ id: tag.id, name: tag.name }))
})

const serve = async ({ method, params }) => {
  if (method === "ping" || method === "initialize") return {}
  if (method === "tools/list") return { tools }
  const { arguments: args, name } = params
  if (name === "get_workflow") {
    return { content: [{ type: "text", text: JSON.stringify(await read(`/workflows/${args.id}`)) }] }
  }
  const { data } = await read("/workflows?limit=100")
  return { content: [{ type: "text", text: JSON.stringify({ data: data.map(summary) }) }] }
}

const answer = async (text) => {
  const message = JSON.parse(text)
  return JSON.stringify({ jsonrpc: "2.0", id: message.id, result: await serve(message) })
}

if (transport === "http") {
  const server = http.createServer((request, response) => {
    const chunks = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", async () => {
      const text = await answer(Buffer.concat(chunks).toString())
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
      response.end(text)
    })
  })
  server.listen(0, "127.0.0.1", () => console.error(`Serving http://127.0.0.1:${server.address().port}/mcp`))
} else {
  let rest = ""
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop()
    for (const line of lines)
      if (line.includes('"id":')) void answer(line).then((text) => process.stdout.write(`${text}\n`))
  })
}
