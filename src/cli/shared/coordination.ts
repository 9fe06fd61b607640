import { Effect, Option, Semaphore, Random, Schedule } from "effect"
import * as Redis from "effect/persistence/Redis"

import { type Coordination, makePacer, type Pacer } from "../../internal/http/Coordination.ts"
import { type Store, redisProblem } from "./Store.ts"

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

  return (upstream: string, perSecond: number): Pacer => {
    const alone = makePacer(perSecond)
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

/** Milliseconds for which a lock outlives a crashed server; a living one renews it three times in that time. */
const lockLife = 15_000

/** Takes a free lock, or renews one's own. */
const take = Redis.script((key: string, owner: string) => [key, owner, lockLife], {
  numberOfKeys: 1,
  lua: `
    local owner = redis.call('GET', KEYS[1])
    if owner and owner ~= ARGV[1] then return 0 end
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
    return 1`
}).withReturnType<number>()

const giveBack = Redis.script((key: string, owner: string) => [key, owner], {
  numberOfKeys: 1,
  lua: `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`
})

/** Takes the lock; false if somebody else has it. */
export const tryLock = (store: Store, key: string, owner: string) =>
  Effect.map(store.ask(store.eval(take)(key, owner)), (taken) => taken === 1)

export const unlock = (store: Store, key: string, owner: string) =>
  Effect.ignore(store.ask(store.eval(giveBack)(key, owner)))

/** Renews a lock until interrupted; a failed renewal is retried before the lock expires. */
export const renewing = (store: Store, key: string, owner: string) =>
  Effect.ignore(tryLock(store, key, owner)).pipe(Effect.schedule(Schedule.spaced(lockLife / 3)))

/** Locks by name, shared by every server with the same Redis. */
export const makeLocks = (store: Store) =>
  Effect.sync((): typeof Coordination.Service.withLock => {
    const self = crypto.randomUUID()
    let count = 0
    return (name, work, { atMost, busy }) =>
      Effect.suspend(() => {
        const key = store.key("lock", name)
        const owner = `${self}-${count++}`
        const attempt = Effect.catch(tryLock(store, key, owner), (error) =>
          busy(`The Redis that this server shares its locks with ${redisProblem(error)}`)
        )
        // Others ask at the same moments: random delays keep them from doing so forever.
        const pause = Effect.flatMap(Random.nextIntBetween(20, 80), (millis) => Effect.sleep(millis))
        const taken = Effect.timeoutOrElse(
          Effect.repeat(
            Effect.tap(attempt, (isOurs) => (isOurs ? Effect.void : pause)),
            { until: (isOurs) => isOurs }
          ),
          { duration: atMost, orElse: () => busy() }
        )
        return Effect.acquireUseRelease(
          taken,
          () => Effect.scoped(Effect.andThen(Effect.forkScoped(renewing(store, key, owner)), work)),
          () => unlock(store, key, owner)
        )
      })
  })
