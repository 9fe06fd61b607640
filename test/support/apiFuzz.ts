import { Ajv, type ValidateFunction } from "ajv"
import addFormats from "ajv-formats"
import { Effect } from "effect"
import { HttpClient } from "effect/http"

import { type ApiCall, isRead } from "../../src/engine/api/ApiCall.ts"
import { toolFor } from "../../src/engine/api/toolFor.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../src/internal/schema/JsonObject.ts"
import { type Random, randomOf } from "../soak/random.ts"
import { sampleArguments } from "./apiSamples.ts"
import { callTool } from "./harness.ts"

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
    const path = paths[random.below(paths.length)]
    if (path === undefined) break
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

/** Whether a call is made by these tools, and by no other. */
export const isOurs = (call: ApiCall) => isRead(call) || (toolFor(call.call) === undefined && call.takesFile !== true)

/** Whether a request is one of the server's own questions about an engine. */
export const isQuestion = (path: string) => /openapi|discover|^\/(?!api)/.test(path)

interface SentRequest {
  readonly path: string
  readonly status: number
}

/** A client that keeps the requests of calls with their statuses. */
export const counted = (through: HttpClient.HttpClient) => {
  const sent: Array<SentRequest> = []
  const client = through.pipe(
    HttpClient.tap(({ request, status }) =>
      Effect.sync(() => {
        const { pathname } = new URL(request.url)
        if (!isQuestion(pathname)) sent.push({ path: pathname, status })
      })
    )
  )
  return { client, sent }
}

/** Refusals of engines for reasons of their own, which no description foresees. */
const unforeseen = ["Invalid filter fields"]

/** The problems of the calls of an engine, with requests drawn from seeds; `rounds` for each call. */
export const problemsOf = Effect.fnUntraced(function* (
  calls: ReadonlyArray<ApiCall>,
  sent: Array<SentRequest>,
  rounds: number
) {
  const problems: Array<string> = []
  for (const [index, call] of calls.entries()) {
    if (!isOurs(call)) continue
    const judge = judgeOf(call)
    for (let seed = index * 1000; seed < index * 1000 + rounds; seed++) {
      const given = drawnRequest(randomOf(seed), call)
      sent.length = 0
      const { error } = yield* callTool(isRead(call) ? "call_engine" : "plan_engine_call", {
        call: call.call,
        ...given
      })
      const message = error?.message ?? "taken"
      const wrong = (problem: string) =>
        problems.push(`seed ${seed}: ${call.call} ${JSON.stringify(given).slice(0, 500)}: ${problem}: ${message}`)
      const isRefused = error?.code === -32602 && !message.includes("does not have")
      const verdict = judge(given)
      if (verdict !== "open" && isRefused !== (verdict === "misfits")) wrong(verdict)
      if (isRefused && sent.length > 0) wrong("sent")
      const isUnforeseen = unforeseen.some((words) => message.includes(words))
      for (const { path, status } of sent) {
        if ((status === 400 && !isUnforeseen) || status >= 500) wrong(`${status} of ${path}`)
      }
    }
  }
  return problems
})
