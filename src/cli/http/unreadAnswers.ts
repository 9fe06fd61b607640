import type { Server, ServerResponse } from "node:http"

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

/** What was seen of an answer that has unsent bytes. */
interface Seen {
  sent: number
  readonly since: number
  progress: number
}

/** Cuts the connections of callers that do not read their answers, until the scope closes. */
export const cutUnread = Effect.fnUntraced(function* (server: Server, { every, stall, total }: SendLimits) {
  const open = new Map<ServerResponse, Seen | undefined>()
  server.on("request", (_, response) => {
    open.set(response, undefined)
    response.once("close", () => open.delete(response))
  })

  const look = Effect.map(monotonicMillis, (now) => {
    for (const [response, seen] of open) {
      const { socket } = response
      if (socket === null || socket.writableLength === 0) {
        open.set(response, undefined)
        continue
      }
      const sent = socket.bytesWritten - socket.writableLength
      if (seen === undefined) open.set(response, { sent, since: now, progress: now })
      else if (now - seen.since >= total || (sent === seen.sent && now - seen.progress >= stall)) socket.destroy()
      else if (sent !== seen.sent) open.set(response, { ...seen, sent, progress: now })
    }
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(every)))
})
