import { Ajv, type ValidateFunction } from "ajv"
import addFormats from "ajv-formats"

import { type ApiCall, isRead } from "../../src/engine/api/ApiCall.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../src/internal/schema/JsonObject.ts"
import type { Random } from "../soak/random.ts"
import { sampleArguments } from "./apiSamples.ts"

/** Values that mean something to some parser, and fit few shapes. */
const oddValues: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1.5,
  251,
  2 ** 53,
  1e308,
  "",
  " ",
  ".",
  "..",
  "../users",
  "..%2Fusers",
  "%2e%2e",
  "a/b",
  "a?limit=1",
  "a#b",
  "a\u0000b",
  "\u202Eunicode 💥",
  "x".repeat(5000),
  "null",
  "true",
  "[]",
  "1e3",
  "-0",
  "2026-13-45T99:00:00Z",
  "https://",
  "__proto__",
  "constructor",
  [],
  [null],
  ["a", "a"],
  {},
  { a: 1 },
  [[[{}]]]
]

type Path = ReadonlyArray<number | string>

const pathsIn = (value: unknown): ReadonlyArray<Path> => [
  [],
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, one]) => pathsIn(one).map((path) => [name, ...path]))
    : [])
]

/** A value with another one at a path, or without anything there. */
const withAt = (value: unknown, [name, ...rest]: Path, other: unknown): unknown => {
  if (name === undefined) return other
  const parts: Array<readonly [string, unknown]> = Object.entries(Object(value))
  const changed = parts.flatMap(([key, one]) => {
    if (key !== String(name)) return [[key, one] as const]
    const now = withAt(one, rest, other)
    return now === undefined ? [] : [[key, now] as const]
  })
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed)
}

/** All fields of a shape, each with a value that mostly fits. */
const filled = (random: Random, shape: JsonObject, present: unknown): unknown => {
  const fields = Object.entries(objectOf(shape["properties"])).filter(() => random.below(2) === 0)
  if (!isJsonObject(present)) return present
  const more = fields.map(([name, one]) => {
    const { body } = sampleArguments({ ...noCall, body: { isRequired: true, schema: objectOf(one) } })
    return [name, filled(random, objectOf(one), body)] as const
  })
  return { ...Object.fromEntries(more), ...present }
}

const noCall: ApiCall = {
  call: "",
  method: "",
  path: "",
  summary: "",
  description: "",
  tag: "",
  parameters: []
}

/** Arguments of a call: those that fit, with up to three changes at places that are drawn. */
export const drawnRequest = (random: Random, call: ApiCall): JsonObject => {
  const sample = sampleArguments(call)
  const shape = { properties: Object.fromEntries(call.parameters.map(({ name, schema }) => [name, schema])) }
  let request: unknown = {
    arguments: filled(random, shape, sample.arguments),
    ...(call.body === undefined || isRead(call) ? {} : { body: filled(random, call.body.schema, sample.body) })
  }
  for (let changes = random.below(4); changes > 0; changes--) {
    const paths = pathsIn(request).filter(({ length }) => length > 0)
    const path = paths[random.below(paths.length)] ?? []
    switch (random.below(4)) {
      case 0: {
        request = withAt(request, path, undefined)
        break
      }
      case 1: {
        const parent = objectOf(request)[String(path[0])]
        if (isJsonObject(parent)) request = withAt(request, path.slice(0, 1), { ...parent, noSuchField: 1 })
        break
      }
      default:
        request = withAt(request, path, oddValues[random.below(oddValues.length)])
    }
  }
  return objectOf(request)
}

const isUuidOrEmail = (text: string) =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) || /^\S+@\S+\.\S+$/.test(text)

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The validator that engines use themselves; `isLenient` takes what a query can be written as. */
const validatorOf = (isLenient: boolean) => {
  const ajv = new Ajv({ strict: false, allErrors: false, coerceTypes: isLenient, logger: false })
  addFormats.default(ajv)
  ajv.addFormat("identifier", isUuidOrEmail)
  ajv.addFormat("jsonString", isJson)
  ajv.addFormat("nanoid", /^[A-Za-z0-9]{16}$/)
  return ajv
}
const strict = validatorOf(false)
const lenient = validatorOf(true)

const shapeOf = ({ parameters }: ApiCall): JsonObject => ({
  type: "object",
  additionalProperties: false,
  required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
})

/** Whether a request fits a call by the engines' own validator: certainly, not at all, or if it is read with good will. */
export const judgeOf = (call: ApiCall) => {
  const [exact, wide]: ReadonlyArray<ValidateFunction> = [strict, lenient].map((ajv) => ajv.compile(shapeOf(call)))
  const ofBody = call.body === undefined ? undefined : strict.compile(call.body.schema)
  const isPaged = ["limit", "cursor"].every((name) => call.parameters.some((one) => one.name === name))
  const ids = call.parameters.filter(({ place }) => place === "path").map(({ name }) => name)
  return (request: JsonObject): "fits" | "misfits" | "open" => {
    const body = request["body"] ?? undefined
    const args = objectOf(request["arguments"] ?? {})
    const isBodyRight =
      body === undefined ? call.body?.isRequired !== true : ofBody !== undefined && ofBody(structuredClone(body))
    const isStray = ids.some((name) => ["", ".", ".."].some((stray) => args[name] === stray))
    // The cursors of pages are ours.
    const isForeign = isPaged && args["cursor"] !== undefined && args["cursor"] !== null
    if (!isBodyRight || isStray || isForeign || !isJsonObject(request["arguments"] ?? {})) return "misfits"
    if (exact?.(structuredClone(args)) === true) return "fits"
    // What is null counts as left out.
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
    return wide?.(structuredClone(given)) === true ? "open" : "misfits"
  }
}
