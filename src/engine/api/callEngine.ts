import { Effect, Predicate, Schema, Struct } from "effect"

import { inSlices } from "../../internal/effects.ts"
import { clipped } from "../../internal/foreignText.ts"
import { fitting, jsonBytes } from "../../internal/json/values.ts"
import { isJsonObject, JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { maskSecretsSliced } from "../../internal/secrets/maskSecrets.ts"
import { reads } from "../../mcp/annotations.ts"
import { EngineClient } from "../client/EngineClient.ts"
import * as EngineTool from "../tools/EngineTool.ts"
import { listPage } from "../tools/paging.ts"
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
  description: "Make a reading call that find_call named",
  annotations: reads,
  arguments: {
    call: Schema.String,
    arguments: optional(JsonObject.annotate({ description: "Of path and query" }))
  },
  run: Effect.fnUntraced(function* ({ arguments: given = {}, call: name }) {
    const engine = yield* EngineClient
    const call = yield* namedCall(name, yield* allowedCalls(name), "reads")
    const args = yield* decodeArguments(call, given)
    const read = (all: JsonObject) => engine.readCall(pathOf(call, all), queryOf(call, all))
    const isPaged = ["limit", "cursor"].every((name) => call.parameters.some((one) => one.name === name))
    const answer = yield* isPaged ? pageOf(call, args, read) : read(args)
    return shortened(
      call,
      objectOf(yield* inSlices(() => maskSecretsSliced(isJsonObject(answer) ? answer : { data: answer })))
    )
  })
})

/** One page of a list, with a cursor that keeps its arguments: those of engines forget them. */
const pageOf = <E>(call: ApiCall, args: JsonObject, read: (args: JsonObject) => Effect.Effect<unknown, E>) => {
  const { cursor, limit, ...filters } = args
  return listPage({
    list: `call_engine of ${call.call}`,
    filters: JsonObject,
    given: filters,
    cursor: Predicate.isString(cursor) ? cursor : undefined,
    limit: Predicate.isNumber(limit) ? limit : standardLimit,
    fetch: (all, place) =>
      Effect.map(read({ ...all, ...place }), (answer) => {
        const { data, nextCursor } = objectOf(answer)
        return { data: objectsOf(data), nextCursor: Predicate.isString(nextCursor) ? nextCursor : null }
      }),
    show: (item) => item
  })
}

/** An answer with as much as there is room for; what is left out is counted, and how to get it said. */
const shortened = (call: ApiCall, answer: JsonObject): JsonObject => {
  if (jsonBytes(answer) <= mostBytes) return answer
  const { data } = answer
  if (call.parameters.some(({ name }) => name === "limit") && Array.isArray(data)) {
    const pageWith = (count: number) => ({
      // Its cursor would lead past what is left out.
      ...Struct.omit(answer, ["nextCursor"]),
      data: data.slice(0, count),
      leftOut: data.length - count,
      advice: `For the others, call again with limit ${count}, and go on from there`
    })
    const count = fitting(data, mostBytes - jsonBytes({ ...pageWith(data.length), data: [], leftOut: data.length }))
    const page = pageWith(count)
    if (jsonBytes(page) <= mostBytes) return page
    return briefest(data.length > count ? page : answer)
  }
  return briefest({
    ...answer,
    advice: "Only beginnings of lists and texts are shown: a call that reads one item shows more of it"
  })
}

/** Items of inner lists, fields, and characters of texts: as many as fit, in this order. */
const lengths = [100, 30, 10, 4, 1]

/** An answer of which long lists and texts show their beginnings, and how much more there is. */
const briefest = ({ nextCursor, ...answer }: JsonObject): JsonObject => {
  const cursor = nextCursor === undefined ? {} : { nextCursor }
  for (const length of lengths) {
    const brief = { ...objectOf(beginning(answer, length)), ...cursor }
    if (jsonBytes(brief) <= mostBytes) return brief
  }
  return { beginning: clipped(JSON.stringify(beginning(answer, 1)), mostBytes / 8), ...cursor }
}

const beginning = (value: unknown, length: number): unknown => {
  if (Predicate.isString(value)) return clipped(value, length * 20)
  if (Array.isArray(value)) {
    const more = value.length > length ? [`${value.length - length} more`] : []
    return [...value.slice(0, length).map((item: unknown) => beginning(item, length)), ...more]
  }
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value)
  const most = Math.max(length, 20)
  const more = fields.length > most ? [["more", `${fields.length - most} fields`] as const] : []
  return Object.fromEntries([
    ...fields.slice(0, most).map(([name, one]) => [name, beginning(one, length)] as const),
    ...more
  ])
}
