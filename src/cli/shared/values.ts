import { Effect, Option, Predicate } from "effect"

import { parseJson } from "../../internal/json/values.ts"
import { inMemory, type StoredValue, type KeptValues } from "../../internal/KeptValues.ts"
import type { Store } from "./Store.ts"

/** Seconds after which a value is forgotten. */
const longest = 40 * 86_400

/** Keys that are asked for at once. */
const together = 1000

/** Values in a Redis, which all servers share; while it does not answer, each keeps its own. */
export const sharedValues = (store: Store, name: string): KeptValues => {
  const memory = inMemory()
  const keyOf = (key: string) => store.key("value", name, key)

  const readSome = (keys: ReadonlyArray<string>) =>
    Effect.map(
      store.ask(store.send<ReadonlyArray<string | null>>("MGET", ...keys.map(keyOf))),
      (texts) =>
        new Map(
          keys.flatMap((key, index) => {
            const value = Option.getOrUndefined(parseJson(texts[index] ?? ""))
            return isKept(value) ? [[key, value] as const] : []
          })
        )
    )

  const readAll = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const values = new Map<string, StoredValue>()
    for (let from = 0; from < keys.length; from += together) {
      for (const [key, kept] of yield* readSome(keys.slice(from, from + together))) values.set(key, kept)
    }
    return values
  })

  return {
    read: (keys) => Effect.catch(readAll(keys), () => memory.read(keys)),
    keep: Effect.fnUntraced(function* (some) {
      yield* memory.keep(some)
      const sent = Effect.forEach(
        some,
        ([key, kept]) => store.ask(store.send("SET", keyOf(key), JSON.stringify(kept), "EX", String(longest))),
        { discard: true }
      )
      yield* Effect.ignore(sent)
    })
  }
}

const isKept = (value: unknown): value is StoredValue =>
  Predicate.hasProperty(value, "at") &&
  typeof value.at === "number" &&
  Predicate.hasProperty(value, "json") &&
  typeof value.json === "string"
