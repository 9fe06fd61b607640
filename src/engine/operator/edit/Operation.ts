import { type JsonSchema, Predicate, Result, Schema } from "effect"

import { firstIssue } from "../../../internal/schema/describeIssue.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { coercion } from "../../../mcp/coerce.ts"

/** The kinds of operations, in the order in which they are listed. */
const kinds = [
  "set",
  "replace",
  "add",
  "retype",
  "remove",
  "rename",
  "connect",
  "disconnect",
  "enable",
  "disable",
  "credential",
  "settings",
  "tag",
  "untag",
  "note",
  "group",
  "move",
  "arrange"
] as const

const ofType = (type: string, ...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, { type }]))

/** The types of all fields, for values in clumsy spellings. */
const fieldTypes = {
  type: "object",
  properties: {
    ...ofType("string", "op", "node", "path", "find", "name", "type", "from", "to", "link"),
    ...ofType("integer", "count", "input"),
    ...ofType("number", "typeVersion"),
    ...ofType("boolean", "bridge", "create"),
    ...ofType("object", "parameters"),
    position: { type: "array", items: { type: "number" } }
  }
} satisfies JsonSchema.JsonSchema

/** The schema of operations that clients see: kinds with their fields in words, as a schema of all takes twice the bytes. */
export const operationSchema = {
  type: "array",
  description:
    "In this order: set {node, path, value} or {node, parameters}: merged, null removes; replace {find, value, node, path, count}: " +
    "in texts, without node in all; add {node, type, typeVersion, parameters, from, to, output, link}: behind from, before to, or " +
    "between; retype {node, type, typeVersion, parameters}; remove {node, bridge: join its neighbours}; rename {node, name}: without node the workflow; connect, disconnect " +
    "{from, to, output, input, link}; enable, disable {node}; credential {node, value: name}; settings {parameters}; tag, untag " +
    "{value, create}; note {node, value}: without node on the canvas; group {name, value: nodes}; move {node, position}; arrange. " +
    "path: parameters.items[0].name, onError, retryOnFail, maxTries, waitBetweenTries. output: number, true, done, error. link: " +
    "ai_tool, ai_languageModel",
  items: { type: "object", properties: { op: { type: "string", description: "Its kind" } }, required: ["op"] }
} satisfies JsonSchema.JsonSchema

const text = Schema.String
const optionalText = Schema.optionalKey(Schema.String)

/** An output or input: its number, or a name such as `true`, `done`, `error`. */
const End = Schema.optionalKey(
  Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }, { message: "must be 0 to 255, or a name" })),
    Schema.String
  ])
)
const ends = { output: End, input: End, link: optionalText }
const Position = Schema.Tuple([Schema.Finite, Schema.Finite])
const names = Schema.Union([Schema.String, Schema.Array(Schema.String)])
const count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }, { message: "must be 1 to 10000" }))

const operation = <Op extends string, F extends Schema.Struct.Fields>(op: Op, fields: F) =>
  Schema.Struct({ op: Schema.Literal(op), ...fields })

const schemas = {
  set: operation("set", {
    node: text,
    parameters: Schema.optionalKey(JsonObject),
    path: optionalText,
    value: Schema.optionalKey(Schema.Unknown)
  }),
  replace: operation("replace", {
    node: optionalText,
    path: optionalText,
    find: Schema.String.check(Schema.isMinLength(1, { message: "must not be empty" })),
    value: text,
    count: Schema.optionalKey(count)
  }),
  add: operation("add", {
    node: text,
    type: text,
    typeVersion: Schema.optionalKey(Schema.Finite),
    parameters: Schema.optionalKey(JsonObject),
    from: optionalText,
    to: optionalText,
    ...ends,
    position: Schema.optionalKey(Position)
  }),
  retype: operation("retype", {
    node: text,
    type: text,
    typeVersion: Schema.optionalKey(Schema.Finite),
    parameters: Schema.optionalKey(JsonObject)
  }),
  remove: operation("remove", { node: text, bridge: Schema.optionalKey(Schema.Boolean), output: End }),
  rename: operation("rename", { node: optionalText, name: text }),
  connect: operation("connect", { from: text, to: text, ...ends }),
  disconnect: operation("disconnect", { from: optionalText, to: optionalText, ...ends }),
  enable: operation("enable", { node: text }),
  disable: operation("disable", { node: text }),
  credential: operation("credential", { node: text, type: optionalText, value: Schema.NullOr(Schema.String) }),
  settings: operation("settings", { parameters: JsonObject }),
  tag: operation("tag", { value: names, create: Schema.optionalKey(Schema.Boolean) }),
  untag: operation("untag", { value: names }),
  note: operation("note", {
    node: optionalText,
    value: Schema.NullOr(Schema.String),
    position: Schema.optionalKey(Position)
  }),
  group: operation("group", { name: text, value: Schema.NullOr(names) }),
  move: operation("move", { node: text, position: Position }),
  arrange: operation("arrange", {})
} satisfies Readonly<Record<Kind, Schema.Constraint>>

type Kind = (typeof kinds)[number]

/** One change of a workflow. */
export type Operation<K extends Kind = Kind> = { readonly [One in K]: (typeof schemas)[One]["Type"] }[K]

const isKind = (op: unknown): op is Kind => Predicate.isString(op) && Object.hasOwn(schemas, op)

type Words = Readonly<Record<string, string>>

/** Other names of the fields, which models are used to. */
const aliases: Words = {
  after: "from",
  before: "to",
  connectionType: "link",
  newName: "name",
  nodeName: "node",
  nodeType: "type",
  settings: "parameters",
  source: "from",
  sourceOutput: "output",
  target: "to",
  targetInput: "input"
}

/** Aliases within one kind of operation; they take precedence over the general ones. */
const aliasesOf: { readonly [K in Kind]?: Words } = {
  set: { field: "path", name: "node", parameter: "path" },
  replace: {
    from: "find",
    name: "node",
    replacement: "value",
    search: "find",
    text: "value",
    to: "value",
    with: "value"
  },
  add: { name: "node" },
  retype: { name: "node", value: "type" },
  remove: { name: "node" },
  rename: { from: "node", oldName: "node", to: "name", value: "name" },
  connect: { type: "link" },
  disconnect: { type: "link" },
  enable: { name: "node" },
  disable: { name: "node" },
  credential: { credential: "value", id: "value", name: "value" },
  settings: { value: "parameters" },
  tag: { name: "value", tag: "value", tags: "value" },
  untag: { name: "value", tag: "value", tags: "value" },
  note: { name: "node", note: "value", text: "value" },
  group: { group: "name", members: "value", nodes: "value" },
  move: { name: "node", to: "position" }
}

/** Reads one operation as a caller gives it; the problem names the field. */
export const readOperation = (given: JsonObject): Result.Result<Operation, string> => {
  const { op } = given
  if (!isKind(op)) return Result.fail(unknownKind(op))
  const schema = schemas[op]
  const taken = Object.keys(schema.fields)
  const fields = Object.entries(given).reduce<JsonObject>((read, [field, value]) => {
    const name = fieldMeant(field, op, taken)
    // Strict clients send every field there is.
    if (value === undefined || (value === null && !(name === "value" && taken.includes(name)))) return read
    return { ...read, [name !== field && Predicate.isNotNullish(given[name]) ? field : name]: value }
  }, {})
  const read = decoders[op](coerced(fields))
  return Result.mapError(read, (error) => {
    const { path, unknown, words } = firstIssue(error)
    if (unknown === undefined) return `${op}: ${path} ${words}`
    const fieldNames = unknown.names.filter((field) => field !== "op")
    const guess = nearest(unknown.name, fieldNames)
    return `${op} takes no ${unknown.name}. ${guess === undefined ? `It takes ${fieldNames.join(", ")}` : `Did you mean ${guess}?`}`
  })
}

/** The field that a word stands for; the word itself where it is one, or none. */
const fieldMeant = (field: string, op: Kind, taken: ReadonlyArray<string>): string => {
  if (taken.includes(field)) return field
  const meant = [aliasesOf[op] ?? {}, aliases].flatMap((words) =>
    Object.hasOwn(words, field) ? [words[field] ?? ""] : []
  )
  return meant.find((name) => taken.includes(name)) ?? field
}

const coerceFields = coercion(fieldTypes)

/** The node type that an operation brings in. */
export const newTypeOf = (operation: Operation): string | undefined =>
  operation.op === "add" || operation.op === "retype"
    ? operation.type
    : operation.op === "set" && operation.path?.trim() === "type" && Predicate.isString(operation.value)
      ? operation.value
      : undefined

/** Clumsy spellings, read as what they mean; a value, and what may be a number or a name, stay as they are given. */
const coerced = ({ output, value, ...fields }: JsonObject): JsonObject => ({
  ...coerceFields(fields),
  ...(value === undefined ? {} : { value }),
  ...(output === undefined ? {} : { output })
})

const decoder = <S extends Schema.Codec<Operation, unknown>>(schema: S) =>
  Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })

const decoders: { readonly [K in Kind]: (input: unknown) => Result.Result<Operation, Schema.SchemaError> } = {
  set: decoder(schemas.set),
  replace: decoder(schemas.replace),
  add: decoder(schemas.add),
  retype: decoder(schemas.retype),
  remove: decoder(schemas.remove),
  rename: decoder(schemas.rename),
  connect: decoder(schemas.connect),
  disconnect: decoder(schemas.disconnect),
  enable: decoder(schemas.enable),
  disable: decoder(schemas.disable),
  credential: decoder(schemas.credential),
  settings: decoder(schemas.settings),
  tag: decoder(schemas.tag),
  untag: decoder(schemas.untag),
  note: decoder(schemas.note),
  group: decoder(schemas.group),
  move: decoder(schemas.move),
  arrange: decoder(schemas.arrange)
}

const unknownKind = (op: unknown) => {
  const guess = Predicate.isString(op) ? nearest(op, kinds) : undefined
  const hint = guess === undefined ? `op must be one of ${kinds.join(", ")}` : `Did you mean ${guess}?`
  return op === undefined ? hint : `there is no op ${JSON.stringify(op)}. ${hint}`
}
