import { type Cause, Effect, Fiber, Option, Queue, type Scope, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

import { Room } from "../../internal/http/Room.ts"
import * as SessionId from "../protocol/elicitation/sessionId.ts"
import type { Message } from "../protocol/Message.ts"
import type { ProtocolVersion } from "../protocol/ProtocolVersion.ts"
import { type Outcome, type ServerMessage, written } from "../protocol/Response.ts"
import type { Circumstances, Session } from "../protocol/Session.ts"
import type { Share } from "./memory.ts"

type Event =
  | { readonly _tag: "ServerMessage"; readonly message: ServerMessage }
  | { readonly _tag: "Outcome"; readonly outcome: Outcome }

/** Opens the conversation that a message is served in. */
export type Connect = (
  protocolVersion: ProtocolVersion,
  send: (message: ServerMessage) => Effect.Effect<void>,
  circumstances: Pick<Circumstances, "session" | "silent">
) => Session

/** What a message and its answer hold, and until when work on it may go on. */
interface Held {
  readonly scope: Scope.Scope
  readonly share: Share
}

/** Serves one message as a conversation of its own. */
export const exchange = (
  connect: Connect,
  request: HttpServerRequest.HttpServerRequest,
  message: Message,
  protocolVersion: ProtocolVersion,
  held: Held
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { isImmediate, receive } = connect(protocolVersion, () => Effect.void, circumstancesOf(request))
  return isImmediate(message)
    ? Effect.map(receive(message), Option.match({ onNone: () => noAnswer, onSome: answer }))
    : converse(connect, request, message, protocolVersion, held)
}

/**
 * The answer is plain JSON; only if there is something to tell before it, and the client can take it, both come as a
 * stream of events. A modern client that goes away cancels what it asked; of an older one, what is being changed is still
 * done.
 */
const converse = (
  connect: Connect,
  request: HttpServerRequest.HttpServerRequest,
  message: Message,
  protocolVersion: ProtocolVersion,
  { scope, share }: Held
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const events = yield* Queue.bounded<Event, Cause.Done>(16)
      const send = (sent: ServerMessage) =>
        takesEvents(request)
          ? Effect.asVoid(Queue.offer(events, { _tag: "ServerMessage", message: sent }))
          : Effect.void
      share.join()
      const { leave, receive } = connect(protocolVersion, send, circumstancesOf(request))
      const serving = yield* receive(message).pipe(
        Effect.flatMap((outcome) =>
          Option.isSome(outcome) ? Queue.offer(events, { _tag: "Outcome", outcome: outcome.value }) : Effect.void
        ),
        Effect.provideService(Room, share.take),
        Effect.ensuring(Effect.andThen(Queue.end(events), share.close)),
        Effect.forkIn(scope, { startImmediately: true })
      )
      const abandon = Effect.andThen(
        protocolVersion.era === "modern" ? Fiber.interrupt(serving) : leave,
        Queue.shutdown(events)
      )

      const first = yield* restore(Effect.option(Queue.take(events))).pipe(Effect.onInterrupt(() => abandon))
      if (Option.isNone(first)) return noAnswer
      if (first.value._tag === "Outcome") return answer(first.value.outcome)
      const stream = Stream.concat(Stream.succeed(first.value), Stream.fromQueue(events))
      const written = Stream.merge(Stream.map(stream, asEvent), signsOfLife, { haltStrategy: "left" })
      return HttpServerResponse.stream(written.pipe(Stream.encodeText, Stream.ensuring(abandon)), {
        contentType: "text/event-stream",
        headers: { "cache-control": "no-cache" }
      })
    })
  )

const circumstancesOf = (request: HttpServerRequest.HttpServerRequest) => ({
  session: SessionId.read(request.headers["mcp-session-id"]),
  ...(takesEvents(request) ? {} : { silent: Effect.void })
})

const noAnswer = HttpServerResponse.empty({ status: 202 })

/** Comments, so that what lies between does not take a stream for dead while a person thinks. */
const signsOfLife = Stream.tick("20 seconds").pipe(
  Stream.drop(1),
  Stream.map(() => ": waiting\n\n")
)

const takesEvents = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  headers["accept"]?.includes("text/event-stream") === true

const statuses = {
  legacy: { answered: 200, refused: 400, stopped: 503, forbidden: 403, "unknown method": 200 },
  modern: { answered: 200, refused: 400, stopped: 503, forbidden: 403, "unknown method": 404 }
} as const

export const answer = ({ era, response, session, verdict }: Outcome) => {
  const text = written(response)
  const options = {
    status: statuses[era][verdict],
    contentType: "application/json",
    ...(session === undefined ? {} : { headers: { "mcp-session-id": session } })
  }
  return text.length < large ? HttpServerResponse.text(text, options) : inPieces(text, options)
}

/** From this size on, an answer goes out in pieces of it: so it shows whether it is being read. */
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
    data: event._tag === "ServerMessage" ? JSON.stringify(event.message) : written(event.outcome.response)
  })
