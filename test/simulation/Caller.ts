import type { Answer } from "../support/answer.ts"
import type { Json } from "../support/harness.ts"

/** How a caller hears of questions: not at all, through requests of the server, or through results of its calls. */
export type Kind = "bare" | "forms" | "rounds"

export const kinds: ReadonlyArray<readonly [number, Kind]> = [
  [2, "bare"],
  [1, "forms"],
  [1, "rounds"]
]

/** Whoever calls tools, and the person behind. */
export interface Caller {
  readonly name: string
  readonly kind: Kind
}

export const clientName = "simulation"

/** How a call of a tool has ended for who made it. */
export type Outcome =
  | { readonly _tag: "Answered"; readonly answer: Json }
  | { readonly _tag: "Refused"; readonly message: string; readonly data: Json }
  /** The server died, or the caller gave up: nobody has heard anything. */
  | { readonly _tag: "Unheard" }

/** A question to the person behind a call, and what that person has said. */
export interface Asked {
  readonly call: number
  readonly caller: string
  readonly tool: string
  readonly args: Json
  readonly message: string
  readonly at: number
  readonly answer: "closed" | "no" | "silence" | "yes"
  readonly answeredAt: number
}

const recordOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

const textIn = (result: Json): string => {
  const { content } = result
  return Array.isArray(content) ? String(Object(content[0]).text) : ""
}

/** The outcome of a call, as its answer tells it. */
export const outcomeOf = (answer: typeof Answer.Type | undefined): Outcome => {
  if (answer === undefined) return { _tag: "Unheard" }
  const { error, result = {} } = answer
  if (error !== undefined) return { _tag: "Refused", message: error.message, data: { ...error.data, rpc: error.code } }
  if (result["isError"] === true) {
    const { code, details } = recordOf(recordOf(result["structuredContent"])["error"])
    return { _tag: "Refused", message: textIn(result), data: { ...recordOf(details), code } }
  }
  return { _tag: "Answered", answer: recordOf(JSON.parse(textIn(result))) }
}

/** The question that stands in the place of an answer, and what has to come back with its answer. */
export const questionIn = (answer: typeof Answer.Type | undefined) => {
  const { inputRequests, requestState, resultType } = answer?.result ?? {}
  if (resultType !== "input_required") return undefined
  const [[key, request] = ["", {}]] = Object.entries(recordOf(inputRequests))
  return { key, message: String(Object(Object(request).params).message), requestState }
}
