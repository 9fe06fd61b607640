import { readFileSync } from "node:fs"
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { totalmem } from "node:os"

import { Effect, Option, Schedule } from "effect"

import { Linked, LinkedSet } from "../../internal/collections.ts"
import { monotonicMillis } from "../../internal/time.ts"

/** Limits on the number of connections, and on the time for which idle ones are kept. */
export interface ConnectionLimits {
  /** Most connections. Beyond that, the longest idle ones are closed; if none is idle, new ones are. */
  readonly most: number
  /** From this number on, an idle connection is kept for seconds only; each answer tells its client for how long. */
  readonly crowded: number
  /** Milliseconds between two checks for idle connections. */
  readonly every: number
}

/**
 * Milliseconds for which an idle connection is kept: longer than clients and proxies do, as whoever closes first may lose a
 * request.
 */
const kept = 60_000
/** The same while many are connected. */
const keptInCrowd = 5000

/**
 * Rounds of a busy event loop in which a request can remain unread: its connection is accepted in one, its bytes are read in
 * another.
 */
const readsMissed = 3

interface Connection {
  /** Requests on it without an answer yet. */
  requests: number
  /** Checks since it was last busy. */
  idle: number
}

/**
 * Keeps as many connections as memory and descriptors allow. Nobody is refused because of the number of callers: the time that
 * connections stay idle is limited, and the longest idle ones are closed when room is needed.
 */
export const keepConnections = Effect.fnUntraced(function* (server: Server, limits?: Partial<ConnectionLimits>) {
  const { crowded, every, most } = { ...connectionLimits(), ...limits }
  const { headersTimeout, requestTimeout } = server
  const open = new Map<Socket, Connection>()
  let turnedAway = 0
  let isFull = false
  let looked = performance.now()
  let late = 0

  /** Extra time for everyone, in milliseconds, while this process is late to read what has arrived. */
  const grace = () => Math.ceil(readsMissed * Math.max(late, performance.now() - looked - every))
  // Node checks these for slow callers, and cannot distinguish them from those it has not read yet.
  Object.defineProperties(server, {
    headersTimeout: { get: () => headersTimeout + grace() },
    requestTimeout: { get: () => requestTimeout + grace() }
  })

  /** Closes some idle connections, the longest idle first. If there are none, it does not check again for a while. */
  const makeRoom = () => {
    const idle = [...open].filter(([, { idle, requests }]) => requests === 0 && idle > 0)
    idle.sort(([, a], [, b]) => b.idle - a.idle)
    for (const [socket] of idle.slice(0, Math.ceil(most / 64))) {
      open.delete(socket)
      socket.destroy()
    }
    isFull = idle.length === 0
  }

  server.on("connection", (socket) => {
    if (open.size >= most && !isFull) makeRoom()
    if (open.size >= most) {
      turnedAway++
      socket.destroy()
      return
    }
    open.set(socket, { requests: 0, idle: 0 })
    socket.once("close", () => open.delete(socket))
    server.keepAliveTimeout = open.size > crowded ? keptInCrowd : kept
  })
  server.on("request", ({ socket }, response) => {
    const connection = open.get(socket)
    if (connection === undefined) return
    connection.requests++
    connection.idle = 0
    response.once("close", () => {
      connection.requests--
      if (!server.listening) server.closeIdleConnections()
    })
  })

  const look = Effect.suspend(() => {
    const now = performance.now()
    late = Math.max(now - looked - every, late / 2)
    looked = now
    isFull = false
    for (const connection of open.values()) if (connection.requests === 0) connection.idle++
    if (turnedAway === 0) return Effect.void
    const count = turnedAway
    turnedAway = 0
    return Effect.logWarning(
      `${count} new connections were closed at once: ${most} are open, as many as memory and descriptors allow, and none is idle.`
    )
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(every)))
})

/** As many as fit into an eighth of the memory and the available descriptors, up to what a port can serve anyway. */
const connectionLimits = (): ConnectionLimits => ({
  most: mostConnections({ memory: Math.min(totalmem(), constrainedMemory()), descriptors: openFiles() }),
  crowded: 1024,
  every: 1000
})

interface Resources {
  /** Bytes. */
  readonly memory: number
  /** Files and sockets that this process may have open. */
  readonly descriptors: number
}

/** Bytes per connection, including what Node reads ahead of it. */
const connectionBytes = 32 * 1024
/** Descriptors for other purposes: upstreams, files, Node itself. */
const otherDescriptors = 512

export const mostConnections = ({ descriptors, memory }: Resources): number =>
  Math.max(64, Math.min(Math.floor(memory / 8 / connectionBytes), descriptors - otherDescriptors, 65_536))

/** Of the container, if there is a limit. */
const constrainedMemory = () => process.constrainedMemory() || Infinity

/** Systems other than Linux do not say; their limit is rarely lower. */
const openFiles = (): number => {
  const text = Option.getOrElse(Option.liftThrowable(() => readFileSync("/proc/self/limits", "utf8"))(), () => "")
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1]
  return limit === undefined ? 10_240 : limit === "unlimited" ? Infinity : Number(limit)
}

export interface SendLimits {
  /** Milliseconds in which a caller must have read some of its waiting answer. */
  readonly stall: number
  /** Milliseconds in which it must have read all of it. */
  readonly total: number
  /** Milliseconds between two checks. */
  readonly every: number
}

export const sendLimits: SendLimits = { stall: 10_000, total: 120_000, every: 1000 }

/** An answer that is not sent completely, and its unsent bytes at the checks since then. */
class Unsent extends Linked<Unsent> {
  readonly response: ServerResponse
  seen: { readonly sent: number; readonly since: number; readonly progress: number } | undefined

  constructor(response: ServerResponse) {
    super()
    this.response = response
  }
}

/** Closes the connections of callers that do not read their answers, until the scope closes. */
export const cutUnread = Effect.fnUntraced(function* (server: Server, { every, stall, total }: SendLimits) {
  const open = new LinkedSet<Unsent>()
  server.on("request", (_, response) => {
    const unsent = open.add(new Unsent(response))
    response.once("close", () => open.delete(unsent))
  })

  const look = Effect.map(monotonicMillis, (now) => {
    for (const unsent of open) {
      const { seen } = unsent
      const { socket } = unsent.response
      if (socket === null || socket.writableLength === 0) {
        unsent.seen = undefined
        continue
      }
      const sent = socket.bytesWritten - socket.writableLength
      if (seen === undefined) unsent.seen = { sent, since: now, progress: now }
      else if (now - seen.since >= total || (sent === seen.sent && now - seen.progress >= stall)) socket.destroy()
      else if (sent !== seen.sent) unsent.seen = { ...seen, sent, progress: now }
    }
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(every)))
})
