import { Effect, Schema } from "effect"

import { inSlices } from "../../internal/effects.ts"
import { fitting, jsonBytes } from "../../internal/json/values.ts"
import { isJsonObject, JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { maskSecretsSliced } from "../../internal/secrets/maskSecrets.ts"
import { reads } from "../../mcp/annotations.ts"
import { EngineClient } from "../client/EngineClient.ts"
import * as EngineTool from "../tools/EngineTool.ts"
import { optional } from "../tools/parameters.ts"
import { type ApiCall, pathOf, queryOf } from "./ApiCall.ts"
import { decodeArguments, namedCall } from "./decodeCall.ts"
import { allowedCalls } from "./findCall.ts"

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
    const call = yield* namedCall(name, (yield* allowedCalls).allowed, "reads")
    const args = yield* decodeArguments(call, given)
    const answer = yield* engine.readCall(pathOf(call, args), queryOf(call, withLimit(call, args)))
    return shortened(
      objectOf(yield* inSlices(() => maskSecretsSliced(isJsonObject(answer) ? answer : { data: answer })))
    )
  })
})

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
