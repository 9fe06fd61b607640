import { Effect, type JsonSchema, Predicate, Result, Schema, SchemaAST } from "effect"

import { lazy } from "../internal/memoize.ts"
import { firstIssue } from "../internal/schema/describeIssue.ts"
import { nearest } from "../internal/schema/nearest.ts"
import { coercion, refusedText } from "./coerce.ts"
import { illFormed } from "./illFormed.ts"
import { InvalidArgument } from "./ToolError.ts"

/** The arguments of a tool: a schema for each, by name. */
export type Fields = { readonly [name: string]: Schema.Codec<unknown, unknown> }
/** What a tool's program is given: every argument, checked. */
export type Decoded<F extends Fields> = Schema.Struct<F>["Type"]

/** The arguments of one tool: their JSON Schema, and a decoder that is tolerant of clumsy spellings and names what is wrong. */
export interface Arguments<F extends Fields> {
  readonly jsonSchema: () => JsonSchema.JsonSchema
  readonly decode: (input: unknown) => Effect.Effect<Decoded<F>, InvalidArgument>
}

/** What else is said of arguments. */
export interface Options {
  /** Other names for arguments: `{ typeName: "type" }`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** Names that the caller may also give, and that somebody else reads. */
  readonly others?: ReadonlyArray<string>
}

/** Arguments with the schema that clients are told, and the check of what they send; an unknown one is refused. */
export const make = <const F extends Fields>(fields: F, options: Options = {}): Arguments<F> => {
  const struct = lazy(() => Schema.Struct(fields))
  const jsonSchema = lazy(() => describe(fields, Schema.toJsonSchemaDocument(struct()).schema))
  // At the first call: a process makes few of the tools' calls.
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
  // Objects that are open to more fields stay open.
  const read = Schema.decodeUnknownResult(struct, { onExcessProperty: "error" })
  const coerceGiven = lazy(() => coercion(jsonSchema()))
  const texts = new Set(names.filter((name) => isText(fields[name])))
  /** Texts where texts belong mean what they are: most calls give nothing else, and need no JSON Schema to be made. */
  const isPlain = (given: Readonly<Record<string, unknown>>) =>
    Object.keys(given).every((name) => texts.has(name) && Predicate.isString(given[name]))

  return (input: unknown): Result.Result<Decoded<F>, InvalidArgument> => {
    const refused = (argument: string, problem: string) => Result.fail(new InvalidArgument({ argument, problem }))
    if (!Predicate.isObject(input ?? {})) return refused("arguments", "must be an object")
    const given = Object.fromEntries(
      Object.entries(input ?? {}).map(([name, value]) => [named.get(name) ?? name, value])
    )
    const unknown = Object.keys(given).find((name) => !names.includes(name))
    if (unknown !== undefined) return refused(unknown, unknownArgument(unknown, [...names, ...others]))
    const coerced = isPlain(given) ? given : coerceGiven()(given)
    const broken = illFormed(coerced)
    if (broken !== undefined) return refused(broken, "holds half of a character (a lone surrogate)")
    const decoded = read(coerced)
    if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
    const { path, unknown: inside, words } = firstIssue(decoded.failure)
    const asked = inside === undefined ? words : unknownArgument(inside.name, inside.known)
    const problem = refusedText(given, path) ?? asked
    return refused(path || "arguments", problem)
  }
}

/** The JSON Schema of the arguments; an `inputSchema` annotation stands for what a schema cannot or need not say. */
const describe = (fields: Fields, { properties, required }: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const described = Object.entries(Predicate.isObject(properties) ? properties : {}).map(([name, property]) => {
    const field = fields[name]
    const said = field === undefined ? undefined : SchemaAST.resolveAt<JsonSchema.JsonSchema>("inputSchema")(field.ast)
    return [name, said ?? property]
  })
  return { type: "object", properties: Object.fromEntries(described), ...(required === undefined ? {} : { required }) }
}

/** Whether a text is one of its values as it is, and its JSON Schema says so. */
const isText = (field: Schema.Codec<unknown, unknown> | undefined) =>
  field !== undefined &&
  SchemaAST.isString(field.ast) &&
  field.ast.encoding === undefined &&
  SchemaAST.resolveAt("inputSchema")(field.ast) === undefined

const unknownArgument = (name: string, known: ReadonlyArray<string>) => {
  const guess = nearest(name, known)
  return guess === undefined
    ? `unknown argument. Known: ${known.join(", ")}`
    : `unknown argument. Did you mean ${guess}?`
}
