import { Clock, DateTime, Effect, Predicate, Random } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
const hexadecimal = "0123456789abcdef"

const text = (length: number, alphabet: string) =>
  Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, alphabet.length, { halfOpen: true }), length), (places) =>
    places.map((place) => alphabet.charAt(place)).join("")
  )

/** A new id of a workflow, tag, credential or project: 16 letters and digits. */
export const freshId = text(16, letters)

/** A new version 4 UUID, as nodes and versions of workflows have it. */
export const freshUuid = Effect.map(
  Effect.all([
    text(8, hexadecimal),
    text(4, hexadecimal),
    text(3, hexadecimal),
    text(3, hexadecimal),
    text(12, hexadecimal)
  ]),
  ([a, b, c, d, e]) => `${a}-${b}-4${c}-a${d}-${e}`
)

/** A moment of the Clock as engines write it: UTC with milliseconds. */
export const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** A point in time, in milliseconds and as text. */
export interface Moment {
  readonly millis: number
  readonly text: string
}

/** The present, by the Clock. */
export const present: Effect.Effect<Moment> = Effect.map(Clock.currentTimeMillis, (millis) => ({
  millis,
  text: iso(millis)
}))

/** The present as text. */
export const now = Effect.map(present, ({ text }) => text)

/** A value as part of a text. */
export const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  return Predicate.isString(value) ? value : JSON.stringify(value)
}

/** An entry of a table under a name from outside; never an inherited member such as `constructor`. */
export const entryOf = <A>(table: Readonly<Record<string, A>>, name: unknown): A | undefined =>
  Object.hasOwn(table, textOf(name)) ? table[textOf(name)] : undefined

/** These fields of an object, in this order, and no others. */
export const pick = (names: ReadonlyArray<string>, value: JsonObject): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])))
