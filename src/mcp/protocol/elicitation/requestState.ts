import { Clock, Effect, Option, Predicate, Result } from "effect"
import { decode, decodeString, encode } from "effect/encoding/Base64Url"

import { Copies } from "../../Elicitation.ts"
import { invalidParams } from "../ProtocolError.ts"
import { longestWait } from "./form.ts"
import { readKept } from "./schemas.ts"

/** State that a client carries from one round of a call to the next. */
export interface RequestState {
  /** Its own name: its answers count once. */
  readonly id: string
  /** The caller that it was made for, who alone is answered for by it. */
  readonly caller: string
  /** The key of the question that it was told to answer. */
  readonly key: string
  /** Fingerprint of that question. */
  readonly asked: string
  /** Results of earlier rounds, by the fingerprints of their questions. */
  readonly answered: Readonly<Record<string, unknown>>
}

const hmac = { name: "HMAC", hash: "SHA-256" }
const bytesOf = (text: string) => new TextEncoder().encode(text)

const foreign = invalidParams(
  "requestState: is not what this server sent, or not what this process of it sent. Nothing was changed. Make the call " +
    "again without it: the person is asked again"
)

/** A state as it came back. */
export interface Opened extends RequestState {
  /** The moment of its expiry, in milliseconds since 1970. */
  readonly until: number
}

/** Seals states with a key that only this server and its copies have, so that nobody can change them. */
export const make = Effect.gen(function* () {
  const { secret: material } = yield* Copies
  const key = yield* Effect.cached(
    Effect.flatMap(material, (bytes) =>
      Effect.promise(() => crypto.subtle.importKey("raw", Uint8Array.from(bytes), hmac, false, ["sign", "verify"]))
    )
  )

  const seal = Effect.fnUntraced(function* (state: Omit<RequestState, "id">) {
    const until = (yield* Clock.currentTimeMillis) + longestWait
    const kept = encode(JSON.stringify({ ...state, id: crypto.randomUUID(), until }))
    const secret = yield* key
    const seal = yield* Effect.promise(() => crypto.subtle.sign(hmac, secret, bytesOf(kept)))
    return `${kept}.${encode(new Uint8Array(seal))}`
  })

  /** The sealed state; undefined if it has expired, so that the person is asked again. */
  const open = Effect.fnUntraced(function* (sealed: unknown) {
    if (!Predicate.isString(sealed)) return yield* foreign
    const [kept = "", seal = ""] = sealed.split(".")
    const given = decode(seal)
    if (Result.isFailure(given) || sealed !== `${kept}.${seal}`) return yield* foreign
    const secret = yield* key
    const mac = Uint8Array.from(given.success)
    const isOurs = yield* Effect.promise(() => crypto.subtle.verify(hmac, secret, mac, bytesOf(kept)))
    const now = yield* Clock.currentTimeMillis
    const state: Option.Option<Opened> = isOurs
      ? Option.flatMap(Result.getSuccess(decodeString(kept)), readKept)
      : Option.none()
    if (Option.isNone(state)) return yield* foreign
    return Option.filter(state, ({ until }): boolean => now <= until)
  })

  return { seal, open }
})
