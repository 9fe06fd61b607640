import { DateTime, Effect, Option, Ref, Schema } from "effect"
import { Headers, type HttpServerRequest } from "effect/http"

import * as Buckets from "./Buckets.ts"
import data from "./data/limits.json" with { type: "json" }
import type { Endpoint } from "./Endpoint.ts"
import { tooMany, toResponse, unauthorized } from "./Reply.ts"
import { type State, withoutGone } from "./State.ts"

export type Limits = "base" | "full" | "none"

interface Behaviour {
  readonly key: string
  readonly state: Ref.Ref<State>
  readonly limits: Limits
}

const unlimited: Buckets.Flow = { intervalMs: 0, burst: 1 }
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Answers a call in the marketplace's order of checks: key, limit, query or shape of the body, then its rules. */
export const dispatch = ({ key, limits, state }: Behaviour) => {
  const flows = new Map(limits === "none" ? [] : Object.entries(data).map(([name, flow]) => [name, flow[limits]]))
  const buckets = Buckets.make()

  /** What comes with the request; a body that cannot be read, or is no JSON, is none. */
  const given = Effect.fnUntraced(function* ({ method }: Endpoint, request: HttpServerRequest.HttpServerRequest) {
    if (method === "GET") return Object.fromEntries(new URL(request.url, "http://marketplace").searchParams)
    const text = yield* Effect.orElseSucceed(request.text, () => "")
    return Option.getOrUndefined(parse(text))
  })

  return Effect.fnUntraced(function* (endpoint: Endpoint, request: HttpServerRequest.HttpServerRequest) {
    const now = yield* DateTime.now
    const operation = `${endpoint.method} ${endpoint.path}`
    const flow = flows.get(operation) ?? unlimited
    const shown = Option.getOrElse(Headers.get(request.headers, "authorization"), () => "")
    if (shown !== key && shown !== `Bearer ${key}`) {
      return toResponse(unauthorized(now), yield* buckets.look(operation, flow))
    }
    const { allowed, headers } = yield* buckets.take(operation, flow)
    if (!allowed) return toResponse(tooMany(now), headers)
    const input = yield* given(endpoint, request)
    const reply = yield* Ref.modify(state, (before) => {
      const { reply: answer, state: after } = endpoint.answer(withoutGone(before, now), input, now)
      return [answer, after]
    })
    return toResponse(reply, headers)
  })
}
