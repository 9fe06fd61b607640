import { Context, Deferred, Effect, Layer, Match, Option, Schema } from "effect"

import { Copies, type Question } from "../Elicitation.ts"
import { showsForms } from "./elicitation/form.ts"
import * as Questions from "./elicitation/Questions.ts"
import * as SessionId from "./elicitation/sessionId.ts"
import { Id, type Batch, type Message, type Request, type Single } from "./Message.ts"
import { Protocol } from "./Protocol.ts"
import { invalidRequest, stopped } from "./ProtocolError.ts"
import { claimed, ofRequest, type ProtocolVersion } from "./ProtocolVersion.ts"
import { failure, type Outcome, refused, type ServerMessage } from "./Response.ts"

/** One client's conversation: what was settled with it, and which of its requests are being served. */
export interface Session {
  /** What there is to answer to a message, if anything; waits until it is answered. */
  readonly receive: (message: Message) => Effect.Effect<Option.Option<Outcome>>
}

const Cancelled = Schema.Struct({ requestId: Id })
const readCancelled = Schema.decodeUnknownOption(Cancelled)

/** Where a conversation comes from, and what ends it from outside. */
export interface Circumstances {
  /** When this ends, what is still being served is answered with an error. */
  readonly until?: Effect.Effect<void> | undefined
  /** When this ends, nobody waits for answers any more: what was not begun or is only read is not served to its end. */
  readonly gone?: Effect.Effect<void> | undefined
  /** When this ends, nothing is heard from the client any more, though it may still listen. */
  readonly silent?: Effect.Effect<void> | undefined
  /** The id of the conversation that this goes on with, whose handshake was elsewhere. */
  readonly session?: string | undefined
}

/** Opens conversations; ids of one are never mixed up with those of another. */
export class Sessions extends Context.Service<
  Sessions,
  {
    readonly open: (
      protocolVersion: ProtocolVersion,
      send: (message: ServerMessage) => Effect.Effect<void>,
      circumstances?: Circumstances
    ) => Session
  }
>()("workflow-tool-server/protocol/Connections") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const services = { protocol: yield* Protocol, questions: Questions.make(yield* Copies) }
      return Sessions.of({
        open: (protocolVersion, send, circumstances = {}) => open(services, protocolVersion, send, circumstances)
      })
    })
  )
}

interface Services {
  readonly protocol: Protocol["Service"]
  readonly questions: Questions.Questions
}

const open = (
  { protocol, questions }: Services,
  initial: ProtocolVersion,
  send: (message: ServerMessage) => Effect.Effect<void>,
  { gone, session: known, silent = Effect.never, until = Effect.never }: Circumstances
): Session => {
  let settledVersion = initial
  let session = known
  const inFlight = new Map<Id, Deferred.Deferred<void>>()

  const settle = (settled: ProtocolVersion, capabilities: unknown) =>
    Effect.sync(() => {
      settledVersion = settled
      session = settled.elicitation && showsForms(capabilities) ? SessionId.mint() : undefined
    })

  /** A modern client is asked by the result of its call. */
  const askIn = ({ era }: ProtocolVersion) => {
    if (session === undefined || era === "modern") return undefined
    const asked = { session, send, gone: Effect.raceFirst(silent, gone ?? Effect.never) }
    return (question: Question) => questions.ask(question, asked)
  }

  /** The answer, an error if there was no time for one; none if the client says meanwhile that it wants none. */
  const serve = Effect.fnUntraced(function* (request: Request) {
    const { id } = request
    if (inFlight.has(id)) return Option.some(refused(id, invalidRequest("id is that of a request still being served")))
    const cancelled = yield* Deferred.make<void>()
    inFlight.set(id, cancelled)
    const protocolVersion = ofRequest(request.params, settledVersion)
    const cut: Outcome = { era: protocolVersion.era, verdict: "stopped", response: failure(id, stopped) }
    return yield* Effect.raceAllFirst([
      Effect.as(Deferred.await(cancelled), Option.none<Outcome>()),
      Effect.as(until, Option.some(cut)),
      protocol
        .serve(request, { protocolVersion, notify: send, ask: askIn(protocolVersion), gone, settle })
        .pipe(
          Effect.map((outcome) =>
            Option.some(request.method === "initialize" && session !== undefined ? { ...outcome, session } : outcome)
          )
        )
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
      Reply: (reply) =>
        Effect.as(session === undefined ? Effect.void : questions.answer(session, reply), Option.none<Outcome>()),
      Invalid: ({ id, problem }) => Effect.succeedSome(refused(id, invalidRequest(problem)))
    })

  const receiveBatch = Effect.fnUntraced(function* ({ messages }: Batch) {
    if (!settledVersion.batches) {
      return Option.some(refused(null, invalidRequest(`revision ${settledVersion.date} has no batches`)))
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
  const standsAlone = message.method === "initialize" || Option.isSome(claimed(message.params))
  return standsAlone ? { _tag: "Invalid", id: message.id, problem: `${message.method} stands alone here` } : message
}
