import { Effect } from "effect"

/** One value: JSON, with the moment at which it was read, in milliseconds since 1970. */
export interface StoredValue {
  readonly at: number
  readonly json: string
}

/** Values that were read from an upstream, by key. What is lost is read again, so they may be forgotten. */
export interface KeptValues {
  /** The values under these keys, as far as there are any. */
  readonly read: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, StoredValue>>
  readonly keep: (some: ReadonlyMap<string, StoredValue>) => Effect.Effect<void>
}

/** Values in memory, which can also be put and walked at once. */
interface Memory extends KeptValues {
  readonly put: (key: string, stored: StoredValue) => void
  readonly entries: () => Iterable<readonly [key: string, stored: StoredValue]>
}

/** Characters that a process keeps: some months of statistics of thousands of things. */
const most = 128 * 1024 * 1024

/** Values in memory, as JSON, which takes a fraction of the objects in it; the oldest go when they are too many. */
export const inMemory = (): Memory => {
  const values = new Map<string, StoredValue>()
  let size = 0
  const forget = (key: string) => {
    size -= values.get(key)?.json.length ?? 0
    values.delete(key)
  }
  const put = (key: string, stored: StoredValue) => {
    forget(key)
    values.set(key, stored)
    size += stored.json.length
  }
  return {
    entries: () => values.entries(),
    put,
    read: (keys: ReadonlyArray<string>) =>
      Effect.sync(
        () =>
          new Map(
            keys.flatMap((key) => {
              const stored = values.get(key)
              return stored === undefined ? [] : [[key, stored] as const]
            })
          )
      ),
    keep: (some: ReadonlyMap<string, StoredValue>) =>
      Effect.sync(() => {
        for (const [key, stored] of some) put(key, stored)
        for (const key of values.keys()) {
          if (size <= most) return
          forget(key)
        }
      })
  }
}
