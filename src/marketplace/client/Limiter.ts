import { Effect, Queue, Ref } from "effect"

import { atMillis, monotonicMillis } from "../../internal/http/monotonicMillis.ts"
import { intervalMs, type Limit, width } from "./operations.ts"

/** The wait for a turn would be longer than the caller is ready to wait. */
export interface NoTurn {
  readonly _tag: "NoTurn"
  readonly waitMs: number
}

export interface Limiter {
  /** Runs the call at its turn, in the order of arrival. */
  readonly run: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | NoTurn, R>
  /** The marketplace asked for a pause: nothing goes out before it is over, and then one call at a time. */
  readonly pause: (ms: number) => Effect.Effect<void>
}

/**
 * How much sooner than a round after its answer a turn may be free: what the burst holds more than `width`. Two arrivals
 * on one turn, n rounds apart, are then at least n rounds less the slack apart; over all turns no time sees more than
 * burst + time / interval arrivals, and that is what a bucket of `burst` tokens has to give.
 */
const slackMs = (limit: Limit): number => Math.max(0, limit.burst - width(limit)) * intervalMs(limit)

/**
 * Never more than `width` calls sent in a round of `width` intervals: that keeps every window within the limit and still
 * reaches the full rate. When a call arrives is not known, only that it is between its sending and its answer. So a turn
 * is free again a round after its sending, and not before a round less the slack after its answer: however slow and
 * uneven the network, the marketplace's bucket never runs dry.
 */
export const make = Effect.fnUntraced(function* (limit: Limit, maxWaitMs: number) {
  const turns = yield* Queue.unbounded<number>()
  const count = width(limit)
  const interval = intervalMs(limit)
  const slack = slackMs(limit)
  yield* Queue.offerAll(
    turns,
    Array.from({ length: count }, () => 0)
  )
  const after = yield* Ref.make({ notBefore: 0, oneByOneUntil: 0 })

  /** Whether a call may go now; else when to look again. After a pause, whoever goes keeps the others waiting. */
  const mayGo = (freeAt: number, now: number) =>
    Ref.modify(after, (pause) => {
      const at = Math.max(freeAt, now, pause.notBefore)
      return [at, at <= now && now < pause.oneByOneUntil ? { ...pause, notBefore: now + interval } : pause]
    })

  const run = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | NoTurn, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.take(turns)), (freeAt) => {
        let sentAt: number | undefined
        const atItsTurn = Effect.gen(function* () {
          const since = yield* monotonicMillis
          while (sentAt === undefined) {
            const now = yield* monotonicMillis
            const at = yield* mayGo(freeAt, now)
            if (at - since > maxWaitMs) return yield* Effect.fail<NoTurn>({ _tag: "NoTurn", waitMs: at - now })
            if (at <= now) sentAt = now
            // A pause may be asked for meanwhile, so what held before this sleep is looked at again after it.
            else yield* Effect.sleep(Math.ceil(at - now))
          }
          return yield* call
        })
        const giveBack = atMillis((now) =>
          Queue.offer(turns, sentAt === undefined ? freeAt : Math.max(sentAt, now - slack) + count * interval)
        )
        return Effect.ensuring(restore(atItsTurn), giveBack)
      })
    )

  const pause = (ms: number) =>
    atMillis((now) =>
      Ref.update(after, (was) => ({
        notBefore: Math.max(was.notBefore, now + ms),
        oneByOneUntil: Math.max(was.oneByOneUntil, now + ms + count * interval)
      }))
    )

  return { run, pause } satisfies Limiter
})
