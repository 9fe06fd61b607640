import { once } from "node:events"
import { createServer } from "node:http"

/** An engine with a list of 250 workflows of 200 nodes each, 14 MB of which a list of workflows shows 50 kB. */
export const wideEngine = async (nodes = 200) => {
  const body = Buffer.from(JSON.stringify({ data: workflows(250, nodes), nextCursor: null }))
  const one = Buffer.from(JSON.stringify(workflows(1, 12)[0]))
  const server = createServer(({ url = "" }, response) => {
    const isList = url.startsWith("/api/v1/workflows?") || url === "/api/v1/workflows"
    const isOne = url.startsWith("/api/v1/workflows/")
    const answer = isList ? body : isOne ? one : Buffer.from("{}")
    response.writeHead(isList || isOne ? 200 : 404, {
      "content-type": "application/json; charset=utf-8",
      "content-length": answer.length
    })
    response.end(answer)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

const workflows = (count: number, size: number) =>
  Array.from({ length: count }, (_, id) => ({
    id: `${id}`,
    name: `Order intake ${id}`,
    active: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    nodes: Array.from({ length: size }, (_, index) => node(index)),
    connections: Object.fromEntries(
      Array.from({ length: size - 1 }, (_, index) => [
        `Step ${index}`,
        { main: [[{ node: `Step ${index + 1}`, type: "main", index: 0 }]] }
      ])
    ),
    settings: { executionOrder: "v1" },
    tags: [{ id: "t", name: "red" }]
  }))

const node = (index: number) => ({
  id: `n${index}`,
  name: `Step ${index}`,
  type: "n8n-nodes-base.set",
  typeVersion: 3.4,
  position: [index * 220, 0],
  parameters: {
    assignments: { assignments: [{ id: `a${index}`, name: "total", value: "={{ $json.price * 2 }}", type: "number" }] }
  }
})
