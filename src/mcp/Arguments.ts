import { Effect, type JsonSchema, Predicate, Result, Schema, SchemaAST } from "effect"

import { lazy } from "../internal/caching.ts"
import { firstIssue } from "../internal/schema/describeIssue.ts"
import { unknownArgument } from "../internal/texts.ts"
import { coercion, refusedText } from "./coerce.ts"
import { InvalidArgument } from "./ToolError.ts"

/** The arguments of a tool: a schema for each, by name. */
export type Fields = { readonly [name: string]: Schema.Codec<unknown, unknown> }
/** The arguments passed to a tool's program, all validated. */
export type Decoded<F extends Fields> = Schema.Struct<F>["Type"]

/** The arguments of one tool: their JSON Schema, and a decoder that tolerates clumsy spellings and names what is wrong. */
export interface Arguments<F extends Fields> {
  readonly jsonSchema: () => JsonSchema.JsonSchema
  readonly decode: (input: unknown) => Effect.Effect<Decoded<F>, InvalidArgument>
}

/** Options for arguments. */
export interface Options {
  /** Other names for arguments: `{ typeName: "type" }`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** Names that callers may also pass, but that something else reads. */
  readonly others?: ReadonlyArray<string>
}

/** Arguments with the schema shown to clients, and the validation of what they send; unknown ones are refused. */
export const make = <const F extends Fields>(fields: F, options: Options = {}): Arguments<F> => {
  const struct = lazy(() => Schema.Struct(fields))
  const jsonSchema = lazy(() => describe(fields, Schema.toJsonSchemaDocument(struct()).schema))
  // At the first call: a process calls few of the tools.
  const decodeNow = lazy(() => decoderOf(struct(), jsonSchema, options))
  return { jsonSchema, decode: (input) => Effect.suspend(() => Effect.fromResult(decodeNow()(input))) }
}

const decoderOf = <const F extends Fields>(
  struct: Schema.Struct<F>,
  jsonSchema: () => JsonSchema.JsonSchema,
  { aliases = {}, others = [] }: Options
) => {
  const { fields } = struct
  const names = Object.keys(fields)
  const named = new Map(Object.entries(aliases))
  // Objects with additional fields stay open.
  const read = Schema.decodeUnknownResult(struct, { onExcessProperty: "error" })
  const coerceGiven = lazy(() => coercion(jsonSchema()))
  const texts = new Set(names.filter((name) => isText(fields[name])))
  /** Strings where strings belong need no conversion: most calls have nothing else, and then no JSON Schema is made. */
  const isPlain = (args: Readonly<Record<string, unknown>>) =>
    Object.keys(args).every((name) => texts.has(name) && Predicate.isString(args[name]))

  return (input: unknown): Result.Result<Decoded<F>, InvalidArgument> => {
    const refused = (argument: string, problem: string) => Result.fail(new InvalidArgument({ argument, problem }))
    if (!Predicate.isObject(input ?? {})) return refused("arguments", "must be an object")
    const args = Object.fromEntries(
      Object.entries(input ?? {}).map(([name, value]) => [named.get(name) ?? name, value])
    )
    const unknown = Object.keys(args).find((name) => !names.includes(name))
    if (unknown !== undefined) return refused(unknown, unknownArgument(unknown, [...names, ...others]))
    const coerced = isPlain(args) ? args : coerceGiven()(args)
    const broken = illFormed(coerced)
    if (broken !== undefined) return refused(broken, "holds half of a character (a lone surrogate)")
    const decoded = read(coerced)
    if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
    const { path, unknown: inside, words } = firstIssue(decoded.failure)
    const expectation = inside === undefined ? words : unknownArgument(inside.name, inside.names)
    const problem = refusedText(args, path) ?? expectation
    return refused(path || "arguments", problem)
  }
}

/** The JSON Schema of the arguments; an `inputSchema` annotation replaces what a schema cannot or need not express. */
const describe = (fields: Fields, { properties, required }: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const described = Object.entries(Predicate.isObject(properties) ? properties : {}).map(([name, property]) => {
    const field = fields[name]
    const annotated =
      field === undefined ? undefined : SchemaAST.resolveAt<JsonSchema.JsonSchema>("inputSchema")(field.ast)
    return [name, annotated ?? property]
  })
  return { type: "object", properties: Object.fromEntries(described), ...(required === undefined ? {} : { required }) }
}

/** Whether values of a schema are plain strings, and its JSON Schema says so. */
const isText = (field: Schema.Codec<unknown, unknown> | undefined) =>
  field !== undefined &&
  SchemaAST.isString(field.ast) &&
  field.ast.encoding === undefined &&
  SchemaAST.resolveAt("inputSchema")(field.ast) === undefined

interface Place {
  readonly value: unknown
  readonly key: string
  readonly above?: Place
}

/**
 * Path of the first lone surrogate in a value, as in `nodes.0.name`; undefined if all its strings are valid Unicode. On its way
 * to an upstream, a lone surrogate would silently become another character.
 */
const illFormed = (whole: unknown): string | undefined => {
  const open: Array<Place> = [{ value: whole, key: "" }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { key, value } = place
    if (isBroken(value) || isBroken(key)) return pathOf(place)
    if (!Predicate.isObject(value) && !Array.isArray(value)) continue
    const parts = Object.entries(value)
    for (let at = parts.length - 1; at >= 0; at--) {
      const [name, part] = parts[at] ?? []
      if (name !== undefined) open.push({ value: part, key: name, above: place })
    }
  }
  return undefined
}

const isBroken = (value: unknown) => Predicate.isString(value) && !value.isWellFormed()

const pathOf = (place: Place): string => {
  const keys: Array<string> = []
  for (let at: Place | undefined = place; at?.above !== undefined; at = at.above) keys.unshift(at.key)
  return keys.join(".").toWellFormed()
}
