import { Clock, DateTime, Effect, Option, Ref } from "effect"
import { Headers as HttpHeaders, type HttpServerRequest } from "effect/http"

import { parseJson } from "../../internal/json/values.ts"
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

/** How fast a bucket fills, and its capacity. */
interface Flow {
  readonly intervalMs: number
  readonly burst: number
}

type Headers = Readonly<Record<string, string>>

interface Taken {
  readonly allowed: boolean
  readonly headers: Headers
}

const seconds = (ms: number): string => String(Math.ceil(ms / 1000))
const remaining = (tokens: number): Headers => ({ "x-ratelimit-remaining": String(Math.floor(tokens)) })

/** Token buckets by name: a call takes one token, one comes back per interval, at most `burst`. */
const makeBuckets = () => {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>()

  const level = (name: string, { burst, intervalMs }: Flow, now: number): number => {
    const last = buckets.get(name) ?? { tokens: burst, at: now }
    return intervalMs === 0 ? burst : Math.min(burst, last.tokens + (now - last.at) / intervalMs)
  }

  const take = (name: string, flow: Flow): Effect.Effect<Taken> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const { burst, intervalMs } = flow
      const tokens = level(name, flow, now)
      const allowed = tokens >= 1
      buckets.set(name, { tokens: allowed ? tokens - 1 : tokens, at: now })
      const headers = allowed
        ? remaining(tokens - 1)
        : {
            "x-ratelimit-retry": seconds((1 - tokens) * intervalMs),
            "x-ratelimit-limit": String(burst),
            "x-ratelimit-reset": seconds((burst - tokens) * intervalMs)
          }
      return { allowed, headers }
    })

  /** What is left, for answers that consume no token. */
  const peek = (name: string, flow: Flow): Effect.Effect<Headers> =>
    Effect.map(Clock.currentTimeMillis, (now) => remaining(level(name, flow, now)))

  return { take, peek }
}

const unlimited: Flow = { intervalMs: 0, burst: 1 }

/** Answers a call with the marketplace's order of checks: key, limit, query or shape of the body, then its rules. */
export const dispatch = ({ key, limits, state }: Behaviour) => {
  const flows = new Map(limits === "none" ? [] : Object.entries(data).map(([name, flow]) => [name, flow[limits]]))
  const buckets = makeBuckets()

  /** The query or the body of a request; a body that cannot be read or is not JSON counts as missing. */
  const given = Effect.fnUntraced(function* ({ method }: Endpoint, request: HttpServerRequest.HttpServerRequest) {
    if (method === "GET") return Object.fromEntries(new URL(request.url, "http://marketplace").searchParams)
    const text = yield* Effect.orElseSucceed(request.text, () => "")
    return Option.getOrUndefined(parseJson(text))
  })

  return Effect.fnUntraced(function* (endpoint: Endpoint, request: HttpServerRequest.HttpServerRequest) {
    const now = yield* DateTime.now
    const operation = `${endpoint.method} ${endpoint.path}`
    const flow = flows.get(operation) ?? unlimited
    const shown = Option.getOrElse(HttpHeaders.get(request.headers, "authorization"), () => "")
    if (shown !== key && shown !== `Bearer ${key}`) {
      return toResponse(unauthorized(now), yield* buckets.peek(operation, flow))
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
