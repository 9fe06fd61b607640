import { Effect, Option, Schema } from "effect"

import { effectOf, type Reply, type Upstream, type UpstreamRequest } from "../../internal/http/Upstream.ts"
import type { UpstreamFailure } from "../../internal/http/UpstreamFailure.ts"
import { withReference } from "../../internal/withReference.ts"
import { CurrentAccess } from "../../mcp/Access.ts"
import type { Environment } from "../config/EngineConfig.ts"
import * as CallErrors from "./CallErrors.ts"
import { callTimeout, remaining } from "./Deadline.ts"
import { type EngineError, ReadOnlyInstance } from "./EngineError.ts"
import * as KeyHeader from "./KeyHeader.ts"
import { onceStarted } from "./onceStarted.ts"
import { publicCalls } from "./publicCalls.ts"
import { isNotOffered, json, leavesOpen } from "./replies.ts"

/** One call of the engine's REST API, in the words of this client. */
export interface Call extends CallErrors.Attempted, Pick<UpstreamRequest, "body" | "finishes" | "query" | "selection"> {
  /** The body where it depends on which key header the engine takes; then `body` is not looked at. */
  readonly bodyFor?: (keyHeader: string) => unknown
}

/** Reads a text quickly where what it says has the shape of a schema that changes nothing; elsewhere the schema says why not. */
type Glance<S extends Schema.Constraint> = (text: string) => Option.Option<S["Type"]>

/** Said with every call, with a body or without. */
const jsonHeaders = { accept: "application/json", "content-type": "application/json" }

/** A small read that tells whether the engine is up. */
const probe: Call = { operation: "read tags", method: "GET", path: "/tags", query: { limit: 1 } }

/** How one instance is called: read-only guard, key header, start-up wait, and every outcome as a reply or a typed error. */
export const make = (instance: string, environment: Environment, upstream: Upstream) => {
  const keyHeader = KeyHeader.make(environment.apiKeyHeader)
  const errors = CallErrors.make(instance, environment)

  const attempt = (call: Call, header: string, expected: ReadonlyArray<number>) =>
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

  /** The reply of whatever status, once the engine is up. */
  const reply = (call: Call): Effect.Effect<Reply, EngineError> => {
    if (environment.readOnly && effectOf(call) === "write") {
      return Effect.fail(new ReadOnlyInstance({ instance, operation: call.operation }))
    }
    const ask = (call: Call) => keyHeader.learn((header, expected) => attempt(call, header, expected))
    return translated(call, onceStarted(ask(call), call.method === "GET" ? undefined : ask(probe)))
  }

  const translated = <A>(
    call: CallErrors.Attempted,
    sent: Effect.Effect<A, UpstreamFailure>
  ): Effect.Effect<A, EngineError> =>
    Effect.catch(sent, (failure) =>
      withReference(CurrentAccess, (access) => Effect.fail(errors.ofFailure(call, failure, access)))
    )

  const decoded = <S extends Schema.ConstraintDecoder<unknown>>(
    schema: S,
    answer: Reply,
    call: Call,
    glance?: Glance<S>
  ): Effect.Effect<S["Type"], EngineError, S["DecodingServices"]> => {
    const isOpen = effectOf(call) === "write" && leavesOpen(answer)
    if (answer.status >= 300 || isOpen) return Effect.fail(errors.ofReply(call, answer))
    const seen = glance?.(answer.text)
    if (seen !== undefined && Option.isSome(seen)) return Effect.succeed(seen.value)
    const body = json(answer)
    if (Option.isNone(body)) return Effect.fail(errors.ofReply(call, answer))
    return Effect.mapError(Schema.decodeUnknownEffect(schema)(body.value), (error) =>
      errors.ofShape(call, answer, error)
    )
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
    return yield* translated(
      { ...write, operation },
      upstream.send({ ...write, timeout: yield* remaining(callTimeout) })
    )
  })

  return { call, callAddress, callIfSupported, ...publicCalls(upstream, environment, translated) }
}

/** The ways to call one instance. */
export type Calls = ReturnType<typeof make>
