import { Effect, Random, Schedule } from "effect"
import * as Redis from "effect/persistence/Redis"

import type { Coordination } from "../../internal/http/Coordination.ts"
import { redisProblem, type Store } from "./Store.ts"

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
