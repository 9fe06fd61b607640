import { JsonSchema, Option, Predicate, Schema, SchemaRepresentation } from "effect"

import { parseJson } from "../../internal/json/values.ts"
import { firstIssue } from "../../internal/schema/describeIssue.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
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

/** What is wrong with a value, and where: a path such as `items.0.name`, empty for the value itself. */
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
const email = /^[^\s@]{1,200}@[^\s@.]{1,200}(?:\.[^\s@.]{1,200}){1,10}$/

/** The formats of texts that engines check. */
const formats: Readonly<Record<string, readonly [(text: string) => boolean, string]>> = {
  "date-time": [(text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)), "a time in ISO 8601"],
  email: [(text) => email.test(text), "an e-mail address"],
  identifier: [(text) => uuid.test(text) || email.test(text), "an id as 01234567-89ab-…, or an e-mail address"],
  jsonString: [(text) => Option.isSome(parseJson(text)), "JSON"],
  nanoid: [(text) => /^[A-Za-z0-9]{16}$/.test(text), "an id of 16 letters and digits"],
  uuid: [(text) => uuid.test(text), "an id as 01234567-89ab-…"]
}

/** The first text in a value that has not the format or the pattern that its shape asks for. */
const formatMisfit = (shape: Shape, value: unknown, path: ReadonlyArray<string>): Misfit | undefined => {
  if (Predicate.isString(value)) {
    const [fits, words] = formats[String(shape["format"])] ?? []
    const pattern = safePattern(shape["pattern"])
    const isRight = (fits?.(value) ?? true) && (pattern?.test(value) ?? true)
    return isRight ? undefined : { path: path.join("."), problem: `must be ${words ?? `like ${String(pattern)}`}` }
  }
  const parts: ReadonlyArray<readonly [string, Shape, unknown]> = Array.isArray(value)
    ? value.map((item: unknown, index) => [String(index), objectOf(shape["items"]), item])
    : Object.entries(objectOf(value)).map(([name, part]) => [name, objectOf(propertiesOf(shape)[name]), part])
  for (const [name, part, item] of parts) {
    const misfit = formatMisfit(part, item, [...path, name])
    if (misfit !== undefined) return misfit
  }
  return undefined
}

const propertiesOf = (shape: Shape): JsonObject =>
  Object.assign(
    {},
    objectOf(shape["properties"]),
    ...listOf(shape["allOf"]).map((part) => propertiesOf(objectOf(part)))
  )

/** Kinds of characters, of which one at most repeats without end: that takes no longer than the text is. */
const simplePattern = /^\^(?:\[[^\]\\^]{1,100}\](?:[*+]|\{\d{1,3}(?:,\d{0,3})?\})?){1,4}\$$/

const safePattern = (pattern: unknown): RegExp | undefined => {
  if (!Predicate.isString(pattern) || pattern.length > 200 || !simplePattern.test(pattern)) return undefined
  const endless = pattern.match(/[*+]|,\}/g) ?? []
  return endless.length > 1 ? undefined : Option.getOrUndefined(compiled(pattern))
}

const compiled = Option.liftThrowable((pattern: string) => new RegExp(pattern, "u"))
