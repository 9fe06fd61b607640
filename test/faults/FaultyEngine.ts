import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import type { TlsOptions } from "node:tls"

import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"

import { type Act, listen, type Received, replies } from "../support/loopback.ts"
import { moment } from "./servers.ts"

const scope = Effect.runSync(Scope.make())

/** Ends the engines of a file after its tests. */
export const useEngines = () => afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const isLookUp = (head: string) =>
  !/^[A-Z]+ \/(api\/v1|webhook)\//.test(head) || /^GET \S+\/(credentials(\/0|\?limit=1)|discover) /.test(head)

export type FaultyEngine = Awaited<ReturnType<typeof faultyEngine>>

/** An engine on a real socket that is healthy until a test says otherwise, and remembers what it was asked. */
export const faultyEngine = async (tls?: TlsOptions) => {
  let sequence: Array<Act> = []
  let always: Act = healthy
  let requests: Array<Received & { readonly at: number }> = []
  const waiting = new Set<() => void>()

  const act: Act = (socket, request) => {
    // The version of the engine is looked up in the background, and the rights of a key now and then, at times of their own.
    if (isLookUp(request.head)) return replies(404, "{}")(socket, request)
    requests.push({ ...request, at: performance.now() })
    const next = sequence.shift() ?? always
    next(socket, request)
    for (const look of waiting) look()
  }
  const { counts, port, url } = await Effect.runPromise(
    listen(act, tls).pipe(Effect.provideService(Scope.Scope, scope))
  )

  return {
    port,
    host: url,
    counts,
    /** Does these for the next requests, one each, and is healthy again. */
    plays: (...acts: ReadonlyArray<Act>) => {
      requests = []
      always = healthy
      sequence = [...acts]
    },
    /** Does this for every request from now on. */
    does: (every: Act) => {
      requests = []
      sequence = []
      always = every
    },
    heals: () => {
      requests = []
      sequence = []
      always = healthy
    },
    /** The first lines of all requests since it was last told what to do. */
    asked: () => requests.map(({ head }) => head.split(" ", 2).join(" ")),
    requests: () => requests,
    /** Waits for so many requests since it was last told what to do. */
    untilAsked: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (requests.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      })
  }
}

export const node = (name: string) => ({
  id: name,
  name,
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  parameters: { path: name },
  webhookId: name
})

export const workflow = (id: string, more: object = {}) => ({
  id,
  name: `Workflow ${id}`,
  active: false,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  nodes: [node("Start")],
  connections: {},
  settings: {},
  tags: [],
  ...more
})

export const json = (body: unknown, status = 200): Act =>
  replies(status, JSON.stringify(body), { "content-type": "application/json" })

/** Answers as an engine would, without remembering anything. */
export const healthy: Act = (socket, request) => {
  const [method = "", address = ""] = request.head.split(" ", 2)
  const [, kind = "", id, action] = /^\/api\/v1\/(\w+)(?:\/([^/?]+))?(?:\/(\w+))?/.exec(address) ?? []
  const thing =
    kind === "workflows" ? workflow(id ?? "new", { active: action === "activate" }) : { id: id ?? "1", name: "x" }
  if (action === "tags") return json([])(socket, request)
  const isList = id === undefined && method === "GET"
  json(isList ? { data: [thing], nextCursor: null } : thing)(socket, request)
}

/** Leaves the request of a connection unanswered until the test answers; tells when it has come and when it was given up. */
export const held = () => {
  const arrived = moment<void>()
  const abandoned = moment<void>()
  let answer = () => {}
  const act: Act = (socket: Socket, request) => {
    socket.once("close", () => abandoned.resolve())
    answer = () => healthy(socket, request)
    arrived.resolve()
  }
  return { act, arrived: arrived.promise, abandoned: abandoned.promise, answer: () => answer() }
}

/** A port that takes one connection and says nothing, not even what TLS begins with. */
export const silentPort = async () => {
  const arrived = moment<void>()
  const left = moment<void>()
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on("error", () => {}).on("close", () => left.resolve())
    socket.resume()
    arrived.resolve()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = Effect.sync(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  Effect.runSync(Scope.addFinalizer(scope, close))
  const address = server.address()
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, arrived: arrived.promise, left: left.promise }
}
