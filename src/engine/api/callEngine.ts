import { Effect, JsonSchema, Schema, SchemaRepresentation } from "effect"

import { inSlices } from "../../internal/effects.ts"
import { fitting, jsonBytes } from "../../internal/json/values.ts"
import { isJsonObject, JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { maskSecretsSliced } from "../../internal/secrets/maskSecrets.ts"
import { nearest } from "../../internal/texts.ts"
import { reads } from "../../mcp/annotations.ts"
import * as Arguments from "../../mcp/Arguments.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { EngineClient } from "../client/EngineClient.ts"
import * as EngineTool from "../tools/EngineTool.ts"
import { optional } from "../tools/parameters.ts"
import { type ApiCall, isRead, pathOf, queryOf, strayArgument } from "./ApiCall.ts"
import { allowedCalls } from "./findCall.ts"
import { shapeOf } from "./findCalls.ts"
import { toolFor } from "./toolFor.ts"

/** Items of a list that are asked for where nothing is said. */
const standardLimit = 20

/** Bytes of an answer. */
const mostBytes = 8000

export const callEngine = EngineTool.make("call_engine", {
  title: "Call engine",
  description: "Make a reading call of the engine's API that find_call has named",
  annotations: reads,
  arguments: {
    call: Schema.String.annotate({ description: "e.g. GET /data-tables" }),
    arguments: optional(JsonObject.annotate({ description: "By name, of path and query" }))
  },
  run: Effect.fnUntraced(function* ({ arguments: given = {}, call: name }) {
    const engine = yield* EngineClient
    const call = yield* named(name, (yield* allowedCalls).allowed)
    const args = yield* decoded(call, given)
    const answer = yield* engine.readCall(pathOf(call, args), queryOf(call, withLimit(call, args)))
    return shortened(
      objectOf(yield* inSlices(() => maskSecretsSliced(isJsonObject(answer) ? answer : { data: answer })))
    )
  })
})

/** The reading call of a name. */
const named = (name: string, calls: ReadonlyArray<ApiCall>): Effect.Effect<ApiCall, InvalidArgument> => {
  const written = name.trim().replace(/\s+/g, " ")
  const call = calls.find((one) => one.call === written)
  const refuse = (problem: string) => Effect.fail(new InvalidArgument({ argument: "call", problem }))
  if (call === undefined) {
    const guess = nearest(
      written,
      calls.map((one) => one.call)
    )
    return refuse(
      `is no call that this engine describes and this key may make${guess === undefined ? "" : `; did you mean ${guess}?`}: ask find_call`
    )
  }
  if (isRead(call)) return Effect.succeed(call)
  const tool = toolFor(call.call)
  return refuse(`changes something, and this tool only reads${tool === undefined ? "" : `: ${tool} does that`}`)
}

/** The arguments by the shapes that the engine describes; nothing is sent before they fit. */
const decoded = Effect.fnUntraced(function* (call: ApiCall, given: JsonObject) {
  const shapes = Effect.try({
    try: () => Arguments.make(Object.fromEntries(call.parameters.map((one) => [one.name, fieldOf(one)]))),
    catch: () =>
      new InvalidArgument({
        argument: "call",
        problem: "has arguments whose description cannot be read: use another call"
      })
  })
  const args = yield* (yield* shapes).decode(given)
  const stray = strayArgument(call, args)
  if (stray === undefined) return args
  return yield* new InvalidArgument({
    argument: stray,
    problem: "must be an id or a name, neither empty nor dots alone"
  })
})

const fieldOf = ({ isRequired, schema }: ApiCall["parameters"][number]) => {
  const document = JsonSchema.fromSchemaOpenApi3_0(schema)
  const fits = Schema.is(SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "ignore" }))
  const field = Schema.Unknown.check(
    Schema.makeFilter((value) => fits(value) || `must be ${shapeOf(schema)}`)
  ).annotate({ inputSchema: schema })
  return isRequired ? field : optional(field)
}

const withLimit = ({ parameters }: ApiCall, args: JsonObject): JsonObject =>
  args["limit"] === undefined && parameters.some(({ name, place }) => place === "query" && name === "limit")
    ? { ...args, limit: standardLimit }
    : args

/** An answer with as many items as there is room for; what is left out is counted, and how to get it said. */
const shortened = (answer: JsonObject): JsonObject => {
  const { data } = answer
  if (!Array.isArray(data) || jsonBytes(answer) <= mostBytes) return answer
  const count = Math.max(1, fitting(data, mostBytes - jsonBytes({ ...answer, data: [] })))
  return {
    ...answer,
    data: data.slice(0, count),
    leftOut: data.length - count,
    advice: `For the others, call again with limit ${count}`
  }
}
