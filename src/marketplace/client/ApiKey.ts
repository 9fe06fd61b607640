import { Option, Redacted, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

/** Kinds of keys; `unknown` if the key does not contain its kind. */
export const KeyKind = Schema.Literals(["base", "test", "personal", "service", "base with secret", "unknown"])
export type KeyKind = typeof KeyKind.Type

/** The content of a key; its signature is not checked, that is up to the marketplace. */
export interface KeyFacts {
  readonly kind: KeyKind
  /** Undefined if the key does not say. */
  readonly promotion: boolean | undefined
  readonly readOnly: boolean
  /** Seconds since 1970. */
  readonly expires: number | undefined
}

const Payload = Schema.fromJsonString(
  Schema.Struct({
    acc: Schema.optionalKey(Schema.Int),
    t: Schema.optionalKey(Schema.Boolean),
    s: Schema.optionalKey(Schema.Int),
    exp: Schema.optionalKey(Schema.Number)
  })
)

const bits = { promotion: 6, readOnly: 30 } as const
const has = (mask: number, bit: number): boolean => Math.floor(mask / 2 ** bit) % 2 === 1

/** The range of dates: any other number is not an expiry. */
const isMoment = (seconds: number | undefined): boolean => seconds !== undefined && seconds >= 0 && seconds <= 8.64e12

const kinds: Readonly<Record<number, KeyKind>> = { 1: "base", 2: "test", 3: "personal", 4: "service" }

/** Any text may be a key; a JWT also contains its kind, its rights and its expiry. */
export const readKey = (key: Redacted.Redacted): KeyFacts => {
  const payload = Redacted.value(key).split(".")[1] ?? ""
  const text = Result.getOrElse(Base64Url.decodeString(payload), () => "")
  const facts = Option.getOrElse(Schema.decodeUnknownOption(Payload)(text), (): typeof Payload.Type => ({}))
  return {
    kind: facts.t === true ? "test" : (kinds[facts.acc ?? 0] ?? "unknown"),
    promotion: facts.s === undefined ? undefined : has(facts.s, bits.promotion),
    readOnly: facts.s !== undefined && has(facts.s, bits.readOnly),
    expires: isMoment(facts.exp) ? facts.exp : undefined
  }
}
