import { Clock, Duration, Effect, Match, Option, Redacted, Schema } from "effect"

import { addressOf } from "../../internal/http/addressOf.ts"
import { monotonicMillis } from "../../internal/http/monotonicMillis.ts"
import { redactor } from "../../internal/http/redact.ts"
import { effectOf, type Reply, type Upstream, type UpstreamRequest } from "../../internal/http/Upstream.ts"
import { isOutcomeUnknown, type UpstreamFailure } from "../../internal/http/UpstreamFailure.ts"
import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
import { withReference } from "../../internal/withReference.ts"
import { type Access, CurrentAccess } from "../../mcp/Access.ts"
import type { Environment } from "../config/EngineConfig.ts"
import { Deadline, remaining } from "./Deadline.ts"
import {
  ApiError,
  AuthenticationFailed,
  type EngineError,
  NetworkError,
  OutcomeUnknown,
  PermissionDenied,
  ReadOnlyInstance,
  Timeout,
  TooLargeToShow
} from "./EngineError.ts"
import * as KeyHeader from "./KeyHeader.ts"
import { publicVersion as readPublicVersion } from "./publicVersion.ts"
import {
  apiResponse,
  cameInstead,
  cut,
  gatewayProblem,
  isNotOffered,
  isStarting,
  json,
  knowsNoPath,
  leavesOpen,
  problemOf,
  thingAt
} from "./replies.ts"
import { networkKind, remedyFor } from "./unreachable.ts"

/** One call of the engine's REST API, in the words of this client. */
export interface Call extends Pick<
  UpstreamRequest,
  "body" | "effect" | "finishes" | "method" | "path" | "query" | "selection"
> {
  /** What an error names as the thing that was tried. */
  readonly operation: string
  /** The body where it depends on which key header the engine takes; then `body` is not looked at. */
  readonly bodyFor?: (keyHeader: string) => unknown
  /** What is missing when the engine finds something not to be there; by default the thing that the path names. */
  readonly about?: string
  /** Values that must not come back in an error. */
  readonly secrets?: ReadonlyArray<string>
}

/** Where the instance is called, for those whom that concerns. */
interface At {
  readonly address?: string
}

/** Reads a text quickly where what it says has the shape of a schema that changes nothing; elsewhere the schema says why not. */
type Glance<S extends Schema.Constraint> = (text: string) => Option.Option<S["Type"]>

/** Said with every call, with a body or without. */
const jsonHeaders = { accept: "application/json", "content-type": "application/json" }

/** A small read that tells whether the engine is up. */
const probe: Call = { operation: "read tags", method: "GET", path: "/tags", query: { limit: 1 } }

/** What an engine answers that keeps to itself what another one tells everybody. */
const refusals = [401, 403]

/** Longest wait for one upstream call. */
const longest = Duration.seconds(30)

/** How one instance is called: read-only guard, key header, start-up wait, and every outcome as a reply or a typed error. */
export const make = (instance: string, environment: Environment, upstream: Upstream) => {
  const keyHeader = KeyHeader.make(environment.apiKeyHeader)

  const attempt = (call: Call, header: string, expected: ReadonlyArray<number>) =>
    Effect.flatMap(remaining(longest), (timeout) =>
      upstream.send({
        ...call,
        ...(call.bodyFor === undefined ? {} : { body: call.bodyFor(header) }),
        path: `/api/v1${call.path}`,
        expected,
        timeout,
        headers: { ...jsonHeaders, ...environment.headers, [header]: environment.apiKey }
      })
    )

  /** The reply of whatever status, once the engine is up. */
  const reply = (call: Call): Effect.Effect<Reply, EngineError> => {
    if (environment.readOnly && effectOf(call) === "write") {
      return Effect.fail(new ReadOnlyInstance({ instance, operation: call.operation }))
    }
    const ask = (call: Call) => keyHeader.learn((header, expected) => attempt(call, header, expected))
    return translated(call, onceStarted(ask(call), call.method === "GET" ? undefined : ask(probe)))
  }

  const secrets = [environment.apiKey, ...Object.values(environment.headers)].map((secret) => Redacted.value(secret))
  const redactorOf = (call: Call) => redactor([...secrets, ...(call.secrets ?? [])])

  const lost = (call: Call, problem: string) => new OutcomeUnknown({ instance, operation: call.operation, problem })

  const address = addressOf(environment.host, environment.proxy)
  /** Who comes with a token of an issuer has not configured the instances. */
  const addressFor = (access: Access): At => (access.subject !== undefined || address === undefined ? {} : { address })

  const translated = <A>(call: Call, sent: Effect.Effect<A, UpstreamFailure>): Effect.Effect<A, EngineError> =>
    Effect.catch(sent, (failure) =>
      withReference(CurrentAccess, (access) => Effect.fail(translate(call, addressFor(access))(failure)))
    )

  const translate = (call: Call, at: At) => (failure: UpstreamFailure) =>
    isOutcomeUnknown(effectOf(call), failure) ? unknownOutcome(call, failure, at) : noAnswer(call, failure, at)

  const unknownOutcome = (call: Call, failure: UpstreamFailure, at: At): EngineError =>
    failure._tag === "UpstreamTimeout"
      ? new Timeout({ instance, milliseconds: failure.milliseconds, outcomeUnknownOf: call.operation, ...at })
      : lost(call, describe(failure))

  const noAnswer = (call: Call, failure: UpstreamFailure, at: At): EngineError => {
    const problem = describe(failure)
    return Match.valueTags(failure, {
      UpstreamTimeout: ({ milliseconds }) => new Timeout({ instance, milliseconds, ...at }),
      Unreachable: ({ code, phase }) =>
        new NetworkError({
          instance,
          code: networkKind(code),
          problem,
          wasReached: phase === "reading",
          ...at,
          ...(phase === "connecting" || code === "ETIMEDOUT" ? { remedy: remedyFor(code, environment) } : {})
        }),
      RedirectRefused: ({ status }) =>
        new ApiError({
          instance,
          httpStatus: status,
          problem: `instance ${instance}: ${redactorOf(call).text(problem)}`,
          apiResponse: null
        }),
      MoreThanUseful: ({ bytes }) => new TooLargeToShow({ instance, bytes }),
      ReplyTooLarge: () => new NetworkError({ instance, code: "NETWORK_ERROR", problem, wasReached: true })
    })
  }

  /** The error that a reply stands for. */
  const refusal = (answer: Reply, call: Call): EngineError => {
    const redact = redactorOf(call)
    const details = { instance, apiResponse: apiResponse(answer, redact) }
    const gateway = gatewayProblem(answer, instance)
    if (gateway !== undefined) return new ApiError({ ...details, httpStatus: answer.status, problem: gateway })
    if (effectOf(call) === "write" && leavesOpen(answer)) return lost(call, cameInstead(answer, redact))
    if (answer.status === 401) return new AuthenticationFailed(details)
    if (answer.status === 403) return new PermissionDenied(details)
    const thing = answer.status === 404 ? (call.about ?? thingAt(call.path)) : undefined
    const words = problemOf(answer, instance, redact)
    const problem = thing === undefined ? words : `${words} (${thing} on instance ${instance})`
    return new ApiError({ ...details, httpStatus: answer.status, problem })
  }

  /** What is said of an answer that is JSON and still not what the API promises. */
  const misshapen = (answer: Reply, call: Call, error: Schema.SchemaError): EngineError => {
    const redact = redactorOf(call)
    const shape = `has another shape than the API promises: ${cut(redact.text(firstIssueOf(error)))}`
    if (effectOf(call) === "write") return lost(call, `what came ${shape}`)
    const details = { httpStatus: answer.status, apiResponse: apiResponse(answer, redact) }
    return new ApiError({ instance, problem: `the answer of instance ${instance} ${shape}`, ...details })
  }

  const decoded = <S extends Schema.ConstraintDecoder<unknown>>(
    schema: S,
    answer: Reply,
    call: Call,
    glance?: Glance<S>
  ): Effect.Effect<S["Type"], EngineError, S["DecodingServices"]> => {
    const isOpen = effectOf(call) === "write" && leavesOpen(answer)
    if (answer.status >= 300 || isOpen) return Effect.fail(refusal(answer, call))
    const seen = glance?.(answer.text)
    if (seen !== undefined && Option.isSome(seen)) return Effect.succeed(seen.value)
    const body = json(answer)
    if (Option.isNone(body)) return Effect.fail(refusal(answer, call))
    return Effect.mapError(Schema.decodeUnknownEffect(schema)(body.value), (error) => misshapen(answer, call, error))
  }

  /** Calls, and decodes what the engine answers, unless a `glance` is enough. */
  const call = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, request: Call, glance?: Glance<S>) =>
    Effect.flatMap(reply(request), (answer) => decoded(schema, answer, request, glance))

  /** As `call`, for calls that not every engine has: nothing where this one has not. */
  const callIfSupported = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
    schema: S,
    request: Call
  ) {
    const answer = yield* reply(request)
    return isNotOffered(answer) ? Option.none() : Option.some(yield* decoded(schema, answer, request))
  })

  /** Calls an address of a workflow on the engine's host; the key is not for workflows. */
  const callAddress = Effect.fnUntraced(function* (request: UpstreamRequest): Effect.fn.Return<Reply, EngineError> {
    const operation = "execute workflow"
    if (environment.readOnly) return yield* new ReadOnlyInstance({ instance, operation })
    const write = { ...request, effect: "write" } as const
    return yield* translated({ ...write, operation }, upstream.send({ ...write, timeout: yield* remaining(longest) }))
  })

  /** What the engine tells everybody, without the key. */
  const publicJson = (path: string) =>
    translated(
      { method: "GET", path, operation: `read ${path}` },
      Effect.flatMap(remaining(longest), (timeout) =>
        upstream.send({ method: "GET", path, expected: refusals, timeout })
      )
    ).pipe(Effect.map((answer) => (answer.status === 200 ? json(answer) : Option.none())))

  const publicVersion = translated(
    { method: "GET", path: "/", operation: "read the version" },
    readPublicVersion(upstream, environment.headers)
  )

  /** The time that an answer bears is that of its second's beginning, somewhere between asking and hearing. */
  const clockSkew = Effect.gen(function* () {
    const asked = yield* Clock.currentTimeMillis
    const { headers } = yield* upstream.send({
      method: "GET",
      path: "/",
      headers: environment.headers,
      expected: refusals,
      timeout: yield* remaining(longest)
    })
    const heard = yield* Clock.currentTimeMillis
    const told = Date.parse(headers["date"] ?? "")
    return Number.isNaN(told) ? Option.none() : Option.some(told + 500 - (asked + heard) / 2)
  }).pipe((read) => translated({ method: "GET", path: "/", operation: "read the time" }, read))

  return { call, callAddress, callIfSupported, clockSkew, publicJson, publicVersion }
}

/** The ways to call one instance. */
export type Calls = ReturnType<typeof make>

const describe = Match.typeTags<UpstreamFailure, string>()({
  UpstreamTimeout: ({ milliseconds }) => `no answer within ${milliseconds} ms`,
  Unreachable: ({ problem }) => problem,
  RedirectRefused: ({ problem }) => problem,
  MoreThanUseful: ({ bytes }) => `its answer is ${bytes} bytes or more`,
  ReplyTooLarge: ({ limit }) => `its answer is larger than ${limit} bytes`
})

/** Longest wait for an engine that is still starting. */
const startUp = Duration.toMillis("25 seconds")

/** How often a change goes out again to an engine that has started meanwhile. */
const repeatedChanges = 2

/** Whether an engine has turned a request away because it is starting. */
const isComingUp = (answer: Reply) => isStarting(answer) || knowsNoPath(answer)

/**
 * Waits for an engine that is starting. Only a read asks again and again; a change goes out again when the `probe`, a
 * read, shows that the engine is up.
 */
const onceStarted = <E>(ask: Effect.Effect<Reply, E>, probe?: Effect.Effect<Reply, E>) =>
  Effect.flatMap(ask, (first) => (isStarting(first) ? askedAgain(first, ask, probe) : Effect.succeed(first)))

const askedAgain = Effect.fnUntraced(function* <E>(
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
    const answer = yield* ask
    if (!isStarting(answer)) return answer
  }
  return first
})
