import { Duration, Effect, Match, Option, Redacted, Schema } from "effect"

import { monotonicMillis } from "../../internal/http/monotonicMillis.ts"
import { redact } from "../../internal/http/redact.ts"
import type { Reply, Upstream, UpstreamRequest } from "../../internal/http/Upstream.ts"
import type { UpstreamFailure } from "../../internal/http/UpstreamFailure.ts"
import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
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
  Timeout
} from "./EngineError.ts"
import * as KeyHeader from "./KeyHeader.ts"
import { publicVersion as readPublicVersion } from "./publicVersion.ts"
import { apiResponse, gatewayProblem, isNotOffered, isStarting, json, problemOf, thingAt } from "./replies.ts"

/** One call of the engine's REST API, in the words of this client. */
export interface Call extends Pick<UpstreamRequest, "body" | "method" | "path" | "query"> {
  /** What an error names as the thing that was tried. */
  readonly operation: string
  /** The body where it depends on which key header the engine takes; then `body` is not looked at. */
  readonly bodyFor?: (keyHeader: string) => unknown
  /** What is missing when the engine finds something not to be there; by default the thing that the path names. */
  readonly about?: string
  /** Values that must not come back in an error. */
  readonly secrets?: ReadonlyArray<string>
}

/** Said with every call, with a body or without. */
const jsonHeaders = { accept: "application/json", "content-type": "application/json" }

/** Longest wait for one upstream call. */
const longest = Duration.seconds(30)

/** How one instance is called: read-only guard, key header, start-up wait, and every outcome as a reply or a typed error. */
export const make = (instance: string, environment: Environment, upstream: Upstream) => {
  const keyHeader = KeyHeader.make(environment.apiKeyHeader)

  const attempt = (call: Call, header: string) =>
    Effect.flatMap(remaining(longest), (timeout) =>
      upstream.send({
        ...call,
        ...(call.bodyFor === undefined ? {} : { body: call.bodyFor(header) }),
        path: `/api/v1${call.path}`,
        timeout,
        headers: { ...jsonHeaders, ...environment.headers, [header]: environment.apiKey }
      })
    )

  /** The reply of whatever status, once the engine is up. */
  const reply = Effect.fnUntraced(function* (call: Call): Effect.fn.Return<Reply, EngineError> {
    if (environment.readOnly && call.method !== "GET") {
      return yield* new ReadOnlyInstance({ instance, operation: call.operation })
    }
    return yield* keyHeader.learn((header) => attempt(call, header)).pipe(onceStarted, Effect.mapError(translate(call)))
  })

  const secretsOf = (call: Call) => [
    ...[environment.apiKey, ...Object.values(environment.headers)].map((secret) => Redacted.value(secret)),
    ...(call.secrets ?? [])
  ]

  const translate = (call: Call) => {
    const lost = (problem: string) => new OutcomeUnknown({ instance, operation: call.operation, problem })
    const isChange = call.method !== "GET"
    return Match.typeTags<UpstreamFailure, EngineError>()({
      UpstreamTimeout: ({ milliseconds, sent }) =>
        new Timeout({ instance, milliseconds, ...(sent && isChange ? { unsettled: call.operation } : {}) }),
      Unreachable: ({ code, phase, problem }) =>
        phase !== "connecting" && isChange
          ? lost(problem)
          : new NetworkError({ instance, code: networkKind(code), problem }),
      RedirectRefused: ({ problem, status }) =>
        new ApiError({ instance, httpStatus: status, problem, apiResponse: null }),
      ReplyTooLarge: ({ limit }) => {
        const problem = `its answer is larger than ${limit} bytes`
        return isChange ? lost(problem) : new NetworkError({ instance, code: "NETWORK_ERROR", problem })
      }
    })
  }

  /** A reply without the secrets that it may repeat. */
  const redacted = (answer: Reply, call: Call): Reply => ({ ...answer, text: redact(answer.text, secretsOf(call)) })

  /** The error that a reply stands for. */
  const refusal = (answer: Reply, { about, path }: Call): EngineError => {
    const details = { instance, apiResponse: apiResponse(answer) }
    const gateway = gatewayProblem(answer)
    if (gateway !== undefined) return new ApiError({ ...details, httpStatus: answer.status, problem: gateway })
    if (answer.status === 401) return new AuthenticationFailed(details)
    if (answer.status === 403) return new PermissionDenied(details)
    const thing = answer.status === 404 ? (about ?? thingAt(path)) : undefined
    const problem = thing === undefined ? problemOf(answer) : `${problemOf(answer)} (${thing})`
    return new ApiError({ ...details, httpStatus: answer.status, problem })
  }

  const decoded = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, answer: Reply, call: Call) => {
    const body = answer.status < 300 ? json(answer) : Option.none()
    if (Option.isNone(body)) return Effect.fail(refusal(redacted(answer, call), call))
    return Effect.mapError(
      Schema.decodeUnknownEffect(schema)(body.value),
      (error) =>
        new ApiError({
          instance,
          httpStatus: answer.status,
          problem: `the answer has another shape than the API promises: ${redact(firstIssueOf(error), secretsOf(call))}`,
          apiResponse: apiResponse(redacted(answer, call))
        })
    )
  }

  /** Calls, and decodes what the engine answers. */
  const call = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(schema: S, request: Call) {
    return yield* decoded(schema, yield* reply(request), request)
  })

  /** As `call`, for calls that not every engine has: nothing where this one has not. */
  const callIfOffered = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
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
    return yield* upstream
      .send({ ...request, repeatable: false, timeout: yield* remaining(longest) })
      .pipe(Effect.mapError(translate({ ...request, method: "POST", operation })))
  })

  /** What the engine tells everybody, without the key. */
  const publicJson = (path: string) =>
    Effect.flatMap(remaining(longest), (timeout) => upstream.send({ method: "GET", path, timeout })).pipe(
      Effect.map((answer) => (answer.status === 200 ? json(answer) : Option.none())),
      Effect.mapError(translate({ method: "GET", path, operation: `read ${path}` }))
    )

  const publicVersion = readPublicVersion(upstream, environment.headers).pipe(
    Effect.mapError(translate({ method: "GET", path: "/", operation: "read the version" }))
  )

  return { call, callAddress, callIfOffered, publicJson, publicVersion }
}

/** The ways to call one instance. */
export type Calls = ReturnType<typeof make>

/** The contract's name for a failure of the network. */
const networkKind = (code: string): string => {
  if (code === "ECONNREFUSED") return code
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "ENOTFOUND"
  return code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT" ? "ETIMEDOUT" : "NETWORK_ERROR"
}

/** Longest wait for an engine that is still starting. */
const startUp = Duration.toMillis("25 seconds")

/** Waits for an engine that is still starting; whatever it was sent meanwhile, it did nothing with it. */
const onceStarted = Effect.fnUntraced(function* <E>(ask: Effect.Effect<Reply, E>) {
  const until = Math.min(yield* Deadline, (yield* monotonicMillis) + startUp)
  let answer = yield* ask
  let seen = false
  while (isStarting(answer) || (seen && answer.status === 404 && Option.isNone(json(answer)))) {
    if ((yield* monotonicMillis) >= until) return answer
    seen = true
    yield* Effect.sleep("250 millis")
    answer = yield* ask
  }
  return answer
})
