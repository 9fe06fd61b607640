import { Deferred, Effect } from "effect"

import type { Copies, Question, Reply } from "../../Elicitation.ts"
import type * as Message from "../Message.ts"
import type { ServerMessage } from "../Response.ts"
import { longestWait, readReply, requestOf, unanswered } from "./form.ts"

/** Most open questions of all clients together: each occupies the place of a call. */
const most = 100

/** The recipient of a question. */
export interface Asked {
  /** The session that alone may answer. */
  readonly session: string
  readonly send: (message: ServerMessage) => Effect.Effect<void>
  /** Ends when no answer can come any more. */
  readonly gone: Effect.Effect<void>
}

interface Open {
  readonly session: string
  readonly reply: Deferred.Deferred<Reply>
}

const nameOf = (session: string, id: string) => `${session}:${id}`

/** Questions sent as requests of ours, waiting for their answers. */
export const make = ({ handedOn, handOn }: typeof Copies.Service) => {
  const open = new Map<string, Open>()

  /** Waits for the client's answer, but not longer than a person may take. */
  const ask = (question: Question, { gone, send, session }: Asked): Effect.Effect<Reply> =>
    Effect.suspend(() => {
      if (open.size >= most) return Effect.succeed(unanswered(`${most} questions are waiting for answers already`))
      const id = crypto.randomUUID()
      const reply = Deferred.makeUnsafe<Reply>()
      const withdraw = (reason: string) =>
        send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } }).pipe(
          Effect.interruptible,
          Effect.timeoutOption("1 second")
        )
      const ends = [
        Deferred.await(reply),
        Effect.map(handedOn(nameOf(session, id)), readReply),
        Effect.as(gone, unanswered("the client cannot answer any more")),
        Effect.sleep(longestWait).pipe(
          Effect.andThen(withdraw("Nobody answered in time")),
          Effect.as(unanswered(`nobody answered within ${longestWait / 60_000} minutes`))
        )
      ]
      const waiting = Effect.raceAllFirst([
        Effect.andThen(send({ jsonrpc: "2.0", id, ...requestOf(question) }), Effect.never),
        ...ends
      ])
      return Effect.acquireUseRelease(
        Effect.sync(() => open.set(id, { session, reply })),
        () => Effect.onInterrupt(waiting, () => withdraw("The call was given up")),
        () => Effect.sync(() => open.delete(id))
      )
    })

  /** Takes an answer; one without an open question in this session is ignored. */
  const answer = (session: string, { id, ...reply }: Message.Reply) =>
    Effect.suspend(() => {
      const asked = open.get(String(id))
      if (asked === undefined) return typeof id === "string" ? handOn(nameOf(session, id), reply) : Effect.void
      if (asked.session !== session) return Effect.void
      return Effect.asVoid(Deferred.succeed(asked.reply, readReply(reply)))
    })

  return { ask, answer, /** The number of open questions. */ size: () => open.size }
}

export type Questions = ReturnType<typeof make>
