import { once } from "node:events"
import { createServer } from "node:http"

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

const workflow = (id: string, size: number) => ({
  id,
  name: "Order intake",
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
})

/** The id of a workflow that somebody changes between any two readings. */
export const changing = "changing"

const changed = (times: number) => {
  const updatedAt = new Date(Date.UTC(2026, 0, 1) + times).toISOString()
  return Buffer.from(JSON.stringify({ ...workflow(changing, 12), updatedAt }))
}

/** An engine with one workflow of 12 nodes, another one that changes, and a list of so many of this size. */
const engineOf = async (count: number, size: number) => {
  const one = Buffer.from(JSON.stringify(workflow("1", 12)))
  const all = Array.from({ length: count }, (_, index) => workflow(`${index}`, size))
  const many = Buffer.from(JSON.stringify({ data: all, nextCursor: null }))
  let times = 0
  const server = createServer(({ url = "" }, response) => {
    const body = url.startsWith("/api/v1/workflows/")
      ? url.endsWith(changing)
        ? changed(times++)
        : one
      : url.startsWith("/api/v1/workflows")
        ? many
        : Buffer.from("{}")
    const headers = { "content-type": "application/json; charset=utf-8", "content-length": body.length }
    response.writeHead(url.startsWith("/api/v1/workflows") ? 200 : 404, headers)
    response.end(body)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, close }
}

/** The data on which usual calls work. */
export const benchEngine = () => engineOf(100, 50)

/** Its list has 14 MB, of which a list of workflows shows 50 kB. */
export const wideEngine = () => engineOf(250, 200)
