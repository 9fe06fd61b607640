import { type DateTime, Result, Schema } from "effect"

import { firstIssue } from "../../config/firstIssue.ts"
import { capProblem } from "./caps.ts"
import type { Reply } from "./Reply.ts"
import { fits, type Wire } from "./shapes.ts"
import type { State } from "./State.ts"
import type { Voice } from "./voices.ts"
import { refuse, type Written } from "./Written.ts"

/** What a call has with it beside its input. */
export interface Call {
  readonly wire: Wire
  readonly now: DateTime.Utc
}

/** What an operation does: it reads the account, or leads to another one. */
export type Work<Input> =
  | { readonly read: (state: State, input: Input, call: Call) => Reply }
  | { readonly write: (state: State, input: Input, call: Call) => Written }

export type Method = "DELETE" | "GET" | "PATCH" | "POST"

/** One operation of the marketplace, ready for anything that is sent to it. */
export interface Endpoint {
  readonly method: Method
  readonly path: `/${string}`
  /** The answer to a query (of a GET) or a body (of anything else), be it what the operation takes or not. */
  readonly answer: (state: State, given: unknown, now: DateTime.Utc) => Written
}

/** The name of the first part that is wrong. */
const nameIn = (error: Schema.SchemaError): string => firstIssue(error).path.split(".")[0] ?? ""

/** How the operations of a wire are made: by which part of the marketplace has it, what it takes, and what it does. */
export const makeOn =
  (wire: Wire) =>
  <Input>(
    method: Method,
    path: Endpoint["path"],
    voice: Voice,
    input: Schema.Codec<Input, unknown>,
    work: Work<Input>
  ): Endpoint => {
    const operation = `${method} ${path}`
    const hasShape = fits(wire, operation)
    const read = Schema.decodeUnknownResult(input)

    const problem = (given: unknown): string | undefined => {
      if (method === "GET") return undefined
      return capProblem(operation, given) ?? (hasShape(given) ? undefined : voice.body)
    }

    const answer: Endpoint["answer"] = (state, given, now) => {
      const wrong = problem(given)
      if (wrong !== undefined) return refuse(state, voice.say(wrong))
      const taken = read(given)
      if (Result.isFailure(taken)) {
        return refuse(state, voice.say(method === "GET" ? voice.parameter(nameIn(taken.failure)) : voice.body))
      }
      const call = { wire, now }
      return "read" in work
        ? { state, reply: work.read(state, taken.success, call) }
        : work.write(state, taken.success, call)
    }
    return { method, path, answer }
  }
