import { Effect, Option, Schema } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nearest } from "../../internal/texts.ts"
import * as Arguments from "../../mcp/Arguments.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { optional } from "../tools/parameters.ts"
import { type ApiCall, type ApiDescription, isRead, strayArgument } from "./ApiCall.ts"
import { bodyWords, shapeOf } from "./findCalls.ts"
import { checkerOf } from "./shapes.ts"
import { toolFor } from "./toolFor.ts"

const refuse = (argument: string, problem: string) => Effect.fail(new InvalidArgument({ argument, problem }))

/** A call of the engine that the key may not make, with the scope that it lacks. */
export const deniedWords = ({ scope }: ApiCall): string =>
  `not among the calls that this key may make: ${scope === undefined ? "give it more scopes" : `give it the scope ${scope}`} in the engine UI`

/** The call of a name among those that the key may make, if it is of the kind that the tool makes, and no other tool does it better. */
export const namedCall = (
  name: string,
  { allowed: calls, description }: { readonly allowed: ReadonlyArray<ApiCall>; readonly description: ApiDescription },
  kind: "changes" | "reads"
): Effect.Effect<ApiCall, InvalidArgument> => {
  const written = name.trim().replace(/\s+/g, " ")
  const call = calls.find((one) => one.call === written)
  const denied = description.calls.find((one) => one.call === written)
  if (call === undefined && denied !== undefined) return refuse("call", `is ${deniedWords(denied)}`)
  if (call === undefined) {
    const guess = nearest(
      written,
      calls.map((one) => one.call)
    )
    return refuse(
      "call",
      `is no call that this engine describes${guess === undefined ? "" : `; did you mean ${guess}?`}: ask find_call`
    )
  }
  const tool = toolFor(call.call)
  if (isRead(call)) {
    return kind === "reads" ? Effect.succeed(call) : refuse("call", `only reads: ${tool ?? "call_engine"} does that`)
  }
  if (kind === "reads") {
    return refuse("call", `changes something, and this tool only reads: ${tool ?? "plan_engine_call"} does that`)
  }
  if (tool !== undefined) return refuse("call", `is what ${tool} does, with more care`)
  return call.takesFile === true ? refuse("call", "takes a file, which no tool sends") : Effect.succeed(call)
}

const unreadable = refuse("call", "has arguments whose description cannot be read: use another call")

/** The arguments by the shapes that the engine describes; nothing is sent before they fit. */
export const decodeArguments = Effect.fnUntraced(function* (call: ApiCall, given: JsonObject) {
  const fields = call.parameters.map((one) => Option.map(fieldOf(one), (field) => [one.name, field] as const))
  const shapes = Option.all(fields)
  if (Option.isNone(shapes)) return yield* unreadable
  const args = yield* Arguments.make(Object.fromEntries(shapes.value)).decode(given)
  const stray = strayArgument(call, args)
  return stray === undefined ? args : yield* refuse(stray, "must be an id or a name, neither empty nor dots alone")
})

const fieldOf = ({ isRequired, schema }: ApiCall["parameters"][number]) =>
  Option.map(checkerOf(schema), (check) => {
    const isPlain = schema["format"] === undefined && schema["pattern"] === undefined
    const problemOf = (value: unknown) => {
      const misfit = check(value)
      return misfit === undefined || (isPlain && `must be ${shapeOf(schema)}`) || misfit.problem
    }
    const field = Schema.Unknown.check(Schema.makeFilter(problemOf)).annotate({ inputSchema: schema })
    return isRequired ? field : optional(field)
  })

/** The body by the shape that the engine describes, a list alone or as `items`; `undefined` where the call takes none, or needs none. */
export const decodeBody = Effect.fnUntraced(function* ({ body }: ApiCall, given: unknown) {
  if (body === undefined) {
    return given === undefined ? undefined : yield* refuse("body", "is not taken by this call: leave it out")
  }
  if (given === undefined) {
    const words = bodyWords(body.schema, 0)
    return body.isRequired ? yield* refuse("body", `is required: ${JSON.stringify(words)}`) : undefined
  }
  const isList = body.schema["type"] === "array"
  const value = isList && isJsonObject(given) && Array.isArray(given["items"]) ? objectOf(given)["items"] : given
  const check = checkerOf(body.schema)
  if (Option.isNone(check)) return yield* unreadable
  const misfit = check.value(value)
  if (misfit === undefined) return value
  return yield* refuse(["body", ...(misfit.path === "" ? [] : [misfit.path])].join("."), misfit.problem)
})
