import { Context, Deferred, Effect, Layer, Option } from "effect"

import { lazy } from "../../internal/caching.ts"
import { showsViews } from "../AppViews.ts"
import { callerOn } from "../callContext.ts"
import { Copies, type Question, type SecretForm } from "../Elicitation.ts"
import * as Questions from "./elicitation/Questions.ts"
import { enterWhileWaiting, type PageAddress, type SecretForms } from "./elicitation/SecretForms.ts"
import { invalidRequest, stoppedHalfway, stoppedUnchanged } from "./errors.ts"
import { InFlightRequest, type InFlightRequests, makeInFlightRequests } from "./InFlightRequests.ts"
import {
  type Batch,
  failure,
  type Id,
  type Message,
  type Notification,
  type Outcome,
  readCancelled,
  refused,
  type Request,
  type ServerMessage,
  type Single
} from "./Message.ts"
import type { ToolList } from "./Method.ts"
import { Protocol } from "./Protocol.ts"
import { claimed, claimedCapabilities, ofRequest, type ProtocolVersion } from "./ProtocolVersion.ts"

/** One client's session: what its handshake negotiated, and its requests in flight. */
export interface Session {
  /** The answer to a message, if it has one. */
  readonly receive: (message: Message) => Effect.Effect<Option.Option<Outcome>>
  /** Whether a message is answered immediately, so that there is nothing to wait for or to stop. */
  readonly isImmediate: (message: Message) => boolean
  /** Nobody waits for answers any more: work that has not begun, or only reads, is stopped. */
  readonly leave: Effect.Effect<unknown>
}

/** The origin of a session, and the means that may stop its requests from outside. */
export interface SessionOptions {
  /** The requests of the transport, which may stop them. */
  readonly inFlightRequests?: InFlightRequests
  /** Its end is that of the client's messages: nothing more is received, though the client may still receive. */
  readonly silent?: Effect.Effect<void> | undefined
  /** The id of the session that this continues, whose handshake was elsewhere. */
  readonly session?: string | undefined
  /** The address that the client calls from, where its messages come over no connection of their own. */
  readonly address?: string
  /** The page on which the client's person enters secrets; by default none. */
  readonly page?: PageAddress
}

/** Opens sessions, whose request ids are kept apart. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Begins a session; `send` gets messages that the server sends on its own. */
    readonly open: (
      protocolVersion: ProtocolVersion,
      send: (message: ServerMessage) => Effect.Effect<void>,
      options?: SessionOptions
    ) => Session
    /** Whether a message that begins a session is answered immediately. */
    readonly isImmediate: (message: Message, protocolVersion: ProtocolVersion) => boolean
    /** The forms for secrets that their calls have opened. */
    readonly forms: SecretForms
  }
>()("workflow-tool-server/mcp/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const services = { protocol: yield* Protocol, questions: Questions.make(yield* Copies) }
      return Sessions.of({
        forms: services.protocol.forms,
        open: (protocolVersion, send, options = {}) => open(services, protocolVersion, send, options),
        isImmediate: (message, protocolVersion) => isImmediate(services, message, protocolVersion)
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
  {
    address,
    page = Effect.undefined,
    inFlightRequests = makeInFlightRequests(),
    session: continued,
    silent = Effect.never
  }: SessionOptions
): Session => {
  const connection = lazy(() => crypto.randomUUID())
  let negotiatedVersion = initial
  let session = continued
  const inFlight = new Map<Id, InFlightRequest>()
  const leaving = Deferred.makeUnsafe<void>()
  const gone = Effect.raceFirst(silent, Deferred.await(leaving))
  const isConnection = address === undefined
  const listed: ToolList = { refused: undefined, isKept: isConnection }

  const completeHandshake = (negotiated: ProtocolVersion, capabilities: unknown) =>
    Effect.sync(() => {
      negotiatedVersion = negotiated
      session = negotiated.elicitation ? Questions.mintSessionId(capabilities) : undefined
      return { announcesChanges: isConnection || session !== undefined }
    })

  /** The identity of the other end; of clients without a session or connection as far as they say who they are. */
  const caller = (client?: string) => {
    if (address === undefined) return callerOn({ _tag: "Connection", id: connection() })
    return callerOn(session === undefined ? { _tag: "Address", address, client } : { _tag: "Session", id: session })
  }

  /** A modern client is asked through the result of its call. */
  const askIn = ({ era }: ProtocolVersion) => {
    if (session === undefined || era === "modern" || !Questions.isOfForms(session)) return undefined
    const client = { session, send, gone }
    return (question: Question) =>
      Effect.flatMap(caller(), (caller) => questions.ask(Questions.requestOf(question), { ...client, caller }))
  }

  const enterIn = ({ addresses, era }: ProtocolVersion) => {
    if (session === undefined || era === "modern" || !addresses || !Questions.isOfAddresses(session)) return undefined
    const client = { session, send, gone }
    return (form: SecretForm) =>
      Effect.flatMap(caller(), (caller) =>
        enterWhileWaiting(protocol.forms, form, {
          caller,
          page,
          gone,
          consent: (request) => questions.ask(request, { ...client, caller }),
          tellEnd: (elicitationId) =>
            send({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params: { elicitationId } })
        })
      )
  }

  /** The answer, or an error if time ran out; none if the client cancels it. */
  const serve = (request: Request): Effect.Effect<Option.Option<Outcome>> => {
    const { id } = request
    if (inFlight.has(id)) {
      return Effect.succeedSome(refused(id, invalidRequest("id is that of a request still being served")))
    }
    const protocolVersion = ofRequest(request.params, negotiatedVersion)
    const inFlightRequest = new InFlightRequest(({ isCommitted }) => ({
      era: protocolVersion.era,
      verdict: "stopped",
      response: failure(id, isCommitted ? stoppedHalfway : stoppedUnchanged)
    }))
    const work = protocol.serve(request, {
      protocolVersion,
      id,
      gone,
      notify: send,
      ask: askIn(protocolVersion),
      enter: enterIn(protocolVersion),
      page,
      caller,
      showsViews:
        protocolVersion.era === "modern"
          ? showsViews(claimedCapabilities(request.params))
          : session !== undefined && Questions.isOfViews(session),
      inFlight: inFlightRequest,
      listed: protocolVersion.era === "legacy" && (isConnection || session !== undefined) ? listed : undefined,
      completeHandshake
    })
    if (protocol.isImmediate(request, protocolVersion)) {
      return Effect.map(work, (outcome) =>
        Option.some(request.method === "initialize" && session !== undefined ? { ...outcome, session } : outcome)
      )
    }
    inFlight.set(id, inFlightRequest)
    return inFlightRequests.during(inFlightRequest, work, () => inFlight.delete(id))
  }

  const receiveNotification = ({ method, params }: Notification) =>
    Effect.sync(() => {
      if (method === "notifications/cancelled") cancelledBy(params, inFlight)?.stop(Option.none())
      return Option.none<Outcome>()
    })

  const receiveSingle = (message: Single): Effect.Effect<Option.Option<Outcome>> => {
    if (message._tag === "Request") return Effect.suspend(() => serve(message))
    if (message._tag === "Notification") return receiveNotification(message)
    if (message._tag === "Invalid") return Effect.succeedSome(refused(message.id, invalidRequest(message.problem)))
    if (session === undefined) return Effect.succeedNone
    const answering = session
    return Effect.flatMap(caller(), (caller) => questions.answer({ session: answering, caller }, message)).pipe(
      Effect.as(Option.none())
    )
  }

  const receiveBatch = ({ messages }: Batch) =>
    negotiatedVersion.batches
      ? Effect.map(Effect.forEach(messages.map(fitForBatch), receiveSingle, { concurrency: "unbounded" }), joinOutcomes)
      : Effect.succeedSome(refused(null, invalidRequest(`revision ${negotiatedVersion.date} has no batches`)))

  return {
    receive: (message) =>
      message._tag === "Batch" ? Effect.suspend(() => receiveBatch(message)) : receiveSingle(message),
    isImmediate: (message) => isImmediate({ protocol }, message, negotiatedVersion),
    leave: Effect.suspend(() => {
      for (const request of inFlight.values()) if (!request.isCommitted) request.stop(Option.none())
      return Deferred.succeed(leaving, undefined)
    })
  }
}

const isImmediate = (
  { protocol }: Pick<Services, "protocol">,
  message: Message,
  negotiated: ProtocolVersion
): boolean =>
  message._tag !== "Batch" &&
  (message._tag !== "Request" || protocol.isImmediate(message, ofRequest(message.params, negotiated)))

const cancelledBy = (params: unknown, inFlight: ReadonlyMap<Id, InFlightRequest>) =>
  Option.match(readCancelled(params), { onNone: () => undefined, onSome: ({ requestId }) => inFlight.get(requestId) })

/** The answers of a batch as one, if there are any. */
const joinOutcomes = (outcomes: ReadonlyArray<Option.Option<Outcome>>): Option.Option<Outcome> => {
  const response = outcomes.flatMap(Option.toArray).flatMap(({ response }) => response)
  return response.length === 0 ? Option.none() : Option.some({ era: "legacy", verdict: "answered", response })
}

const fitForBatch = (message: Single): Single => {
  if (message._tag !== "Request") return message
  const standsAlone = message.method === "initialize" || Option.isSome(claimed(message.params))
  return standsAlone ? { _tag: "Invalid", id: message.id, problem: `${message.method} stands alone here` } : message
}
