import { Clock, Duration, Effect, Option, Predicate, Schema } from "effect"

import { again } from "../../internal/http/resend.ts"
import { effectOf, type Reply, type Upstream, type UpstreamRequest } from "../../internal/http/Upstream.ts"
import type { UpstreamFailure } from "../../internal/http/UpstreamFailure.ts"
import { monotonicMillis } from "../../internal/time.ts"
import { CurrentAccess } from "../../mcp/callContext.ts"
import { page, Tag } from "../workflow/models.ts"
import * as CallErrors from "./CallErrors.ts"
import { capabilitiesOf, Discovered, offers } from "./capabilities.ts"
import type { Environment } from "./config/EngineConfig.ts"
import { callTimeout, Deadline, Pace, remaining } from "./Deadline.ts"
import { type EngineError, ReadOnlyInstance } from "./EngineError.ts"
import { type AcceptedHeaders, makeKeyHeader } from "./KeyHeaders.ts"
import { publicCalls } from "./publicCalls.ts"
import { idAt, leavesOpen, thingAt } from "./replies.ts"
import { changingCallOf, makeRights } from "./rights.ts"
import { isStarting, json, knowsNoPath, type Verdict, verdictOf } from "./verdict.ts"

/** One call of the engine's REST API. */
interface Call
  extends CallErrors.AttemptedCall, Pick<UpstreamRequest, "body" | "finishes" | "query" | "selection" | "take"> {
  /** Makes the body if it depends on the key header that the engine accepts; `body` is then ignored. */
  readonly bodyFor?: (keyHeader: string) => unknown
}

/** A changing call, as the engine describes it; ids in its path are encoded. */
export type DescribedCall = Pick<Call, "body" | "method" | "path" | "query" | "secrets">

/** A quick check and read of a text whose schema changes nothing; otherwise the schema explains what is wrong. */
type QuickDecode<S extends Schema.Constraint> = (text: string) => Option.Option<S["Type"]>

/** Created, accepted, done: the statuses with which engines say nothing more. */
const emptyAnswers = new Set([201, 202, 204])

/** Sent with every call, with or without a body. */
const jsonHeaders = { accept: "application/json", "content-type": "application/json" }

/** A small read that tells whether the engine is up. */
const probe: Call = { operation: "read tags", method: "GET", path: "/tags", query: { limit: 1 } }

/** The list of what an engine offers to the key. */
export const discovery: Call = { operation: "read the key's rights", method: "GET", path: "/discover" }

const decodeDiscovered = Schema.decodeUnknownOption(Discovered)

/** Whether the answer to the probe is an engine's: tags, or a refusal. */
const isOfEngine = (verdict: Verdict): boolean =>
  verdict._tag === "Refused" || (verdict._tag === "Answered" && Option.isSome(decodeTags(verdict.body)))

const decodeTags = Schema.decodeUnknownOption(page(Tag))

/** Calls one instance: read-only check, key header, wait for a starting engine, and every outcome as a reply or a typed error. */
export const make = (instance: string, environment: Environment, upstream: Upstream, knownHeaders: AcceptedHeaders) => {
  const keyHeader = makeKeyHeader(environment, knownHeaders)
  const errors = CallErrors.make(instance, environment)

  const attempt = (call: Call, header: string, expected: ReadonlyArray<number>) =>
    Effect.flatMap(Pace, ({ run }) =>
      run(
        Effect.flatMap(remaining(callTimeout), (timeout) =>
          upstream.send({
            ...call,
            ...(call.bodyFor === undefined ? {} : { body: call.bodyFor(header) }),
            path: `/api/v1${call.path}`,
            expected,
            timeout,
            headers: { ...jsonHeaders, ...environment.headers, [header]: environment.apiKey }
          })
        )
      )
    )

  /** The reply with any status, once the engine is up. */
  const reply = (call: Call): Effect.Effect<Reply, EngineError> => {
    if (environment.readOnly && effectOf(call) === "write") {
      return Effect.fail(new ReadOnlyInstance({ instance, operation: call.operation }))
    }
    const changing = effectOf(call) === "write" ? changingCallOf(call.method, call.path) : undefined
    const sent = sendOnceStarted(call)
    return changing === undefined ? sent : Effect.andThen(requireRights([changing]), sent)
  }

  const sendOnceStarted = (call: Call): Effect.Effect<Reply, EngineError> => {
    const ask = (call: Call) =>
      Effect.tap(
        keyHeader.learn((header, expected) => attempt(call, header, expected)),
        noteReply
      )
    return translateErrors(call, onceStarted(ask(call), call.method === "GET" ? undefined : ask(probe)))
  }

  const readCapabilities = Effect.suspend(() => reply(discovery)).pipe(
    Effect.map((answer) => {
      const verdict = verdictOf(answer)
      return verdict._tag === "Answered" ? Option.map(decodeDiscovered(verdict.body), capabilitiesOf) : Option.none()
    })
  )
  const { latest, requireRights, rights } = makeRights(instance, readCapabilities)

  let lastReplyAt: number | undefined
  const noteReply = Effect.map(Clock.currentTimeMillis, (now) => {
    lastReplyAt = now
  })

  const translateErrors = <A>(
    call: CallErrors.AttemptedCall,
    sent: Effect.Effect<A, UpstreamFailure>
  ): Effect.Effect<A, EngineError> =>
    Effect.catch(sent, (failure) =>
      Effect.flatMap(CurrentAccess, (access) => Effect.fail(errors.ofFailure(call, failure, access)))
    )

  const decodeReply = <S extends Schema.ConstraintDecoder<unknown>>(
    schema: S,
    answer: Reply,
    call: Call,
    quickDecode?: QuickDecode<S>
  ): Effect.Effect<S["Type"], EngineError, S["DecodingServices"]> => {
    const isOpen = effectOf(call) === "write" && leavesOpen(answer)
    if (answer.status >= 300 || isOpen) return Effect.fail(errors.ofReply(call, answer))
    const expectedId = idAt(call.path)
    const isAnother = (value: S["Type"]) =>
      expectedId !== undefined && Predicate.hasProperty(value, "id") && String(value.id) !== expectedId
    const quickValue = Option.flatten(Option.fromUndefinedOr(quickDecode?.(answer.text)))
    if (Option.isSome(quickValue) && !isAnother(quickValue.value)) return Effect.succeed(quickValue.value)
    const body = json(answer)
    if (Option.isNone(body)) return Effect.fail(errors.ofReply(call, answer))
    return Schema.decodeUnknownEffect(schema)(body.value).pipe(
      Effect.mapError((error) => errors.ofShape(call, answer, error)),
      Effect.filterOrFail(Predicate.not(isAnother), () => errors.ofShape(call, answer, CallErrors.isOfAnother)),
      Effect.tapError(() => keyHeader.forget)
    )
  }

  /** Calls, and decodes the engine's answer, unless a `glance` is enough. */
  const call = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, request: Call, glance?: QuickDecode<S>) =>
    Effect.flatMap(reply(request), (answer) => decodeReply(schema, answer, request, glance))

  /** Makes a change that the engine describes. It may be answered without a body. */
  const changeCall = Effect.fnUntraced(function* (described: DescribedCall) {
    const request: Call = { ...described, operation: `call ${described.method} ${described.path}` }
    const answer = yield* reply(request)
    return emptyAnswers.has(answer.status) && answer.text === ""
      ? {}
      : yield* decodeReply(Schema.Unknown, answer, request)
  })

  /** Deletes something. Engines answer its record; after an answer without one, only a read shows that it is gone. */
  const callDeletion = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
    record: S,
    request: Omit<Call, "method">
  ) {
    const deletion: Call = { ...request, method: "DELETE" }
    const answer = yield* reply(deletion)
    if (answer.status !== 204) return yield* decodeReply(record, answer, deletion)
    const read = yield* reply({ operation: request.operation, method: "GET", path: request.path })
    return verdictOf(read)._tag === "Missing" ? {} : yield* errors.ofLost(deletion, answer)
  })

  /**
   * Like `call`, for calls that not every engine has: `None` if this one does not. A host without the call may say the same as
   * one without the thing that it is about, which `isThere` tells apart.
   */
  const callIfSupported = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
    schema: S,
    request: Call,
    isThere: Effect.Effect<boolean> = Effect.succeed(false)
  ) {
    const answer = yield* reply(request)
    const isAboutNothing = (request.about ?? thingAt(request.path)) === undefined
    const verdict = verdictOf(answer)
    const isNotOffered =
      verdict._tag === "NotOffered" || (verdict._tag === "Missing" && (isAboutNothing || (yield* isThere)))
    if (!isNotOffered) return Option.some(yield* decodeReply(schema, answer, request))
    if (answer.status === 405 || (yield* isLacking(request))) return Option.none()
    return yield* errors.ofForeign(request, answer)
  })

  /**
   * Whether the engine lacks a call. What is in front of it may say in the same words that it knows no path: newer engines list
   * what they offer, and of older ones only an engine answers the probe.
   */
  const isLacking = Effect.fnUntraced(function* ({ method, path }: Call) {
    const offered = yield* latest
    return Option.isSome(offered)
      ? !offers(offered.value, `${method} ${path}`)
      : isOfEngine(verdictOf(yield* reply(probe)))
  })

  /** Calls an address of a workflow on the engine's host, without the key. */
  const callAddress = Effect.fnUntraced(function* (request: UpstreamRequest): Effect.fn.Return<Reply, EngineError> {
    const operation = "execute workflow"
    if (environment.readOnly) return yield* new ReadOnlyInstance({ instance, operation })
    const write = { ...request, effect: "write", takesRedirect: true } as const
    return yield* translateErrors(
      { ...write, operation },
      upstream.send({ ...write, timeout: yield* remaining(callTimeout) })
    )
  })

  const heardAt = Effect.sync(() => Option.fromUndefinedOr(lastReplyAt))

  return {
    call,
    heardAt,
    callAddress,
    callDeletion,
    callIfSupported,
    changeCall,
    requireRights,
    rights,
    ...publicCalls(upstream, environment, translateErrors)
  }
}

export type Calls = ReturnType<typeof make>

/** Longest wait for an engine that is still starting. */
const startUp = Duration.toMillis("25 seconds")

/** Times that a change is sent again to an engine that has started meanwhile. */
const repeatedChanges = 2

/** Whether an engine has refused a request because it is starting. */
const isComingUp = (answer: Reply) => isStarting(answer) || knowsNoPath(answer)

/**
 * Waits for an engine that is starting. Only reads are repeated; a change is sent again when the `probe`, a read, shows that
 * the engine is up.
 */
const onceStarted = <E>(ask: Effect.Effect<Reply, E>, probe?: Effect.Effect<Reply, E>) =>
  Effect.flatMap(ask, (first) => (isStarting(first) ? askUntilStarted(first, ask, probe) : Effect.succeed(first)))

const askUntilStarted = Effect.fnUntraced(function* <E>(
  first: Reply,
  ask: Effect.Effect<Reply, E>,
  probe?: Effect.Effect<Reply, E>
) {
  const until = Math.min(yield* Deadline, (yield* monotonicMillis) + startUp)
  const polled = Effect.repeat(Effect.delay(probe ?? ask, "250 millis"), {
    while: (answer) => Effect.map(monotonicMillis, (now) => now < until && isComingUp(answer))
  })
  if (probe === undefined) return yield* polled
  for (let sent = 0; sent < repeatedChanges; sent++) {
    if (isComingUp(yield* polled)) return first
    const answer = yield* again("engine starting", ask)
    if (!isStarting(answer)) return answer
  }
  return first
})
