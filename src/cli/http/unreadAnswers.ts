import type { Server, ServerResponse } from "node:http"

import { Effect, Schedule } from "effect"

import { monotonicMillis } from "../../internal/http/monotonicMillis.ts"
import { Linked, LinkedSet } from "../../internal/LinkedSet.ts"

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
