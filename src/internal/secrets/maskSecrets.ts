import { Predicate } from "effect"

import { isSameJson } from "../json/digest.ts"
import { isJsonObject } from "../schema/JsonObject.ts"
import { atOnce, type Sliced } from "../Sliced.ts"
import { type Form, forms, mayHold } from "./secretForms.ts"

/** The mark in place of a secret. */
export const masked = "[masked]"

/** Names of fields whose values are secrets, whatever they look like; compared in small letters without `-`, `_`, blanks. */
const secretNames =
  /(password|passwd|passphrase|pwd$|^pass$|(?:smtp|imap|user|db|auth|account)pass$|connectionstring|accountkey|secret(?!ar)|token(?!i[sz])|apikey|authorization|cookie|privatekey|accesskey|signingkey|encryptionkey|^auth$|credential|bearer|signature|sessionid|^otp$|^pin$|^cvv$|^xauth)/

/** Names that hold such a word and count or name things. */
const harmlessNames =
  /^(total|max|min|prompt|completion|input|output|cached|used|num|number|count).*tokens?$|tokens?(count|usage|used|limit|type|s)$|^(next|page|prev|continuation)(page)?token$|credentials?(id|name|type|s)?$|(secret|token|key|password)(name|id|type|expiry|expires|expiresat|expiresin|length)$|^signatures?version$/

const plainName = (name: string) => name.toLowerCase().replace(/[-_\s.]/g, "")

/** Whether a field of this name is taken to hold a secret. */
const isSecretName = (name: string): boolean => {
  const plain = plainName(name)
  return secretNames.test(plain) && !harmlessNames.test(plain)
}

/** A text with `[masked]` for what has the form of a secret, and what stood there, in its order. */
interface Veiled {
  readonly text: string
  readonly hidden: ReadonlyArray<string>
}

const veilForm = (veiled: Veiled, form: Form): Veiled => {
  const { hidden, text } = veiled
  const ranges = form(text)
  // Most texts hold none.
  if (ranges.length === 0) return veiled
  const pieces: Array<string> = []
  const nowHidden: Array<string> = []
  let [from, passed] = [0, 0]
  const pass = (piece: string): ReadonlyArray<string> => {
    const count = piece.split(masked).length - 1
    passed += count
    return hidden.slice(passed - count, passed)
  }
  for (const [start, end] of ranges) {
    const before = text.slice(from, start)
    for (const one of pass(before)) nowHidden.push(one)
    const inside = text.slice(start, end)
    nowHidden.push(unveiled(inside.split(masked), pass(inside)))
    pieces.push(before, masked)
    from = end
  }
  return { text: [...pieces, text.slice(from)].join(""), hidden: [...nowHidden, ...hidden.slice(passed)] }
}

/** Parts of a text with what is hidden between them. */
const unveiled = (parts: ReadonlyArray<string>, hidden: ReadonlyArray<string>): string =>
  parts.flatMap((part, place) => (place === 0 ? [part] : [hidden[place - 1] ?? masked, part])).join("")

const veil = (text: string): Veiled => {
  const hidden = text
    .split(masked)
    .slice(1)
    .map(() => masked)
  return mayHold(text) ? forms.reduce(veilForm, { text, hidden }) : { text, hidden }
}

/** The parts of a text that have the form of a secret. */
export const secretsOf = (text: string): ReadonlyArray<string> => veil(text).hidden.filter((part) => part !== masked)

/** A text without what has the form of a secret. */
export const maskText = (text: string): string => veil(text).text

/** A text changed where it shows no secret, and in another way where `[masked]` stands in its place. */
const mapParts = (text: string, changeVisible: (part: string) => string, changeHidden: (part: string) => string) => {
  const veiled = veil(text)
  return unveiled(
    veiled.text.split(masked).map((part) => changeVisible(part)),
    veiled.hidden.map((part) => changeHidden(part))
  )
}

/** Long and mixed: what no person writes, and no name, id of a node or date looks like. */
const isRandom = (text: string): boolean =>
  text.length >= 32 &&
  /^[\w+/=.~-]+$/.test(text) &&
  /\d/.test(text) &&
  /[a-z]/.test(text) &&
  /[A-Z]/.test(text) &&
  entropy(text) >= 4

/** Bits for a character. */
const entropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

const maxDepth = 50

/** An expression only names where a value comes from; what it says otherwise is searched like any text. */
const isExpression = (value: unknown): boolean => Predicate.isString(value) && /^=?\s*\{\{[^]*\}\}\s*$/.test(value)

/** The label of `{ name: "Authorization", value: "…" }`, as engines keep headers and parameters: it says what the value is. */
const labelOf = (value: object): string => {
  const label = Predicate.hasProperty(value, "name") ? value.name : Predicate.hasProperty(value, "key") ? value.key : ""
  return Predicate.isString(label) ? label : ""
}

/** Names of fields in which there may be a secret: they hold one where a value looks like that. */
const vagueNames = /^(?:key|sig|sid|code|hmac|appkey|licensekey)$/

const isKeyLike = (text: string): boolean => /^[\w.~+/=-]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text)

/** Whether the whole of a text is a secret, by the name of its field or by its look. */
const isSecretText = (text: string, name: string): boolean =>
  (isSecretName(name) && !isExpression(text)) ||
  (vagueNames.test(plainName(name)) && isKeyLike(text)) ||
  (isRandom(text) && !/(id|hash|digest|etag|checksum|url|path|cursor)$/i.test(name))

/** The name that says what a field of an object is: in a `{name, value}` the value is called as the name says. */
export const meaningOf = (object: object, field: string): string => {
  if (field !== "value") return field
  const label = labelOf(object)
  return isSecretName(label) || vagueNames.test(plainName(label)) ? label : field
}

/** The treatment of names of fields, and of values too deep to be searched. */
interface MaskRules {
  readonly key: (name: string) => string
  readonly deep: (value: unknown) => unknown
}

const toShow: MaskRules = { key: maskText, deep: () => "[left out: nested too deeply]" }
const toCompare: MaskRules = { key: (name) => name, deep: (value) => value }

/** Characters that take about as long to search as work on a node takes. */
const charactersOfWeight = 2000

const weightOf = (value: unknown): number => 0.01 + (Predicate.isString(value) ? value.length / charactersOfWeight : 0)

const maskLeaf = (value: unknown, name: string): unknown => {
  if (Predicate.isString(value)) {
    if (value === "") return value
    return isSecretText(value, name) ? masked : maskText(value)
  }
  return Predicate.isNumber(value) && isSecretName(name) ? masked : value
}

function* mask(value: unknown, name: string, rules: MaskRules, depth = 0): Sliced<unknown> {
  if (depth > maxDepth) return rules.deep(value)
  if (Array.isArray(value)) {
    const items: Array<unknown> = []
    for (const item of value) items.push(yield* mask(item, name, rules, depth + 1))
    return items
  }
  if (isJsonObject(value)) {
    const entries: Array<readonly [string, unknown]> = []
    for (const [key, item] of Object.entries(value)) {
      entries.push([rules.key(key), yield* mask(item, meaningOf(value, key), rules, depth + 1)])
    }
    return Object.fromEntries(entries)
  }
  yield weightOf(value)
  return maskLeaf(value, name)
}

/** The place of a text inside a value. */
interface TextPlace {
  readonly path: ReadonlyArray<string | number>
  /** Whether it is the whole text, of which nothing is masked. */
  readonly isWhole: boolean
}

/** A change of a text, or of a part of one. */
type Change = (part: string, place: TextPlace) => string

interface Changes {
  readonly visible: Change
  readonly hidden: (part: string) => string
}

interface FieldPlace {
  /** The name of the innermost field. */
  readonly name: string
  readonly path: ReadonlyArray<string | number>
}

const mapIn = (value: unknown, changes: Changes, { name, path }: FieldPlace): unknown => {
  if (path.length > maxDepth) return value
  if (Predicate.isString(value)) {
    const { hidden, visible } = changes
    return isSecretText(value, name)
      ? hidden(value)
      : mapParts(value, (part) => visible(part, { path, isWhole: part === value }), hidden)
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => mapIn(item, changes, { name, path: [...path, index] }))
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      mapIn(item, changes, { name: meaningOf(value, key), path: [...path, maskText(key)] })
    ])
  )
}

/**
 * Every text inside a value changed, but for what `maskSecrets` masks: that stays as it is, and nobody who guesses at it is
 * told whether it was met. `name` is the field that the value stands in.
 */
export const mapShownTexts = (value: unknown, change: Change, name = ""): unknown =>
  mapIn(value, { visible: change, hidden: (part) => part }, { name, path: [] })

/** The same with a change of its own for what is masked, which nobody asks for who may not see that. */
export const mapTextsApart = (value: unknown, visible: Change, hidden: (part: string) => string): unknown =>
  mapIn(value, { visible, hidden }, { name: "", path: [] })

/**
 * A value without secrets: those that stand under a name such as `password`, `apiKey` or `authorization`, those whose form
 * gives them away (a bearer token, a JWT, a key with a known prefix, a password in an address), and long random texts.
 * `name` is the field that the value stands in, where it stands in one.
 */
export const maskSecrets = (value: unknown, name = ""): unknown => atOnce(mask(value, name, toShow))

/** The same for values of megabytes. */
export const maskSecretsSliced = (value: unknown, name = ""): Sliced<unknown> => mask(value, name, toShow)

/**
 * A value in which `[masked]` stands in place of what `maskSecrets` masks, and all else is as it is: what is put in such a
 * place is another value then, whoever guessed what it is.
 */
export const withoutSecrets = (value: unknown): unknown => atOnce(mask(value, "", toCompare))

/** Whether anything of a value is masked. */
export const holdsSecrets = (value: unknown, name = ""): boolean => !isSameJson(maskSecrets(value, name), value)

/** Number of times that `[masked]` stands in a value. */
export const masksIn = (value: unknown): number => JSON.stringify(value ?? null).split(masked).length - 1

/** The refusal of a value with `[masked]` that would be written in place of what was masked. */
export const maskStandsForSecret = `${masked} stands for a secret that is not shown, and would be written in its place. Give what the field is to hold`

/** Its continuation where a mask may be written back, or left out of what is written. */
export const orWhereRead = `, leave it out, or leave ${masked} in no other node and place than it was read from and give that version as ifVersion`

/** The note on every replacement, whatever it looks for, so that it tells nothing of what secrets hold. */
export const secretsStay = "Masked values (secrets) are neither searched nor changed"
