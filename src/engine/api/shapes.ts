import { JsonSchema, Option, Predicate, Schema, SchemaRepresentation } from "effect"

import { parseJson } from "../../internal/json/values.ts"
import { firstIssue } from "../../internal/schema/describeIssue.ts"
import { isJsonObject, listOf, objectOf, textOf } from "../../internal/schema/JsonObject.ts"
import { unknownArgument } from "../../internal/texts.ts"

type Shape = JsonSchema.JsonSchema

/** Shapes side by side of which a value fits one, or all. */
const sideBySide = ["anyOf", "oneOf"] as const

/**
 * The shape of what may be sent: fields that engines only tell are left out, and no others are taken than those that are described,
 * unless the description says so.
 */
export const sendable = (schema: Shape, isPart = false, leftOut: ReadonlyArray<string> = []): Shape => {
  const { allOf, items, properties, required, ...rest } = schema
  const fields = Object.entries(objectOf(properties))
  const sent = fields.filter(([, part]) => objectOf(part)["readOnly"] !== true)
  const names = new Set(sent.map(([name]) => name))
  const gone = [...leftOut, ...fields.flatMap(([name]) => (names.has(name) ? [] : name))]
  const isClosed = isJsonObject(properties) && !isPart && allOf === undefined
  return {
    ...(isClosed ? { additionalProperties: false } : {}),
    ...rest,
    ...Object.fromEntries(
      sideBySide.flatMap((key) =>
        Array.isArray(schema[key])
          ? [[key, listOf(schema[key]).map((part) => sendable(objectOf(part), false, gone))]]
          : []
      )
    ),
    ...(Array.isArray(allOf) ? { allOf: allOf.map((part) => sendable(objectOf(part), true, gone)) } : {}),
    ...(isJsonObject(items) ? { items: sendable(items) } : {}),
    ...(isJsonObject(properties)
      ? { properties: Object.fromEntries(sent.map(([name, part]) => [name, sendable(objectOf(part))])) }
      : {}),
    ...(Array.isArray(required) ? { required: required.filter((name) => !gone.includes(String(name))) } : {})
  }
}

/** The problem of a value and its place: a path such as `items.0.name`, empty for the value itself. */
export interface Misfit {
  readonly path: string
  readonly problem: string
}

/** Finds what is wrong with values of a shape; `None` where the shape cannot be read. */
export const checkerOf = (shape: Shape): Option.Option<(value: unknown) => Misfit | undefined> =>
  Option.map(decoderOf(shape), (decode) => (value) => {
    const decoded = decode(value)
    if (decoded._tag === "Success") return formatMisfit(shape, value, [])
    const { path, unknown, words } = firstIssue(decoded.failure)
    return { path, problem: unknown === undefined ? words : unknownArgument(unknown.name, unknown.names) }
  })

const decoderOf = Option.liftThrowable((shape: Shape) => {
  const document = JsonSchema.fromSchemaOpenApi3_0(shape)
  // Patterns are a stranger's, and may take for ever: those that are safe are checked apart.
  const schema = SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "ignore" })
  return Schema.decodeUnknownResult(Schema.toType(schema), { onExcessProperty: "error" })
})

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

const uri = /^[a-z][a-z\d+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/i

const isEmail = (text: string): boolean => {
  const [name = "", domain = "", ...others] = text.split("@")
  const parts = domain.split(".")
  return others.length === 0 && !/\s/.test(text) && name !== "" && parts.length > 1 && !parts.includes("")
}

/** The formats of texts that engines check. */
const formats: Readonly<Record<string, readonly [(text: string) => boolean, string]>> = {
  "date-time": [(text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)), "a time in ISO 8601"],
  email: [isEmail, "an e-mail address"],
  identifier: [(text) => uuid.test(text) || isEmail(text), "an id as 01234567-89ab-…, or an e-mail address"],
  jsonString: [(text) => Option.isSome(parseJson(text)), "JSON"],
  nanoid: [(text) => /^[A-Za-z0-9]{16}$/.test(text), "an id of 16 letters and digits"],
  uri: [(text) => uri.test(text), "a URL"],
  uuid: [(text) => uuid.test(text), "an id as 01234567-89ab-…"]
}

/** The first text in a value that has not the format or the pattern that its shape asks for. */
const formatMisfit = (shape: Shape, value: unknown, path: ReadonlyArray<string>): Misfit | undefined => {
  const fitting = (part: unknown) =>
    Option.exists(decoderOf(objectOf(part)), (decode) => decode(value)._tag === "Success")
  for (const key of sideBySide) {
    const misfits = listOf(shape[key])
      .filter(fitting)
      .map((part) => formatMisfit(objectOf(part), value, path))
    if (!misfits.includes(undefined) && misfits[0] !== undefined) return misfits[0]
  }
  for (const part of listOf(shape["allOf"])) {
    const misfit = formatMisfit(objectOf(part), value, path)
    if (misfit !== undefined) return misfit
  }
  if (Predicate.isString(value)) {
    const format = textOf(shape["format"])
    const [fits, words] = Object.hasOwn(formats, format) ? (formats[format] ?? []) : []
    const isLike = simpleTest(shape["pattern"])
    const isRight = (fits?.(value) ?? true) && (isLike?.(value) ?? true)
    return isRight
      ? undefined
      : { path: path.join("."), problem: `must be ${words ?? `like ${textOf(shape["pattern"])}`}` }
  }
  const properties = objectOf(shape["properties"])
  const parts: ReadonlyArray<readonly [string, Shape, unknown]> = Array.isArray(value)
    ? value.map((item: unknown, index) => [String(index), objectOf(shape["items"]), item])
    : Object.entries(objectOf(value)).map(([name, part]) => [name, objectOf(properties[name]), part])
  for (const [name, part, item] of parts) {
    const misfit = formatMisfit(part, item, [...path, name])
    if (misfit !== undefined) return misfit
  }
  return undefined
}

const kind = String.raw`\[[^[\]\\^]{1,100}\](?:\{\d{1,3}\})?`

/**
 * Single characters of kinds, some of them several times, of which the last may repeat, or a few more may follow: read in the order
 * of the text, so that none takes for ever.
 */
const simplePattern = new RegExp(String.raw`^\^((?:${kind}){1,4})(?:([*+])|\(((?:${kind}){1,4})\)\?)?\$$`)

/** The test of a text by a pattern of a stranger's; `undefined` where the pattern is not so simple. */
const simpleTest = (pattern: unknown): ((text: string) => boolean) | undefined => {
  const [, first = "", repeats = "", more = ""] = Predicate.isString(pattern) ? (simplePattern.exec(pattern) ?? []) : []
  if (first === "") return undefined
  const required = kindsIn(first)
  const all = [...required, ...kindsIn(more)]
  const isLength = (length: number) =>
    repeats === ""
      ? length === required.length || length === all.length
      : length >= required.length - (repeats === "*" ? 1 : 0)
  return (text) =>
    isLength(text.length) &&
    Array.from(text).every((character, place) => all[Math.min(place, all.length - 1)]?.(character) === true)
}

/** A test for each of the characters that kinds such as `[a-z]{2}[0-9]` stand for. */
const kindsIn = (kinds: string) =>
  [...kinds.matchAll(/\[([^[\]]{1,100})\](?:\{(\d{1,3})\})?/g)].flatMap(([, characters = "", times = "1"]) =>
    Array.from({ length: Number(times) }, () => charactersOf(characters))
  )

/** The characters of a kind such as `A-Za-z_`. */
const charactersOf = (kind: string): ((character: string) => boolean) => {
  const ranges: Array<readonly [string, string]> = []
  for (let place = 0; place < kind.length; place++) {
    const from = kind.charAt(place)
    const isRange = kind.charAt(place + 1) === "-" && place + 2 < kind.length
    ranges.push([from, isRange ? kind.charAt(place + 2) : from])
    if (isRange) place += 2
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to)
}
