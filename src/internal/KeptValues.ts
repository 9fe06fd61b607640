import { Effect } from "effect"

/** One value: JSON, with the moment at which it was read, in milliseconds since 1970. */
export interface Kept {
  readonly at: number
  readonly json: string
}

/** Values that were read from an upstream, by key. What is lost is read again, so they may be forgotten. */
export interface KeptValues {
  /** What is kept under these keys, as far as there is something. */
  readonly read: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Kept>>
  readonly keep: (some: ReadonlyMap<string, Kept>) => Effect.Effect<void>
}

/** Values in memory, which can also be put and walked at once. */
export interface Memory extends KeptValues {
  readonly put: (key: string, kept: Kept) => void
  readonly entries: () => Iterable<readonly [key: string, kept: Kept]>
}

/** Characters that a process keeps: some months of statistics of thousands of things. */
const most = 128 * 1024 * 1024

/** Values in memory, as JSON, which takes a fraction of the objects in it; the oldest go when they are too many. */
export const inMemory = (): Memory => {
  const values = new Map<string, Kept>()
  let size = 0
  const forget = (key: string) => {
    size -= values.get(key)?.json.length ?? 0
    values.delete(key)
  }
  const put = (key: string, kept: Kept) => {
    forget(key)
    values.set(key, kept)
    size += kept.json.length
  }
  return {
    entries: () => values.entries(),
    put,
    read: (keys: ReadonlyArray<string>) =>
      Effect.sync(
        () =>
          new Map(
            keys.flatMap((key) => {
              const kept = values.get(key)
              return kept === undefined ? [] : [[key, kept] as const]
            })
          )
      ),
    keep: (some: ReadonlyMap<string, Kept>) =>
      Effect.sync(() => {
        for (const [key, kept] of some) put(key, kept)
        for (const key of values.keys()) {
          if (size <= most) return
          forget(key)
        }
      })
  }
}
