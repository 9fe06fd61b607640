import { Clock, Effect } from "effect"

/** How fast a bucket fills, and how much it holds. */
export interface Flow {
  readonly intervalMs: number
  readonly burst: number
}

interface Taken {
  readonly allowed: boolean
  readonly headers: Readonly<Record<string, string>>
}

const seconds = (ms: number): string => String(Math.ceil(ms / 1000))

/** Token buckets by name, as the marketplace keeps them: one token per call, back after its interval, at most `burst`. */
export const make = () => {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>()

  const take = (name: string, { burst, intervalMs }: Flow): Effect.Effect<Taken> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const last = buckets.get(name) ?? { tokens: burst, at: now }
      const tokens = intervalMs === 0 ? burst : Math.min(burst, last.tokens + (now - last.at) / intervalMs)
      const allowed = tokens >= 1
      buckets.set(name, { tokens: allowed ? tokens - 1 : tokens, at: now })
      const headers: Taken["headers"] = allowed
        ? { "x-ratelimit-remaining": String(Math.floor(tokens - 1)) }
        : {
            "x-ratelimit-retry": seconds((1 - tokens) * intervalMs),
            "x-ratelimit-limit": String(burst),
            "x-ratelimit-reset": seconds((burst - tokens) * intervalMs)
          }
      return { allowed, headers }
    })
  return { take }
}
