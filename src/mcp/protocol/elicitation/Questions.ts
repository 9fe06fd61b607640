import { Deferred, Effect } from "effect"

import type { Copies, Question, Reply } from "../../Elicitation.ts"
import type * as Message from "../Message.ts"
import type { ServerMessage } from "../Response.ts"
import { longestWait, readReply, requestOf, unanswered } from "./form.ts"

/** Most open questions of all clients together, which is fewer than an instance takes calls: each occupies the place of one. */
const most = 200

/** Most open questions of one caller. */
const mostOfOne = 50

/** The recipient of a question. */
interface Recipient {
  /** The session and the caller that alone may answer. */
  readonly session: string
  readonly caller: string
  readonly send: (message: ServerMessage) => Effect.Effect<void>
  /** Ends when no answer can come any more. */
  readonly gone: Effect.Effect<void>
}

interface Open extends Pick<Recipient, "caller" | "session"> {
  readonly reply: Deferred.Deferred<Reply>
}

type From = Pick<Recipient, "caller" | "session">

/** An answer's name among the copies of the server. */
const nameOf = ({ caller, session }: From, id: string) => `${session}:${caller}:${id}`

/** Questions sent as requests of ours, waiting for their answers. */
export const make = ({ handedOn, handOn }: typeof Copies.Service) => {
  const open = new Map<string, Open>()

  const openOf = (caller: string) => [...open.values()].filter((one) => one.caller === caller)

  /** Withdraws the oldest question of whoever has most of them, so that nobody is kept from being asked. */
  const makeRoom = () => {
    const counts = new Map<string, number>()
    for (const { caller } of open.values()) counts.set(caller, (counts.get(caller) ?? 0) + 1)
    const largest = Math.max(...counts.values())
    const oldest = [...open.values()].find(({ caller }) => counts.get(caller) === largest)
    if (oldest !== undefined) Deferred.doneUnsafe(oldest.reply, Effect.succeed(unanswered(crowdedOut)))
  }

  /** Waits for the client's answer, but not longer than a person may take. */
  const ask = (question: Question, { caller, gone, send, session }: Recipient): Effect.Effect<Reply> =>
    Effect.suspend(() => {
      if (openOf(caller).length >= mostOfOne) {
        return Effect.succeed(unanswered(`${mostOfOne} questions to you are waiting for answers already`))
      }
      if (open.size >= most) makeRoom()
      const id = crypto.randomUUID()
      const reply = Deferred.makeUnsafe<Reply>()
      const withdraw = (reason: string) =>
        send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } }).pipe(
          Effect.interruptible,
          Effect.timeoutOption("1 second")
        )
      const ends = [
        Deferred.await(reply),
        Effect.map(handedOn(nameOf({ caller, session }, id)), readReply),
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
        Effect.sync(() => open.set(id, { caller, session, reply })),
        () => Effect.onInterrupt(waiting, () => withdraw("The call was given up")),
        () => Effect.sync(() => open.delete(id))
      )
    })

  /** Takes an answer; one without an open question to this caller in this session is ignored. */
  const answer = (from: From, { id, ...reply }: Message.Reply) =>
    Effect.suspend(() => {
      const question = open.get(String(id))
      if (question === undefined) return typeof id === "string" ? handOn(nameOf(from, id), reply) : Effect.void
      if (question.session !== from.session || question.caller !== from.caller) return Effect.void
      return Effect.asVoid(Deferred.succeed(question.reply, readReply(reply)))
    })

  return { ask, answer, /** The number of open questions. */ size: () => open.size }
}

const crowdedOut = "it was withdrawn, as too many questions are waiting for answers"

export type Questions = ReturnType<typeof make>
