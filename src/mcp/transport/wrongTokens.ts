import { Effect } from "effect"

import { monotonicMillis } from "../../internal/http/monotonicMillis.ts"

/** Wrong tokens per address that are answered immediately, and milliseconds that every further one has to wait. */
const free = 5
const interval = 1000
/** Longest wait; beyond that, a wrong token is refused at once. */
const longest = 10_000
/** Most addresses remembered. */
const mostAddresses = 10_000
/** Minimum milliseconds between two log lines about one address. */
const logEvery = 60_000

interface Attempts {
  /** When the next wrong token will be answered. */
  due: number
  /** Wrong tokens since the last log line. */
  count: number
  logNext: number
}

/** Rate-limits wrong tokens per address, and logs them. A valid token never waits. */
export const make = () => {
  const addresses = new Map<string, Attempts>()

  /** Waits for as long as this wrong token has to; false if too many are already waiting. */
  const wait = Effect.fnUntraced(function* (address: string) {
    const now = yield* monotonicMillis
    const attempts = addresses.get(address) ?? { due: -Infinity, count: 0, logNext: -Infinity }
    addresses.delete(address)
    addresses.set(address, attempts)
    for (const [oldest] of addresses) {
      if (addresses.size <= mostAddresses) break
      addresses.delete(oldest)
    }
    attempts.count++
    if (now >= attempts.logNext) {
      yield* Effect.logWarning(`Wrong bearer token from ${address}, ${attempts.count} since this was last said`)
      attempts.count = 0
      attempts.logNext = now + logEvery
    }
    const due = Math.max(now, attempts.due)
    const pause = due - now - (free - 1) * interval
    if (pause > longest) return false
    attempts.due = due + interval
    if (pause > 0) yield* Effect.sleep(pause)
    return true
  })

  return { wait }
}
