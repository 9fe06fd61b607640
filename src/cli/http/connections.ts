import { readFileSync } from "node:fs"
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { totalmem } from "node:os"

import { Effect, Option, Schedule } from "effect"

/** How many connections there may be, and how long those wait that have nothing to do. */
export interface ConnectionLimits {
  /** Connections at once. Where there are more, those idle for longest are closed; where none is idle, new ones are. */
  readonly most: number
  /** From so many on, an idle connection is kept for seconds only; each answer tells its client for how long. */
  readonly crowded: number
  /** Milliseconds between two looks at who is idle. */
  readonly every: number
}

/** Milliseconds for which an idle connection is kept: longer than clients and proxies do, as who closes first may lose a request. */
const kept = 60_000
/** The same where many are connected. */
const keptInCrowd = 5000

/** Rounds of a process that is late in which a request can lie unread: its connection is taken in one, its bytes in another. */
const readsMissed = 3

interface Connection {
  /** Requests on it that have no answer yet. */
  requests: number
  /** Looks since it had something to do. */
  idle: number
}

/**
 * Keeps as many connections as memory and descriptors allow. Nobody is refused for a number of callers: what is limited
 * is how long connections stay without anything to do, and the longest idle ones give way where there is no room.
 */
export const keepConnections = Effect.fnUntraced(function* (server: Server, limits?: Partial<ConnectionLimits>) {
  const { crowded, every, most } = { ...connectionLimits(), ...limits }
  const { headersTimeout, requestTimeout } = server
  const open = new Map<Socket, Connection>()
  let turnedAway = 0
  let isFull = false
  let looked = performance.now()
  let late = 0

  /** What everybody gets on top, in milliseconds, while this process is late to read what has come. */
  const grace = () => Math.ceil(readsMissed * Math.max(late, performance.now() - looked - every))
  // Node asks for these when it looks for callers that are slow, and cannot tell them from those it has not read yet.
  Object.defineProperties(server, {
    headersTimeout: { get: () => headersTimeout + grace() },
    requestTimeout: { get: () => requestTimeout + grace() }
  })

  /** Closes some of those that are idle, the longest idle first. Where there are none, nobody looks again for a while. */
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

/** As many as an eighth of the memory holds, and as descriptors are left for, up to what a port can serve anyway. */
export const connectionLimits = (): ConnectionLimits => ({
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

/** Bytes that a connection takes, with what Node reads ahead of it. */
const connectionBytes = 32 * 1024
/** Descriptors for what is not a caller: upstreams, files, what Node itself needs. */
const otherDescriptors = 512

export const mostConnections = ({ descriptors, memory }: Resources): number =>
  Math.max(64, Math.min(Math.floor(memory / 8 / connectionBytes), descriptors - otherDescriptors, 65_536))

/** Of a container, as far as it tells. */
const constrainedMemory = () => process.constrainedMemory() || Infinity

/** Other systems than Linux do not tell; theirs is rarely lower. */
const openFiles = (): number => {
  const text = Option.getOrElse(Option.liftThrowable(() => readFileSync("/proc/self/limits", "utf8"))(), () => "")
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1]
  return limit === undefined ? 10_240 : limit === "unlimited" ? Infinity : Number(limit)
}
