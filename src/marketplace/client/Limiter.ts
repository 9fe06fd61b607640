import { Effect, Queue, Ref } from "effect"

import { Coordination, type Limiter, type NoTurn } from "../../internal/http/Coordination.ts"
import { monotonicMillis } from "../../internal/time.ts"
import { intervalMs, type Limit, width } from "./operations.ts"

/**
 * The time by which a turn is free again sooner than a round after its answer: the part of the burst beyond `width`. Two arrivals on
 * one turn, n rounds apart, are then at least n rounds minus the slack apart; over all turns, no period sees more than burst +
 * time / interval arrivals, which is what a bucket of `burst` tokens allows.
 */
const slackMs = (limit: Limit): number => Math.max(0, limit.burst - width(limit)) * intervalMs(limit)

/**
 * Sends at most `width` calls in a round of `width` intervals: that keeps every window within the limit and still reaches the
 * full rate. When a call arrives is unknown, except that it is between sending and answer. So a turn is free again one round
 * after it was sent, and not before one round minus the slack after its answer: however slow and uneven the network, the
 * marketplace's bucket never runs dry.
 */
export const make = Effect.fnUntraced(function* (name: string, limit: Limit, maxWaitMs: number) {
  const { limiter } = yield* Coordination
  const turns = yield* Queue.unbounded<number>()
  const count = width(limit)
  const interval = intervalMs(limit)
  const slack = slackMs(limit)
  const together = limiter(name, { width: count, intervalMs: interval, slackMs: slack, maxWaitMs })
  yield* Queue.offerAll(
    turns,
    Array.from({ length: count }, () => 0)
  )
  const after = yield* Ref.make({ notBefore: 0, oneByOneUntil: 0 })

  /** Whether a call may be sent now; if not, when to check again. After a pause, the first call makes the others wait. */
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
            // A pause may have been requested during this sleep, so the conditions are checked again after it.
            else yield* Effect.sleep(Math.ceil(at - now))
          }
          return yield* together.run(call)
        })
        const giveBack = Effect.flatMap(monotonicMillis, (now) =>
          Queue.offer(turns, sentAt === undefined ? freeAt : Math.max(sentAt, now - slack) + count * interval)
        )
        return Effect.ensuring(restore(atItsTurn), giveBack)
      })
    )

  const pause = (ms: number) =>
    Effect.flatMap(Effect.andThen(together.pause(ms), monotonicMillis), (now) =>
      Ref.update(after, (was) => ({
        notBefore: Math.max(was.notBefore, now + ms),
        oneByOneUntil: Math.max(was.oneByOneUntil, now + ms + count * interval)
      }))
    )

  return { run, pause } satisfies Limiter
})
