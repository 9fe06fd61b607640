import { type Cause, Deferred, Effect, Fiber, Option, Queue, type Scope, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

import { Room } from "../../internal/http/Room.ts"
import type { Connection } from "../protocol/Connection.ts"
import type { Message } from "../protocol/Message.ts"
import { type Notice, type Outcome, written } from "../protocol/Response.ts"
import type { Revision } from "../protocol/Revision.ts"
import type { Share } from "./memory.ts"

type Event =
  | { readonly _tag: "Notice"; readonly notice: Notice }
  | { readonly _tag: "Outcome"; readonly outcome: Outcome }

/** Opens the conversation that a message is served in. */
export type Connect = (
  revision: Revision,
  notify: (notice: Notice) => Effect.Effect<void>,
  gone: Effect.Effect<void>
) => Connection

/**
 * Serves one message as a conversation of its own. The answer is plain JSON; only if there is something to tell before
 * it, and the client can take it, both come as a stream of events. A modern client that goes away cancels what it asked;
 * of an older one, what is being changed is still done.
 */
export const exchange = Effect.fnUntraced(function* (
  connect: Connect,
  { headers }: HttpServerRequest.HttpServerRequest,
  message: Message,
  revision: Revision,
  { scope, share }: { readonly scope: Scope.Scope; readonly share: Share }
) {
  const events = yield* Queue.bounded<Event, Cause.Done>(16)
  const notify = (notice: Notice) =>
    takesEvents(headers["accept"]) ? Queue.offer(events, { _tag: "Notice", notice }) : Effect.void
  share.join()
  const gone = yield* Deferred.make<void>()
  const serving = yield* connect(revision, (notice) => Effect.asVoid(notify(notice)), Deferred.await(gone))
    .receive(message)
    .pipe(
      Effect.flatMap((outcome) =>
        Option.isSome(outcome) ? Queue.offer(events, { _tag: "Outcome", outcome: outcome.value }) : Effect.void
      ),
      Effect.provideService(Room, share.take),
      Effect.ensuring(Effect.andThen(Queue.end(events), share.close)),
      Effect.forkIn(scope)
    )
  const abandon = Effect.andThen(
    revision.era === "modern" ? Fiber.interrupt(serving) : Deferred.succeed(gone, undefined),
    Queue.shutdown(events)
  )

  const first = yield* Queue.take(events).pipe(
    Effect.option,
    Effect.onInterrupt(() => abandon)
  )
  if (Option.isNone(first)) return HttpServerResponse.empty({ status: 202 })
  if (first.value._tag === "Outcome") return answer(first.value.outcome)
  const stream = Stream.concat(Stream.succeed(first.value), Stream.fromQueue(events))
  return HttpServerResponse.stream(stream.pipe(Stream.map(asEvent), Stream.encodeText, Stream.ensuring(abandon)), {
    contentType: "text/event-stream",
    headers: { "cache-control": "no-cache" }
  })
})

const takesEvents = (accept = "") => accept.includes("text/event-stream")

const statuses = {
  legacy: { answered: 200, refused: 400, stopped: 503, "unknown method": 200 },
  modern: { answered: 200, refused: 400, stopped: 503, "unknown method": 404 }
} as const

export const answer = ({ era, response, verdict }: Outcome) => {
  const text = written(response)
  const options = { status: statuses[era][verdict], contentType: "application/json" }
  return text.length < large ? HttpServerResponse.text(text, options) : inPieces(text, options)
}

/** From this size on, an answer goes out in pieces of it: so it shows whether it is being read. */
const large = 64 * 1024

const inPieces = (text: string, options: { readonly status: number; readonly contentType: string }) => {
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
  `event: message\ndata: ${event._tag === "Notice" ? JSON.stringify(event.notice) : written(event.outcome.response)}\n\n`
