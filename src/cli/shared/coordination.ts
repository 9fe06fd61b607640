import { Effect, Option, Semaphore, Random, Schedule } from "effect"
import * as Redis from "effect/persistence/Redis"

import { type Coordination, makeLimiter, makePacer, type NoTurn } from "../../internal/http/Coordination.ts"
import { monotonicMillis } from "../../internal/time.ts"
import { type Store, redisProblem } from "./Store.ts"

/** A paced request without an answer counts as sent after this many milliseconds at the latest, as in `Pacer`. */
const longestDeparture = 1000

/** A limited request is over after this many milliseconds at the latest, or its server is gone. */
const longestRequest = 60_000

/**
 * The requests sent by all servers are a sorted set, each with the time at which it can no longer be in the same window as a
 * new one, by the clock of the Redis. Returns 0 if a request may be sent, or the milliseconds until the first of them is out.
 */
const enter = Redis.script(
  (key: string, id: string, places: number, window: number, departure: number) => [key, id, places, window, departure],
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
      return math.max(1, first[2] - now)`
  }
).withReturnType<number>()

/** Its answer has begun, or it is over: it was sent by now at the latest. */
const leave = Redis.script((key: string, id: string, window: number) => [key, id, window], {
  numberOfKeys: 1,
  lua: `
    local time = redis.call('TIME')
    redis.call('ZADD', KEYS[1], 'XX', 'LT', time[1] * 1000 + math.ceil(time[2] / 1000) + ARGV[2], ARGV[1])`
})

/** Occupies a place for so long, or longer where it is occupied already. */
const occupy = Redis.script((key: string, id: string, millis: number) => [key, id, millis], {
  numberOfKeys: 1,
  lua: `
    local time = redis.call('TIME')
    redis.call('ZADD', KEYS[1], 'GT', time[1] * 1000 + math.ceil(time[2] / 1000) + ARGV[2], ARGV[1])
    redis.call('PEXPIRE', KEYS[1], 2 * ARGV[2])`
})

/** Pacers and limiters that count the requests of all servers; if the Redis does not answer, each counts its own. */
export const makeLimits = Effect.fnUntraced(function* (store: Store) {
  const scope = yield* Effect.scope
  const self = crypto.randomUUID()
  let count = 0

  /** The places of a window: servers wait for one in a line of their own. */
  const placesAt = (key: string, places: number, window: number, departure: number) => {
    const line = Semaphore.makeUnsafe(1)
    return {
      /** Waits for a place; false if the Redis cannot say whether there is one. `isNear` may fail where the wait is long. */
      enter: <E>(id: string, isNear: (wait: number) => Effect.Effect<void, E>) =>
        line.withPermit(
          Effect.gen(function* () {
            while (true) {
              const wait = yield* Effect.option(store.ask(store.eval(enter)(key, id, places, window, departure)))
              if (Option.isNone(wait)) return false
              if (wait.value === 0) return true
              yield* isNear(wait.value)
              // A request that is still out may leave its place sooner.
              yield* Effect.sleep(Math.min(wait.value, longestDeparture))
            }
          })
        ),
      leave: (id: string, millis: number) =>
        Effect.forkIn(Effect.ignore(store.ask(store.eval(leave)(key, id, millis))), scope, { startImmediately: true }),
      occupy: (id: string, millis: number) => Effect.ignore(store.ask(store.eval(occupy)(key, id, millis)))
    }
  }

  const pacer: typeof Coordination.Service.pacer = (upstream, perSecond) => {
    const alone = makePacer(perSecond)
    if (perSecond === Infinity) return alone
    const places = Math.max(1, Math.floor(perSecond))
    const window = Math.ceil((places * 1000) / perSecond)
    const set = placesAt(store.key("pace", upstream), places, window, longestDeparture)
    return {
      run: (request) =>
        Effect.suspend(() => {
          const id = `${self}-${count++}`
          return Effect.flatMap(
            set.enter(id, () => Effect.void),
            (isCounted) => (isCounted ? Effect.ensuring(request, set.leave(id, window)) : alone.run(request))
          )
        })
    }
  }

  const limiter: typeof Coordination.Service.limiter = (name, limit) => {
    const { intervalMs, maxWaitMs, slackMs, width } = limit
    const alone = makeLimiter(limit)
    const window = Math.ceil(width * intervalMs)
    const set = placesAt(store.key("limit", name), width, window, longestRequest)
    const together = <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E | NoTurn, R> =>
      Effect.gen(function* () {
        const id = `${self}-${count++}`
        const since = yield* monotonicMillis
        const isNear = (waitMs: number) =>
          Effect.flatMap(monotonicMillis, (now) => {
            const isOut = waitMs > window && now - since <= maxWaitMs
            return waitMs <= maxWaitMs || isOut ? Effect.void : Effect.fail<NoTurn>({ _tag: "NoTurn", waitMs })
          })
        if (!(yield* set.enter(id, isNear))) return yield* request
        const sent = yield* monotonicMillis
        const left = Effect.flatMap(monotonicMillis, (now) => set.leave(id, window - Math.min(slackMs, now - sent)))
        return yield* Effect.ensuring(request, left)
      })
    return {
      // A server keeps to the limit by itself, too, as the Redis may not answer.
      run: (request) => alone.run(together(request)),
      // After a pause, one request goes after the other.
      pause: (millis) =>
        Effect.andThen(
          alone.pause(millis),
          Effect.forEach(
            Array.from({ length: width }, (_, at) => at),
            (at) => set.occupy(`pause-${at}`, Math.ceil(millis + at * intervalMs)),
            { discard: true }
          )
        )
    }
  }

  return { pacer, limiter }
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
