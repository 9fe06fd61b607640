import type { Server } from "node:http"
import type { Socket } from "node:net"

import { Effect, Schedule } from "effect"

import { monotonicMillis } from "../../internal/http/monotonicMillis.ts"

export interface SendLimits {
  /** Milliseconds in which a caller must have taken some of what is waiting for it. */
  readonly stall: number
  /** Milliseconds in which it must have taken all of it. */
  readonly total: number
  /** Milliseconds between two looks. */
  readonly every: number
}

export const sendLimits: SendLimits = { stall: 10_000, total: 120_000, every: 1000 }

/** What was seen of a connection that has unsent bytes. */
interface Seen {
  readonly sent: number
  readonly since: number
  readonly progress: number
}

/** Cuts the connections of callers that do not read their answers, until the scope closes. */
export const cutUnread = Effect.fnUntraced(function* (server: Server, { every, stall, total }: SendLimits) {
  const open = new Map<Socket, Seen | undefined>()
  server.on("connection", (socket) => {
    open.set(socket, undefined)
    socket.once("close", () => open.delete(socket))
  })

  const look = Effect.map(monotonicMillis, (now) => {
    for (const [socket, seen] of open) {
      if (socket.writableLength === 0) {
        if (seen !== undefined) open.set(socket, undefined)
        continue
      }
      const sent = socket.bytesWritten - socket.writableLength
      if (seen === undefined) open.set(socket, { sent, since: now, progress: now })
      else if (now - seen.since >= total || (sent === seen.sent && now - seen.progress >= stall)) socket.destroy()
      else if (sent !== seen.sent) open.set(socket, { ...seen, sent, progress: now })
    }
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(every)))
})
