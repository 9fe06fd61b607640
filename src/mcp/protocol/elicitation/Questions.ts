import { Deferred, Effect, Option, Predicate, Schema } from "effect"

import { oneLine, visible } from "../../../internal/foreignText.ts"
import { showsViews } from "../../AppViews.ts"
import type { Copies, Question, Reply, SecretForm } from "../../Elicitation.ts"
import type * as Message from "../Message.ts"

/** Milliseconds for which a question waits for its answer. */
export const longestWait = 5 * 60_000

/** Whether a client with these capabilities shows forms; it does if it names no mode. */
export const showsForms = (capabilities: unknown): boolean => {
  const elicitation = Predicate.hasProperty(capabilities, "elicitation") ? capabilities.elicitation : undefined
  return Predicate.isObject(elicitation) && ("form" in elicitation || !("url" in elicitation))
}

/** Whether a client with these capabilities opens addresses. */
export const opensAddresses = (capabilities: unknown): boolean => {
  const elicitation = Predicate.hasProperty(capabilities, "elicitation") ? capabilities.elicitation : undefined
  return Predicate.hasProperty(elicitation, "url") && Predicate.isObject(elicitation.url)
}

/** The request to open an address. The id of the form is for revisions that tell when it is filled in. */
export const requestToOpen = ({ message }: Pick<SecretForm, "message">, url: string, elicitationId?: string) => ({
  method: "elicitation/create",
  params: { mode: "url", message: visible(message), url, ...(elicitationId === undefined ? {} : { elicitationId }) }
})

/** The request without its id, the same in every revision that has it. Its message quotes upstreams. */
export const requestOf = ({ fields, message, required = [] }: Question) => ({
  method: "elicitation/create",
  params: {
    message: visible(message),
    requestedSchema: { type: "object", properties: fields, required }
  }
})

const readResult = Schema.decodeUnknownOption(
  Schema.Struct({
    action: Schema.Literals(["accept", "decline", "cancel"]),
    content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  })
)

/** The content of a client's result for a form; none if it is invalid. */
export const replyOf = (result: unknown): Option.Option<Reply> =>
  Option.map(readResult(result), ({ action, content = {} }): Reply => {
    switch (action) {
      case "accept":
        return { _tag: "Accepted", content }
      case "decline":
        return { _tag: "Declined" }
      default:
        return { _tag: "Cancelled" }
    }
  })

export const unanswered = (problem: string): Reply => ({ _tag: "Unanswered", problem })

/** The outcome of a client's answer to the request, whatever it is. */
const readReply = ({ error, result }: Pick<Message.Reply, "error" | "result">): Reply => {
  if (error === undefined) {
    return Option.getOrElse(replyOf(result), () => unanswered("the client's answer is not one to the question"))
  }
  const reason = Predicate.hasProperty(error, "message") ? `: ${oneLine(String(error.message)).slice(0, 200)}` : ""
  return unanswered(`the client could not ask${reason}`)
}

/** Marks in the id of a session for what its client does: nothing else is known or kept of a session. */
const marks = { forms: "elicits-", addresses: "opens-", views: "views-" }

/** An unguessable id for a client with these capabilities; none for one that has none of those that are marked. */
export const mintSessionId = (capabilities: unknown): string | undefined => {
  const marked =
    (showsForms(capabilities) ? marks.forms : "") +
    (opensAddresses(capabilities) ? marks.addresses : "") +
    (showsViews(capabilities) ? marks.views : "")
  return marked === "" ? undefined : `${marked}${crypto.randomUUID()}`
}

/** A session id from a header, if it is of this kind. */
export const readSessionId = (id: string | undefined): string | undefined =>
  id !== undefined &&
  /^(?![0-9a-f]{8}-)(?:elicits-)?(?:opens-)?(?:views-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
    ? id
    : undefined

/** Whether the client of a session shows forms. */
export const isOfForms = (session: string): boolean => session.startsWith(marks.forms)

/** Whether the client of a session opens addresses. */
export const isOfAddresses = (session: string): boolean => session.includes(marks.addresses)

/** Whether the client of a session shows views. */
export const isOfViews = (session: string): boolean => session.includes(marks.views)

/** Most open questions of all clients together, which is fewer than an instance takes calls: each occupies the place of one. */
const most = 200

/** Most open questions of one caller. */
const mostOfOne = 50

/** The recipient of a question. */
interface Recipient {
  /** The session and the caller that alone may answer. */
  readonly session: string
  readonly caller: string
  readonly send: (message: Message.ServerMessage) => Effect.Effect<void>
  /** Ends when no answer can come any more. */
  readonly gone: Effect.Effect<void>
}

interface OpenQuestion extends Pick<Recipient, "caller" | "session"> {
  readonly reply: Deferred.Deferred<Reply>
}

/** A request to a client without its id. */
type QuestionRequest = ReturnType<typeof requestOf | typeof requestToOpen>

type Sender = Pick<Recipient, "caller" | "session">

/** An answer's name among the copies of the server. */
const nameOf = ({ caller, session }: Sender, id: string) => `${session}:${caller}:${id}`

/** Questions sent as requests of ours, waiting for their answers. */
export const make = ({ handedOn, handOn }: typeof Copies.Service) => {
  const open = new Map<string, OpenQuestion>()

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
  const ask = (request: QuestionRequest, { caller, gone, send, session }: Recipient): Effect.Effect<Reply> =>
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
        Effect.andThen(send({ jsonrpc: "2.0", id, ...request }), Effect.never),
        ...ends
      ])
      return Effect.acquireUseRelease(
        Effect.sync(() => open.set(id, { caller, session, reply })),
        () => Effect.onInterrupt(waiting, () => withdraw("The call was given up")),
        () => Effect.sync(() => open.delete(id))
      )
    })

  /** Takes an answer; one without an open question to this caller in this session is ignored. */
  const answer = (from: Sender, { id, ...reply }: Message.Reply) =>
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
