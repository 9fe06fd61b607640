import { type Cause, Deferred, Effect, Fiber, Option, Queue, type Scope, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

import { MemoryBudget, type Share } from "../../internal/http/MemoryBudget.ts"
import { readSessionId } from "../protocol/elicitation/Questions.ts"
import { invalidRequest } from "../protocol/errors.ts"
import {
  type Message,
  type Outcome,
  refused,
  type Request,
  type ServerMessage,
  serialize
} from "../protocol/Message.ts"
import type { ProtocolVersion } from "../protocol/ProtocolVersion.ts"
import type { SessionOptions, Session } from "../protocol/Session.ts"

type Event =
  | { readonly _tag: "ServerMessage"; readonly message: ServerMessage }
  | { readonly _tag: "Outcome"; readonly outcome: Outcome }

/** The beginning of an answer: all of it, events that come before it, or none at all. */
type FirstEvent = Extract<Event, { readonly _tag: "Outcome" }> | { readonly _tag: "Events" | "Nothing" }

/** Opens the sessions in which messages are served. */
export interface Conversations {
  readonly open: (
    protocolVersion: ProtocolVersion,
    send: (message: ServerMessage) => Effect.Effect<void>,
    options: Pick<SessionOptions, "address" | "page" | "session" | "silent">
  ) => Session
  /** The address of the page as the caller of a request reaches it, where what is typed there can be heard by nobody else. */
  readonly pageOf: (request: HttpServerRequest.HttpServerRequest) => string | undefined
  /** Whether a message that begins one is answered immediately. */
  readonly isImmediate: (message: Message, protocolVersion: ProtocolVersion) => boolean
}

/** One message with the request that brings it, the memory of both, the scope of the work on it, and the moment to send the answer. */
interface Exchange {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly message: Message
  readonly protocolVersion: ProtocolVersion
  readonly scope: Scope.Scope
  readonly share: Share
  readonly together: Effect.Effect<void>
}

/** Serves one message as a session of its own. */
export const exchange = (
  conversations: Conversations,
  one: Exchange
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { message, protocolVersion, request } = one
  if (isListening(message) && !takesEvents(request))
    return Effect.succeed(answer(refused(message.id, needsStream, "modern")))
  if (!conversations.isImmediate(message, protocolVersion)) return converse(conversations, one)
  const { receive } = conversations.open(protocolVersion, () => Effect.void, sessionOptionsOf(conversations, request))
  return Effect.map(receive(message), Option.match({ onNone: () => noAnswer, onSome: answer }))
}

/**
 * The answer is plain JSON; only if there is something to send before it, and the client supports it, both are sent as a stream
 * of events. If a modern client disconnects, its request is cancelled; for an older one, changes under way are completed.
 */
const converse = (conversations: Conversations, one: Exchange) =>
  Effect.uninterruptibleMask((restore) => begin(conversations, one, restore))

const begin = Effect.fnUntraced(function* (
  conversations: Conversations,
  { message, protocolVersion, request, scope, share, together }: Exchange,
  interruptible: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
) {
  const beginning = Deferred.makeUnsafe<FirstEvent>()
  const events = takesEvents(request) ? yield* Queue.bounded<Event, Cause.Done>(16) : undefined
  const send = (sent: ServerMessage) =>
    events === undefined
      ? Effect.void
      : Effect.andThen(
          Deferred.succeed(beginning, { _tag: "Events" }),
          Queue.offer(events, { _tag: "ServerMessage", message: sent })
        )
  const finish = (outcome: Outcome): Effect.Effect<unknown> => {
    const isFirst = Deferred.doneUnsafe(beginning, Effect.succeed({ _tag: "Outcome", outcome }))
    return isFirst || events === undefined ? Effect.void : Queue.offer(events, { _tag: "Outcome", outcome })
  }
  const end = Effect.suspend(() => {
    Deferred.doneUnsafe(beginning, Effect.succeed({ _tag: "Nothing" }))
    share.close()
    return events === undefined ? Effect.void : Queue.end(events)
  })
  share.join()
  const { leave, receive } = conversations.open(protocolVersion, send, sessionOptionsOf(conversations, request))
  const serving = yield* receive(message).pipe(
    Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: finish })),
    Effect.provideService(MemoryBudget, share),
    Effect.ensuring(end),
    Effect.forkIn(scope, { startImmediately: true })
  )
  const abandon = Effect.andThen(
    protocolVersion.era === "modern" ? Fiber.interrupt(serving) : leave,
    events === undefined ? Effect.void : Queue.shutdown(events)
  )

  const first = yield* Effect.onInterrupt(interruptible(Deferred.await(beginning)), () => abandon)
  if (first._tag === "Outcome") return yield* Effect.as(together, answer(first.outcome))
  if (first._tag === "Nothing" || events === undefined) return noAnswer
  const written = Stream.merge(Stream.map(Stream.fromQueue(events), asEvent), signsOfLife, { haltStrategy: "left" })
  return HttpServerResponse.stream(written.pipe(Stream.encodeText, Stream.ensuring(abandon)), {
    contentType: "text/event-stream",
    headers: { "cache-control": "no-cache" }
  })
})

const sessionOptionsOf = ({ pageOf }: Conversations, request: HttpServerRequest.HttpServerRequest) => ({
  page: Effect.sync(() => pageOf(request)),
  session: readSessionId(request.headers["mcp-session-id"]),
  address: Option.getOrElse(request.remoteAddress, () => ""),
  ...(takesEvents(request) ? {} : { silent: Effect.void })
})

const noAnswer = HttpServerResponse.empty({ status: 202 })

/** Comments, so that intermediaries do not take a stream for dead while a person thinks. */
const signsOfLife = Stream.tick("20 seconds").pipe(
  Stream.drop(1),
  Stream.map(() => ": waiting\n\n")
)

const isListening = (message: Message): message is Request =>
  message._tag === "Request" && message.method === "subscriptions/listen"

const needsStream = invalidRequest("subscriptions/listen is answered by a stream: accept text/event-stream")

const takesEvents = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  headers["accept"]?.includes("text/event-stream") === true

const statuses = {
  legacy: { answered: 200, refused: 400, stopped: 503, forbidden: 403, "unknown method": 200 },
  modern: { answered: 200, refused: 400, stopped: 503, forbidden: 403, "unknown method": 404 }
} as const

export const answer = ({ era, response, session, verdict }: Outcome) => {
  const text = serialize(response)
  const options = {
    status: statuses[era][verdict],
    contentType: "application/json",
    ...(session === undefined ? {} : { headers: { "mcp-session-id": session } })
  }
  return text.length < large ? HttpServerResponse.text(text, options) : inPieces(text, options)
}

/** Answers of this size or more are sent in pieces, which shows whether they are being read. */
const large = 64 * 1024

const inPieces = (text: string, options: HttpServerResponse.Options.WithContent) => {
  const bytes = new TextEncoder().encode(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / large) }, (_, at) =>
    bytes.subarray(at * large, (at + 1) * large)
  )
  return HttpServerResponse.stream(Stream.fromIterable(pieces, { chunkSize: 1 }), {
    ...options,
    contentLength: bytes.length
  })
}

const asEvent = (event: Event) =>
  Sse.encoder.write({
    _tag: "Event",
    event: "message",
    id: undefined,
    data: event._tag === "ServerMessage" ? JSON.stringify(event.message) : serialize(event.outcome.response)
  })
