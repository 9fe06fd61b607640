import { Effect, Option, Semaphore } from "effect"
import * as Redis from "effect/persistence/Redis"

import * as Pacer from "../../internal/http/Pacer.ts"
import type { Store } from "./Store.ts"

/** A request without an answer counts as sent after this many milliseconds at the latest, as in `Pacer`. */
const longestDeparture = 1000

/**
 * The requests sent by all servers are a sorted set, each with the time at which it can no longer be in the same window as a
 * new one, by the clock of the Redis. Returns 0 if a request may be sent, or the milliseconds after which to ask again.
 */
const enter = Redis.script(
  (key: string, id: string, places: number, window: number) => [key, id, places, window, longestDeparture],
  {
    numberOfKeys: 1,
    lua: `
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.ceil(time[2] / 1000)
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
      if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[2]) then
        redis.call('ZADD', KEYS[1], now + ARGV[4] + ARGV[3], ARGV[1])
        redis.call('PEXPIRE', KEYS[1], 2 * (ARGV[4] + ARGV[3]))
        return 0
      end
      local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
      return math.max(1, math.min(first[2] - now, tonumber(ARGV[3])))`
  }
).withReturnType<number>()

/** Its answer has begun, or it is over: it was sent by now at the latest. */
const leave = Redis.script((key: string, id: string, window: number) => [key, id, window], {
  numberOfKeys: 1,
  lua: `
    local time = redis.call('TIME')
    redis.call('ZADD', KEYS[1], 'XX', 'LT', time[1] * 1000 + math.ceil(time[2] / 1000) + ARGV[2], ARGV[1])`
})

/** Pacers that count the requests of all servers; if the Redis does not answer, each counts its own. */
export const makePacers = Effect.fnUntraced(function* (store: Store) {
  const scope = yield* Effect.scope
  const self = crypto.randomUUID()
  let count = 0

  return (upstream: string, perSecond: number): Pacer.Pacer => {
    const alone = Pacer.make(perSecond)
    if (perSecond === Infinity) return alone
    const key = store.key("pace", upstream)
    const places = Math.max(1, Math.floor(perSecond))
    const window = Math.ceil((places * 1000) / perSecond)
    const line = Semaphore.makeUnsafe(1)

    /** The name under which a request is sent; undefined if the Redis cannot say whether it may be. */
    const turn = line.withPermit(
      Effect.gen(function* () {
        const id = `${self}-${count++}`
        while (true) {
          const wait = yield* Effect.option(store.ask(store.eval(enter)(key, id, places, window)))
          if (Option.isNone(wait)) return Option.none()
          if (wait.value === 0) return Option.some(id)
          yield* Effect.sleep(wait.value)
        }
      })
    )
    const left = (id: string) =>
      Effect.forkIn(Effect.ignore(store.ask(store.eval(leave)(key, id, window))), scope, { startImmediately: true })

    return {
      run: (request) =>
        Effect.flatMap(turn, (id) =>
          Option.isNone(id) ? alone.run(request) : Effect.ensuring(request, left(id.value))
        )
    }
  }
})
