import path from "node:path"

import { Effect, Option, Schema } from "effect"
import * as Redis from "effect/persistence/Redis"

import { type Entry, type Journal, type StoredEntry, type MapEntries, readingBy } from "../../changes/Journal.ts"
import { JournalFailed } from "../../changes/PlanError.ts"
import {
  type Journals,
  type Lines,
  besideMemory,
  long,
  reading,
  unreadableEntry,
  whileInUse
} from "../plans/PlanJournalFile.ts"
import { renewing, tryLock, unlock } from "./coordination.ts"
import { type Store, redisProblem } from "./Store.ts"
import { sharedValues } from "./values.ts"

/** An entry for a list, and whether it needs the lock, or none. */
interface Push {
  readonly list: string
  readonly lock: string
  readonly owner: string
  readonly isHolding: 0 | 1
  readonly isFree: 0 | 1
  readonly entry: string
}

/** Adds an entry unless another server holds the journal, or we held it and lost it. */
const pushEntry = Redis.script(
  ({ entry, isFree, isHolding, list, lock, owner }: Push) => [list, lock, owner, isHolding, isFree, entry],
  {
    numberOfKeys: 2,
    lua: `
      local owner = redis.call('GET', KEYS[2])
      local isOurs = owner == ARGV[1]
      if ARGV[2] == '1' and not isOurs then return 'lost' end
      if ARGV[3] == '0' and owner and not isOurs then return 'busy' end
      redis.call('RPUSH', KEYS[1], ARGV[4])
      return 'written'`
  }
).withReturnType<string>()

const journalProblem = (error: Redis.RedisError) => `the Redis that holds the shared journal ${redisProblem(error)}`
const problems = new Map([
  ["busy", "the shared journal is in use: another server applies a plan. Call again when that is done"],
  ["lost", "the shared journal has gone to another server meanwhile, as this one could not reach it in time"]
])

/** The current journal: whole entries in order, each read and decoded once, as nothing is ever removed. */
const reader = <C>(store: Store, name: string, lines: Lines<C>): MapEntries<C> => {
  const decode = reading(lines)
  const list = store.key("journal", name)
  let entries: ReadonlyArray<StoredEntry<C>> = []

  const read = Effect.gen(function* () {
    const before = entries
    const more = yield* store.ask(store.send<ReadonlyArray<string>>("LRANGE", list, String(before.length), "-1"))
    const kept = [...before]
    for (const text of more) {
      if (text.length > long) yield* Effect.yieldNow
      const entry = decode(text)
      kept.push(
        Option.getOrElse(entry, () => unreadableEntry(text, kept.at(-1)?.at ?? 0, noEntry(name, kept.length + 1)))
      )
    }
    if (entries === before) entries = kept
    return kept
  })
  const whole = Effect.catch(read, (error) =>
    Effect.succeed<ReadonlyArray<StoredEntry<C>>>([{ type: "unreadable", at: 0, problem: journalProblem(error) }])
  )
  return (make) => Effect.map(whole, (kept) => kept.map((entry) => make(entry)))
}

const noEntry = (name: string, number: number) =>
  `entry ${number} of the shared journal ${name} is none of this version: check it before anything else`

/** A plan changes nothing yet, and an action, such as a pause, must not wait for an apply. */
const isWaitless = <C>({ type }: Entry<C>): boolean => type === "planned" || type === "steps" || type === "action"

const make = <C>(store: Store, name: string, lines: Lines<C>) =>
  Effect.sync((): Journal<C> => {
    const owner = crypto.randomUUID()
    const list = store.key("journal", name)
    const key = store.key("lock", "journal", name)
    const encode = Schema.encodeEffect(Schema.fromJsonString(lines))
    let isHolding = false

    const push = (entry: Entry<C>, text: string) =>
      Effect.suspend(() =>
        store.ask(
          store.eval(pushEntry)({
            list,
            lock: key,
            owner,
            isHolding: isHolding && !isWaitless(entry) ? 1 : 0,
            isFree: isWaitless(entry) ? 1 : 0,
            entry: text
          })
        )
      )
    const taken = Effect.map(tryLock(store, key, owner), (isOurs) => (isOurs ? "taken" : "busy"))

    return {
      append: Effect.fnUntraced(function* (...entries) {
        for (const entry of entries) yield* retryWhileBusy(push(entry, yield* Effect.orDie(encode(entry))))
      }, Effect.uninterruptible),
      ...readingBy(reader(store, name, lines)),
      hold: (work) =>
        Effect.acquireUseRelease(
          Effect.tap(retryWhileBusy(taken), () =>
            Effect.sync(() => {
              isHolding = true
            })
          ),
          () => Effect.scoped(Effect.andThen(Effect.forkScoped(renewing(store, key, owner)), work)),
          () =>
            Effect.suspend(() => {
              isHolding = false
              return unlock(store, key, owner)
            })
        )
    }
  })

/** Retries until nobody else holds the journal, two seconds at most; every other outcome but success is a failure. */
const retryWhileBusy = (attempt: Effect.Effect<string, Redis.RedisError>) =>
  attempt.pipe(
    Effect.repeat({ schedule: whileInUse, while: (outcome) => outcome === "busy" }),
    Effect.mapError((error) => new JournalFailed({ problem: journalProblem(error) })),
    Effect.flatMap((outcome) => {
      const problem = problems.get(outcome)
      return problem === undefined ? Effect.void : Effect.fail(new JournalFailed({ problem }))
    })
  )

/**
 * The journals of plans in a Redis, which every server reads and one at a time applies from. They are named as the files would
 * be.
 */
export const sharedJournals = (store: Store): typeof Journals.Service => ({
  make: (file, lines) => make(store, path.basename(file), lines),
  makeReading: (file, lines) => besideMemory(reader(store, path.basename(file), lines)),
  values: (file) => Effect.sync(() => sharedValues(store, path.basename(file))),
  problemWith: () => Effect.undefined
})
