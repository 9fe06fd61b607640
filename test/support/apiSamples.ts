import type { ApiCall } from "../../src/engine/api/ApiCall.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../src/internal/schema/JsonObject.ts"

/** An id that every engine takes for one. */
export const sampleId = "A1b2C3d4E5f6G7h8"

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-01T00:00:00.000Z",
  email: "ann@example.com",
  identifier: "ann@example.com",
  jsonString: '{"type":"and","filters":[]}',
  nanoid: sampleId,
  uri: "https://example.com",
  uuid: "01234567-89ab-4cde-8f01-23456789abcd"
}

/** The pattern of the ids of commits. */
const commit = "^[0-9a-f]{40}([0-9a-f]{24})?$"

/** The smallest value of a shape. */
export const sampleOf = (shape: JsonObject): unknown => {
  const [choice] = listOf(shape["enum"])
  if (choice !== undefined) return choice
  const [first] = [...listOf(shape["oneOf"]), ...listOf(shape["anyOf"])]
  if (isJsonObject(first)) {
    const { anyOf: _, oneOf: __, ...rest } = shape
    return shape["properties"] === undefined
      ? sampleOf(first)
      : sampleOf({ ...rest, required: first["required"] ?? rest["required"] })
  }
  const all = listOf(shape["allOf"]).map(objectOf)
  if (all.length > 0) return Object.assign({}, ...all.map((part) => sampleOf(part)))
  switch (shape["type"] ?? (shape["properties"] === undefined ? "string" : "object")) {
    case "integer":
    case "number":
      return Math.max(1, Number(shape["minimum"] ?? 1))
    case "boolean":
      return true
    case "array":
      return [sampleOf(objectOf(shape["items"]))]
    case "object": {
      const fields = objectOf(shape["properties"])
      const required = listOf(shape["required"]).map(String)
      const least = Number(shape["minProperties"] ?? 0)
      const names = required.length >= least ? required : Object.keys(fields).slice(0, least)
      return Object.fromEntries(names.map((name) => [name, sampleOf(objectOf(fields[name]))]))
    }
    default:
      return formats[String(shape["format"])] ?? (shape["pattern"] === commit ? "0".repeat(40) : sampleId)
  }
}

/** Arguments and a body with which a call can be made. */
export const sampleArguments = ({ body, parameters }: ApiCall) => ({
  arguments: Object.fromEntries(
    parameters.filter(({ isRequired }) => isRequired).map(({ name, schema }) => [name, sampleOf(schema)])
  ),
  ...(body === undefined ? {} : { body: sampleOf(body.schema) })
})

/** Values of which none fits a shape. */
const misfits = (shape: JsonObject): ReadonlyArray<unknown> => {
  switch (shape["type"]) {
    case "integer":
    case "number":
      return ["many", true, ...(shape["maximum"] === undefined ? [] : [Number(shape["maximum"]) + 1])]
    case "boolean":
      return ["perhaps", 7]
    case "string":
      return [{ a: 1 }, ["a"], ...(shape["enum"] === undefined ? [] : ["no such choice"])]
    case "array":
      return ["text", 7]
    case "object":
      return ["text", 7]
    default:
      return []
  }
}

/** Arguments and bodies with which a call must not be made, each with the name that is wrong. */
export const wrongArguments = (call: ApiCall) => {
  const right = sampleArguments(call)
  const fields = objectOf(call.body?.schema["properties"])
  const body = objectOf(right.body)
  return [
    { ...right, arguments: { ...right.arguments, noSuchArgument: 1 }, wrong: "noSuchArgument" },
    ...call.parameters.flatMap(({ isRequired, name, place, schema }) => [
      ...(isRequired ? [{ ...right, arguments: without(right.arguments, name), wrong: name }] : []),
      ...(place === "path" ? [{ ...right, arguments: { ...right.arguments, [name]: ".." }, wrong: name }] : []),
      ...misfits(schema)
        .slice(0, 1)
        .map((value) => ({ ...right, arguments: { ...right.arguments, [name]: value }, wrong: name }))
    ]),
    ...(call.body === undefined ? [{ ...right, body: { a: 1 }, wrong: "body" }] : []),
    ...(call.body?.isRequired === true ? [{ arguments: right.arguments, wrong: "body" }] : []),
    ...Object.entries(fields).flatMap(([name, shape]) =>
      misfits(objectOf(shape))
        .slice(0, 1)
        .map((value) => ({ ...right, body: { ...body, [name]: value }, wrong: `body.${name}` }))
    ),
    ...(Object.keys(fields).length === 0
      ? []
      : [{ ...right, body: { ...body, noSuchField: 1 }, wrong: "body.noSuchField" }])
  ]
}

const without = (fields: JsonObject, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))
