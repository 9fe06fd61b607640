import { Clock, Effect } from "effect"

/** How fast a bucket fills, and how much it holds. */
export interface Flow {
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

/** Token buckets by name, as the marketplace keeps them: one token per call, back after its interval, at most `burst`. */
export const make = () => {
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

  /** What is left, for an answer that takes nothing. */
  const look = (name: string, flow: Flow): Effect.Effect<Headers> =>
    Effect.map(Clock.currentTimeMillis, (now) => remaining(level(name, flow, now)))

  return { take, look }
}
