import { Context, Deferred, Effect, Layer, Match, Option, Schema } from "effect"

import { Id, type Batch, type Message, type Request, type Single } from "./Message.ts"
import { Protocol } from "./Protocol.ts"
import { invalidRequest, stopped } from "./ProtocolError.ts"
import { claimedVersion } from "./RequestMeta.ts"
import { failure, type Notice, type Outcome, refused } from "./Response.ts"
import type { Revision } from "./Revision.ts"

/** One client's conversation: what was settled with it, and which of its requests are being served. */
export interface Connection {
  /** What there is to answer to a message, if anything; waits until it is answered. */
  readonly receive: (message: Message) => Effect.Effect<Option.Option<Outcome>>
}

const Cancelled = Schema.Struct({ requestId: Id })
const readCancelled = Schema.decodeUnknownOption(Cancelled)

/** What ends a conversation from outside. */
export interface Ends {
  /** When this ends, what is still being served is answered with an error. */
  readonly until?: Effect.Effect<void> | undefined
  /** When this ends, nobody waits for answers any more: what was not begun or is only read is not served to its end. */
  readonly gone?: Effect.Effect<void> | undefined
}

/** Opens conversations; ids of one are never mixed up with those of another. */
export class Connections extends Context.Service<
  Connections,
  {
    readonly open: (revision: Revision, notify: (notice: Notice) => Effect.Effect<void>, ends?: Ends) => Connection
  }
>()("workflow-tool-server/protocol/Connections") {
  static readonly layer = Layer.effect(
    Connections,
    Effect.map(Protocol, (protocol) =>
      Connections.of({ open: (revision, notify, ends = {}) => open(protocol, revision, notify, ends) })
    )
  )
}

const open = (
  protocol: Protocol["Service"],
  initial: Revision,
  notify: (notice: Notice) => Effect.Effect<void>,
  { gone, until = Effect.never }: Ends
): Connection => {
  let revision = initial
  const inFlight = new Map<Id, Deferred.Deferred<void>>()

  const settle = (settled: Revision) =>
    Effect.sync(() => {
      revision = settled
    })

  /** The answer, an error if there was no time for one; none if the client says meanwhile that it wants none. */
  const serve = Effect.fnUntraced(function* (request: Request) {
    const { id } = request
    if (inFlight.has(id)) return Option.some(refused(id, invalidRequest("id is that of a request still being served")))
    const cancelled = yield* Deferred.make<void>()
    inFlight.set(id, cancelled)
    const cut: Outcome = { era: revision.era, verdict: "stopped", response: failure(id, stopped) }
    return yield* Effect.raceAllFirst([
      Effect.as(Deferred.await(cancelled), Option.none<Outcome>()),
      Effect.as(until, Option.some(cut)),
      Effect.asSome(protocol.serve(request, { revision, notify, gone, settle }))
    ]).pipe(Effect.ensuring(Effect.sync(() => inFlight.delete(id))))
  })

  const cancel = Effect.fnUntraced(function* (params: unknown) {
    const cancelled = Option.flatMapNullishOr(readCancelled(params), ({ requestId }) => inFlight.get(requestId))
    if (Option.isSome(cancelled)) yield* Deferred.succeed(cancelled.value, undefined)
  })

  const receiveSingle = (message: Single) =>
    Match.valueTags(message, {
      Request: serve,
      Notification: ({ method, params }) =>
        Effect.as(method === "notifications/cancelled" ? cancel(params) : Effect.void, Option.none<Outcome>()),
      Reply: () => Effect.succeed(Option.none<Outcome>()),
      Invalid: ({ id, problem }) => Effect.succeedSome(refused(id, invalidRequest(problem)))
    })

  const receiveBatch = Effect.fnUntraced(function* ({ messages }: Batch) {
    if (!revision.batches) {
      return Option.some(refused(null, invalidRequest(`revision ${revision.version} has no batches`)))
    }
    const outcomes = yield* Effect.forEach(messages.map(fitForBatch), receiveSingle, { concurrency: "unbounded" })
    const response = outcomes.flatMap(Option.toArray).flatMap(({ response }) => response)
    return response.length === 0
      ? Option.none()
      : Option.some<Outcome>({ era: "legacy", verdict: "answered", response })
  })

  return { receive: (message) => (message._tag === "Batch" ? receiveBatch(message) : receiveSingle(message)) }
}

const fitForBatch = (message: Single): Single => {
  if (message._tag !== "Request") return message
  const standsAlone = message.method === "initialize" || Option.isSome(claimedVersion(message.params))
  return standsAlone ? { _tag: "Invalid", id: message.id, problem: `${message.method} stands alone here` } : message
}
