import { Effect, Predicate } from "effect"

const sorted = (_: string, value: unknown): unknown =>
  Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** A collision-resistant fingerprint of a JSON value (SHA-256), whatever the order of its fields. */
export const fingerprint = (json: unknown) =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(json, sorted) ?? ""))),
    (hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )
