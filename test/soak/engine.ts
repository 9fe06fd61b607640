import { gzipSync } from "node:zlib"

import { Effect, Scope } from "effect"

import { type Act, endsAfter, listen, neverEnds, type Received, replies, resetsAfter } from "../support/loopback.ts"
import type { Random } from "./random.ts"

const MiB = 1024 * 1024
const half = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"data":[1,2'
const chunked = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
const gzipped =
  "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n"
const announced = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${100 * MiB}\r\n\r\n`
const bomb = gzipSync(Buffer.alloc(64 * MiB))
const blanks = Buffer.alloc(MiB, " ")

/** Nobody but the engine may see it. */
export const key = "canary-soak-77ab01"

const node = {
  id: "n",
  name: "Start",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  parameters: { path: "x" },
  webhookId: "x"
}

const workflow = (id: string, padding = 0) => ({
  id,
  name: `Workflow ${id}`,
  active: false,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  nodes: [{ ...node, notes: "x".repeat(padding) }],
  connections: {},
  settings: {},
  tags: []
})

const json = (body: unknown, status = 200): Act =>
  replies(status, JSON.stringify(body), { "content-type": "application/json" })

const pathOf = ({ head }: Received) => head.split(" ", 2)

/** The answer of an engine that is well; the id of a workflow can ask for a large one: `mib-3-…`. */
const healthy: Act = (socket, request) => {
  const [method = "", path = ""] = pathOf(request)
  const [, kind = "", id, action] = /^\/api\/v1\/(\w+)(?:\/([^/?]+))?(?:\/(\w+))?/.exec(path) ?? []
  if (action === "tags") return json([])(socket, request)
  const padding = Number(/^mib-(\d+)/.exec(id ?? "")?.[1] ?? 0) * MiB
  const thing = kind === "workflows" ? workflow(id ?? "new", padding) : { id: id ?? "1", name: "x" }
  json(id === undefined && method === "GET" ? { data: [thing], nextCursor: null } : thing)(socket, request)
}

/** After so long at most an answer that comes late comes. */
const later =
  (random: Random, milliseconds: number, act: Act): Act =>
  (socket, request) => {
    setTimeout(() => act(socket, request), random.below(milliseconds))
  }

const faults = (random: Random): ReadonlyArray<readonly [number, readonly [string, Act]]> => [
  [300, ["healthy", later(random, 15, healthy)]],
  [20, ["slow", later(random, 3000, healthy)]],
  [10, ["reset", resetsAfter("")]],
  [10, ["reset in the body", resetsAfter(half)]],
  [10, ["end in the body", endsAfter(half)]],
  [5, ["late reset", later(random, 5000, resetsAfter(""))]],
  [10, ["429", (socket, request) => replies(429, "{}", { "retry-after": "0" })(socket, request)]],
  [5, ["500", json({ message: `out of order, ${key}` }, 500)]],
  [5, ["502", replies(502, "<html>Bad gateway</html>", { "content-type": "text/html" })]],
  [5, ["503", json({ message: "later" }, 503)]],
  [5, ["404", json({ message: "Not Found" }, 404)]],
  [5, ["a page", replies(200, `<html>${key}</html>`, { "content-type": "text/html" })]],
  [5, ["half a JSON", replies(200, '{"id":"1","nodes":[{', { "content-type": "application/json" })]],
  [5, ["another shape", json({ id: 7, nodes: null, data: "x" })]],
  [5, ["deep", replies(400, `{"message":"no","more":${"[".repeat(6000)}${"]".repeat(6000)}}`)]],
  [5, ["elsewhere", replies(302, "", { location: "http://127.0.0.1:9/stranger" })]],
  [3, ["closes afterwards", (socket, request) => (healthy(socket, request), socket.end())]]
]

/** The faults and creations of one engine, by which a run judges it. */
export interface Seen {
  readonly faults: Map<string, number>
  /** How often a creation of this name may have been carried out. */
  readonly creations: Map<string, number>
}

/** An engine that fails at random, by a seed; ids that begin with `huge`, `bomb` and `endless` get answers like that. */
export const engine = Effect.fnUntraced(function* (random: Random, scope: Scope.Scope) {
  const seen: Seen = { faults: new Map(), creations: new Map() }
  const table = faults(random)
  const act: Act = (socket, request) => {
    const [method = "", path = ""] = pathOf(request)
    if (!path.startsWith("/api/v1/")) return replies(404, "{}")(socket, request)
    if (path.includes("/huge")) return neverEnds(announced, blanks)(socket, request)
    if (path.includes("/bomb")) return neverEnds(gzipped, bomb)(socket, request)
    if (path.includes("/endless")) {
      const chunk = Buffer.concat([Buffer.from(`${MiB.toString(16)}\r\n`), blanks, Buffer.from("\r\n")])
      return neverEnds(chunked, chunk)(socket, request)
    }
    const isLarge = path.includes("/mib-") || request.body.length > MiB
    const [name, fault] = isLarge ? (["large", healthy] as const) : random.pick(table)
    seen.faults.set(name, (seen.faults.get(name) ?? 0) + 1)
    if (method === "POST" && path === "/api/v1/workflows" && name !== "429") {
      const created = /"name":"(soak [^"]+)"/.exec(request.body)?.[1] ?? "?"
      seen.creations.set(created, (seen.creations.get(created) ?? 0) + 1)
    }
    fault(socket, request)
  }
  const { url } = yield* listen(act).pipe(Effect.provideService(Scope.Scope, scope))
  return { host: url, seen }
})
