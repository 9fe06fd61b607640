/**
 * A stand-in for an engine of generation 2 with many workflows, in a process of its own: `engine.ts 10000`, of 12 nodes or as many
 * as are named. Everything is made when it is asked for. Prints its address, and tells who asks how many requests it got.
 */
import { createServer, type ServerResponse } from "node:http"

const count = Number(process.argv[2] ?? 10_000)
/** The mark that tells its workflows apart from those of another engine. */
const place = process.argv[3] ?? "e0"
const size = Number(process.argv[4] ?? 12)
const megabyte = 1024 * 1024
const time = "2026-01-01T00:00:00.000Z"

const types = [
  "webhook",
  "set",
  "if",
  "httpRequest",
  "code",
  "merge",
  "switch",
  "executeWorkflow",
  "set",
  "httpRequest"
]

const parametersOf = (type: string, workflow: number, node: number) => {
  switch (type) {
    case "webhook":
      return { path: `hook-${workflow}`, httpMethod: "POST", responseMode: "lastNode", options: {} }
    case "httpRequest":
      return {
        method: "POST",
        url: `https://${place}.api.example.com/v1/orders/${workflow}/{{ $json.order.id }}`,
        sendHeaders: true,
        headerParameters: { parameters: [{ name: "Accept", value: "application/json" }] },
        jsonBody: `={{ { id: $json.id, total: $('Node 1').item.json.total * 1.2, note: "order of ${workflow}" } }}`,
        options: { timeout: 10_000, retry: { maxTries: 3 } }
      }
    case "code":
      return {
        jsCode: `// Sums up order ${workflow}\nconst rows = $input.all().map((item) => item.json)\nconst total = rows.reduce((sum, row) => sum + row.price * row.count, 0)\nreturn [{ json: { total, rows: rows.length, node: ${node} } }]\n`
      }
    case "executeWorkflow":
      return { workflowId: { __rl: true, value: `w${workflow + 1}`, mode: "id" }, options: {} }
    default:
      return {
        assignments: {
          assignments: [
            { id: `a${node}`, name: "customer.name", value: "={{ $json.body.customer.name }}", type: "string" },
            { id: `b${node}`, name: "customer.mail", value: "={{ $json.body.customer.mail }}", type: "string" }
          ]
        },
        options: {}
      }
  }
}

/** Ten workflows at a time call each other, one after the other. */
const nodeOf = (workflow: number, at: number) => {
  const type = at === 0 ? "webhook" : (types[at % types.length] ?? "set")
  const isLast = type === "executeWorkflow" && workflow % 10 === 9
  const kind = isLast || (at > 0 && type === "webhook") ? "set" : type
  return {
    id: `${workflow}-${at}`,
    name: `Node ${at}`,
    type: `n8n-nodes-base.${kind}`,
    typeVersion: 2,
    position: [at * 220, 0],
    parameters: parametersOf(kind, workflow, at),
    ...(kind === "httpRequest"
      ? { credentials: { httpHeaderAuth: { id: `c${workflow % 40}`, name: `Shop ${workflow % 40}` } } }
      : {})
  }
}

const tag = { id: "promoted", name: "promoted", createdAt: time, updatedAt: time }

const workflow = (number: number, nodes = size) => {
  const id = nodes === size ? `w${number}` : `big${nodes}`
  return {
    id,
    name: `Workflow ${id}`,
    active: number % 5 === 0 && nodes === size,
    isArchived: false,
    createdAt: time,
    updatedAt: time,
    versionId: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    activeVersionId: null,
    triggerCount: 0,
    description: null,
    nodes: Array.from({ length: nodes }, (_, at) => nodeOf(number, at)),
    connections: Object.fromEntries(
      Array.from({ length: nodes - 1 }, (_, at) => [
        `Node ${at}`,
        { main: [[{ node: `Node ${at + 1}`, type: "main", index: 0 }]] }
      ])
    ),
    settings: { executionOrder: "v1" },
    staticData: null,
    pinData: {},
    meta: null,
    shared: [{ role: "workflow:owner", workflowId: id, projectId: "p", createdAt: time, updatedAt: time }],
    tags: number < 300 ? [tag] : []
  }
}

/** Executions by their ids: up to 1000 small ones, then of so many megabytes; every other one has failed. */
const execution = (id: number, isWhole: boolean) => {
  const megabytes = id > 1000 ? id - 1000 : 0
  const isFailed = id % 2 === 0
  const startedAt = new Date(Date.now() - 60_000 - id).toISOString()
  const head = {
    id: String(id),
    finished: !isFailed,
    mode: "webhook",
    status: isFailed ? "error" : "success",
    startedAt,
    stoppedAt: startedAt,
    workflowId: `w${id % 100}`,
    retryOf: null,
    waitTill: null,
    customData: {}
  }
  if (!isWhole) return head
  const row = {
    id: 1,
    customer: { name: "Ada", mail: "ada@example.com" },
    lines: ["one", "two"],
    note: "x".repeat(800)
  }
  const rows = Math.max(2, Math.round((megabytes * megabyte) / 3 / 1000))
  const run = (node: number) => ({
    startTime: 1,
    executionTime: 5,
    executionStatus: "success",
    source: node === 0 ? [] : [{ previousNode: `Node ${node - 1}` }],
    data: { main: [Array.from({ length: rows }, (_, item) => ({ json: { ...row, id: item }, pairedItem: { item } }))] }
  })
  const error = { name: "NodeApiError", message: "Order 17 was refused", stack: "at x", node: { name: "Node 2" } }
  const failed = {
    startTime: 1,
    executionTime: 5,
    executionStatus: "error",
    source: [{ previousNode: "Node 1" }],
    error
  }
  return {
    ...head,
    data: {
      startData: {},
      resultData: {
        runData: { "Node 0": [run(0)], "Node 1": [run(1)], "Node 2": [isFailed ? failed : run(2)] },
        lastNodeExecuted: "Node 2",
        ...(isFailed ? { error } : {})
      }
    },
    workflowData: workflow(id % 100)
  }
}

const send = (response: ServerResponse, body: unknown, status = 200) => {
  const text = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { "content-type": "application/json", "content-length": text.length }).end(text)
}

/** A page of a list. As of engines, the cursor holds the limit, too, which goes before that of the query. */
const paged = (query: URLSearchParams, total: number, item: (number: number) => unknown) => {
  const [from = 0, limit = Number(query.get("limit") ?? 100)] = query.get("cursor")?.split(":").map(Number) ?? []
  const to = Math.min(from + limit, total)
  return {
    data: Array.from({ length: to - from }, (_, at) => item(from + at)),
    nextCursor: to < total ? `${to}:${limit}` : null
  }
}

let requests = 0

const server = createServer((request, response) => {
  requests += 1
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://engine")
  request.resume()
  const [, kind = "", id, action] = /^\/api\/v1\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(pathname) ?? []
  const isList = id === undefined
  if (kind === "workflows" && isList)
    return send(
      response,
      paged(query, count, (number) => workflow(number))
    )
  if (kind === "workflows" && action === undefined) {
    const [, name = "", number = "0"] = /^(w|big)(\d+)$/.exec(id ?? "") ?? []
    return send(response, name === "big" ? workflow(0, Number(number)) : workflow(Number(number)))
  }
  if (kind === "tags" && isList) return send(response, { data: [tag], nextCursor: null })
  if (kind === "credentials" && isList) {
    const credential = (number: number) => ({ id: `c${number}`, name: `Shop ${number}`, type: "httpHeaderAuth" })
    return send(response, paged(query, 40, credential))
  }
  if (kind === "executions" && isList) {
    const wanted = query.get("status")
    const isWhole = query.get("includeData") === "true"
    if (wanted === "running" || wanted === "crashed" || wanted === "waiting") return send(response, { data: [] })
    const ids = wanted === null ? (n: number) => n + 1 : (n: number) => 2 * n + (wanted === "error" ? 2 : 1)
    return send(
      response,
      paged(query, wanted === null ? 1000 : 500, (number) => execution(ids(number), isWhole))
    )
  }
  if (kind === "executions" && action === undefined) {
    return send(response, execution(Number(id), query.get("includeData") === "true"))
  }
  send(response, { message: "not found" }, 404)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.stdout.write(`http://127.0.0.1:${address.port}\n`)
})
process.on("message", () => process.send?.(requests))
process.on("disconnect", () => process.exit())
