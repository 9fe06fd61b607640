import { Clock, DateTime, Effect, Option, Ref, Schema } from "effect"
import { Headers, type HttpServerRequest } from "effect/http"

import * as Buckets from "./Buckets.ts"
import data from "./data/limits.json" with { type: "json" }
import type { Endpoint } from "./endpoints.ts"
import { gateway, invalid, toResponse } from "./Reply.ts"
import { bodyChecks, type Wire } from "./shapes.ts"
import type { State } from "./State.ts"

export type Limits = "base" | "full" | "none"

interface Behaviour {
  readonly key: string
  readonly state: Ref.Ref<State>
  readonly wire: Wire
  readonly limits: Limits
}

const unlimited: Buckets.Flow = { intervalMs: 0, burst: 1 }
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const unauthorized = gateway(401, "unauthorized", "Unauthorized", "token problem; token is malformed")
const tooMany = gateway(429, "too many requests", "Too Many Requests", "limited by embedded")

/** Answers a call in the marketplace's order of checks: key, limit, shape of the body, then its rules. */
export const dispatch = ({ key, limits, state, wire }: Behaviour) => {
  const flows = new Map(limits === "none" ? [] : Object.entries(data).map(([name, flow]) => [name, flow[limits]]))
  const buckets = Buckets.make()
  const checks = bodyChecks(wire)

  const run = Effect.fnUntraced(function* (endpoint: Endpoint, request: HttpServerRequest.HttpServerRequest) {
    const body = Option.getOrUndefined(parse(yield* request.text))
    const problem = checks.get(`${endpoint.method} ${endpoint.path}`)?.(body)
    if (problem !== undefined) return invalid(problem)
    const query = Object.fromEntries(new URL(request.url, "http://marketplace").searchParams)
    const now = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
    const call = { query, body, wire, now }
    if ("read" in endpoint) return endpoint.read(yield* Ref.get(state), call)
    return yield* Ref.modify(state, (before) => {
      const { reply, state: after } = endpoint.write(before, call)
      return [reply, after]
    })
  })

  return Effect.fnUntraced(function* (endpoint: Endpoint, request: HttpServerRequest.HttpServerRequest) {
    const given = Option.getOrElse(Headers.get(request.headers, "authorization"), () => "")
    if (given !== key && given !== `Bearer ${key}`) return toResponse(unauthorized)
    const operation = `${endpoint.method} ${endpoint.path}`
    const { allowed, headers } = yield* buckets.take(operation, flows.get(operation) ?? unlimited)
    if (!allowed) return toResponse(tooMany, headers)
    const unreadable = () => Effect.succeed(invalid("can not deserialize response body"))
    const reply = yield* run(endpoint, request).pipe(Effect.catch(unreadable), Effect.catchDefect(unreadable))
    return toResponse(reply, headers)
  })
}
