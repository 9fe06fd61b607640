import { Clock, DateTime, Effect, Option, Ref } from "effect"
import { Headers as HttpHeaders, type HttpServerRequest } from "effect/http"

import { parseJson } from "../../internal/json/values.ts"
import { isJsonObject } from "../../internal/schema/JsonObject.ts"
import { settled } from "./budgets.ts"
import data from "./data/limits.json" with { type: "json" }
import type { Endpoint, Rules } from "./Endpoint.ts"
import { forbidden, tooMany, toResponse, unauthorized } from "./Reply.ts"
import { type State } from "./State.ts"

export type Limits = "base" | "full" | "none"

/** Kinds of keys that the marketplace tells apart. */
export type KeyKind = "base" | "personal" | "service" | "test"

interface Behaviour {
  readonly key: string
  readonly keyKind: KeyKind
  readonly state: Ref.Ref<State>
  readonly limits: Limits
  readonly rules: Rules
  /** Whether phrases and search clusters are closed to the seller. */
  readonly isPhrasesClosed: boolean
  /** Milliseconds by which reads lag behind writes. */
  readonly lagMs: number
}

/** Operations that are open to personal and service keys alone. */
const forFullKeys: ReadonlyArray<string> = [
  "GET /api/advert/v1/config",
  "POST /api/advert/v1/normquery/bids",
  "GET /api/advert/v0/daily-limits",
  "PUT /api/advert/v0/daily-limits"
]

/** The speed at which a bucket fills, and its capacity. */
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

  /** The tokens left, for answers that consume none. */
  const peek = (name: string, flow: Flow): Effect.Effect<Headers> =>
    Effect.map(Clock.currentTimeMillis, (now) => remaining(level(name, flow, now)))

  return { take, peek }
}

const unlimited: Flow = { intervalMs: 0, burst: 1 }

/** Answers a call with the marketplace's order of checks: key, limit, query or shape of the body, then its rules. */
export const dispatch = ({ isPhrasesClosed, key, keyKind, lagMs, limits, rules, state }: Behaviour) => {
  const isFullKey = keyKind === "personal" || keyKind === "service"
  const flows = new Map(limits === "none" ? [] : Object.entries(data).map(([name, flow]) => [name, flow[limits]]))
  const buckets = makeBuckets()

  /** The query, or the body with the query; a body that cannot be read or is not JSON counts as missing. */
  const given = Effect.fnUntraced(function* ({ method }: Endpoint, request: HttpServerRequest.HttpServerRequest) {
    const query = Object.fromEntries(new URL(request.url, "http://marketplace").searchParams)
    if (method === "GET") return query
    const text = yield* Effect.orElseSucceed(request.text, () => "")
    const body = Option.getOrUndefined(parseJson(text))
    return isJsonObject(body) && Object.keys(query).length > 0 ? { ...body, ...query } : body
  })

  /** Earlier accounts with the moment until which each was the present one, for reads that lag. */
  const earlier: Array<{ readonly until: number; readonly account: State }> = []
  const shownAt = (now: number, present: State): State => {
    while (earlier[0] !== undefined && earlier[0].until <= now - lagMs) earlier.shift()
    return earlier[0]?.account ?? present
  }

  return Effect.fnUntraced(function* (endpoint: Endpoint, request: HttpServerRequest.HttpServerRequest) {
    const now = yield* DateTime.now
    const operation = `${endpoint.method} ${endpoint.path}`
    const flow = flows.get(operation) ?? unlimited
    const givenKey = Option.getOrElse(HttpHeaders.get(request.headers, "authorization"), () => "")
    if (givenKey !== key && givenKey !== `Bearer ${key}`) {
      return toResponse(unauthorized(now), yield* buckets.peek(operation, flow))
    }
    const { allowed, headers } = yield* buckets.take(operation, flow)
    if (!allowed) return toResponse(tooMany(now), headers)
    if (!isFullKey && forFullKeys.includes(operation)) {
      return toResponse(forbidden(`not available for a ${keyKind} token`), headers)
    }
    if (isPhrasesClosed && endpoint.path.includes("normquery")) {
      return toResponse(forbidden("norm_query API not available"), headers)
    }
    const input = yield* given(endpoint, request)
    const reply = yield* Ref.modify(state, (before) => {
      const present = settled(before, now)
      const at = DateTime.toEpochMillis(now)
      if (endpoint.isRead) return [endpoint.answer(shownAt(at, present), input, { now, rules }).reply, present]
      const { reply: answer, state: after } = endpoint.answer(present, input, { now, rules })
      if (lagMs > 0 && after !== present) earlier.push({ until: at, account: present })
      return [answer, after]
    })
    return toResponse(reply, headers)
  })
}
