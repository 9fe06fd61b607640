import { Clock, Effect, Option, Predicate, Result } from "effect"
import { decode, decodeString, encode } from "effect/encoding/Base64Url"

import { Copies } from "../../Elicitation.ts"
import { invalidParams } from "../ProtocolError.ts"
import { longestWait } from "./form.ts"
import { readKept } from "./schemas.ts"

/** State that a client carries from one round of a call to the next. */
export interface RequestState {
  /** The key of the question that it was told to answer. */
  readonly key: string
  /** Fingerprint of that question. */
  readonly asked: string
  /** Results of earlier rounds, by the fingerprints of their questions. */
  readonly answered: Readonly<Record<string, unknown>>
}

const hmac = { name: "HMAC", hash: "SHA-256" }
const bytesOf = (text: string) => new TextEncoder().encode(text)

const foreign = invalidParams("requestState: is not what this server sent. Make the call again without it")

/** A collision-resistant fingerprint of JSON. */
export const fingerprint = (json: unknown) =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", bytesOf(JSON.stringify(json)))),
    (digest) => encode(new Uint8Array(digest))
  )

/** Seals states with a key that only this server and its copies have, so that nobody can change them. */
export const make = Effect.gen(function* () {
  const { secret: material } = yield* Copies
  const key = yield* Effect.cached(
    Effect.flatMap(material, (bytes) =>
      Effect.promise(() => crypto.subtle.importKey("raw", Uint8Array.from(bytes), hmac, false, ["sign", "verify"]))
    )
  )

  const seal = Effect.fnUntraced(function* (state: RequestState) {
    const until = (yield* Clock.currentTimeMillis) + longestWait
    const kept = encode(JSON.stringify({ ...state, until }))
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
    const state = isOurs ? Option.flatMap(Result.getSuccess(decodeString(kept)), readKept) : Option.none()
    if (Option.isNone(state)) return yield* foreign
    const { until, ...rest } = state.value
    return (yield* Clock.currentTimeMillis) <= until ? Option.some<RequestState>(rest) : Option.none()
  })

  return { seal, open }
})
