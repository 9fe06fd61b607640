import { Clock, Effect, Fiber, Option, Semaphore } from "effect"

import type { KeptValues } from "../../internal/KeptValues.ts"
import { monotonicMillis } from "../../internal/time.ts"
import type { Campaign, Unreadable } from "../client/Campaign.ts"
import { isRefusal, type MarketplaceError, retryAfter } from "../client/MarketplaceError.ts"
import { chunks } from "../client/split.ts"

/** The progress of reading when its time was up. */
export interface Unread {
  /** Reads that are still to be made. */
  readonly reads: number
  readonly of: number
  /** The reason why they were not made, where it was not the time. */
  readonly problem?: MarketplaceError
}

/** The values that were read, and whether all were. */
export interface Gathered<A> {
  readonly statistics: A
  readonly unread: Unread | undefined
}

/** The campaigns of the account, and the moment at which they were read. */
export interface KeptCampaigns {
  readonly adverts: ReadonlyArray<Campaign>
  readonly unreadable: ReadonlyArray<Unreadable>
  readonly at: number
}

/** Options of reading. */
export interface Patience {
  /** No read is begun after this time on the clock that nobody sets (`monotonicMillis`). */
  readonly until: number
  readonly onRead?: (done: number, total: number) => Effect.Effect<void>
}

/** Values to be kept, by key. */
export type Lines = ReadonlyArray<readonly [key: string, value: unknown]>

/** One read of the marketplace, and the keys of what it brings. */
export interface Part {
  readonly keys: ReadonlyArray<string>
  readonly read: Effect.Effect<Lines, MarketplaceError>
  /** The same in two parts, where the marketplace refuses something of it. */
  readonly halves: ReadonlyArray<Part>
}

/** Reads what is missing, as long as there is time, and keeps it. */
export const make = Effect.fnUntraced(function* (store: KeptValues) {
  const scope = yield* Effect.scope
  const now = Clock.currentTimeMillis
  const reading = yield* Semaphore.make(1)

  const keep = (lines: Lines) =>
    Effect.flatMap(now, (at) =>
      store.keep(new Map(lines.map(([key, value]) => [key, { at, json: JSON.stringify(value) }])))
    )

  /** Reads part after part until all that is missing is there, or the time is up. A read that has begun goes on by itself. */
  const gather = Effect.fnUntraced(function* (
    parts: ReadonlyArray<Part>,
    { onRead = () => Effect.void, until }: Patience
  ) {
    const since = yield* now
    let refusal: MarketplaceError | undefined
    let total = parts.length
    const open = [...parts]
    const next = Effect.gen(function* () {
      const part = open.shift()
      if (part === undefined) return
      // Another call may have read the same meanwhile.
      const values = yield* store.read(part.keys)
      if (part.keys.every((key) => (values.get(key)?.at ?? -Infinity) >= since)) return
      yield* Effect.matchEffect(Effect.flatMap(part.read, keep), {
        onSuccess: () => Effect.void,
        onFailure: (error) => {
          if (!isRefusal(error) || (part.halves.length === 0 && total === 1)) return Effect.fail(error)
          // One thing that the marketplace does not tell is no reason to leave the others.
          if (part.halves.length === 0) refusal = error
          open.unshift(...part.halves)
          total += part.halves.length
          return Effect.void
        }
      })
    })
    while (open.length > 0) {
      const left = until - (yield* monotonicMillis)
      if (left <= 0) return { reads: open.length, of: total }
      const fiber = yield* Effect.forkIn(reading.withPermit(next), scope)
      const result = yield* Effect.timeoutOption(Effect.result(Fiber.join(fiber)), left)
      if (Option.isNone(result)) return { reads: open.length + 1, of: total }
      if (result.value._tag === "Failure") {
        const { failure: problem } = result.value
        if (open.length + 1 === total && retryAfter(problem) === undefined) return yield* problem
        return { reads: open.length + 1, of: total, problem }
      }
      yield* onRead(total - open.length, total)
    }
    return refusal === undefined ? undefined : { reads: 0, of: total, problem: refusal }
  })

  return { gather, keep }
})

/** The same part in two. */
export const halvesOf = <A>(all: ReadonlyArray<A>, part: (some: ReadonlyArray<A>) => Part): ReadonlyArray<Part> =>
  all.length < 2 ? [] : chunks(all, Math.ceil(all.length / 2)).map(part)
