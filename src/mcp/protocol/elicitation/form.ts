import { Option, Predicate } from "effect"

import { oneLine, visible } from "../../../internal/foreignText.ts"
import type { Question, Reply } from "../../Elicitation.ts"
import type * as Message from "../Message.ts"
import { readResult } from "./schemas.ts"

/** How long a question waits for its answer, in milliseconds. */
export const longestWait = 5 * 60_000

/** Whether a client with these capabilities shows forms; it does if it names no mode. */
export const showsForms = (capabilities: unknown): boolean => {
  const elicitation = Predicate.hasProperty(capabilities, "elicitation") ? capabilities.elicitation : undefined
  return Predicate.isObject(elicitation) && ("form" in elicitation || !("url" in elicitation))
}

/** The request without its id, the same in every revision that has it. Its message quotes upstreams. */
export const requestOf = ({ fields, message, required = [] }: Question) => ({
  method: "elicitation/create",
  params: {
    message: visible(message),
    requestedSchema: { type: "object", properties: fields, required }
  }
})

/** The content of a client's result; undefined if it is invalid. */
export const replyOf = (result: unknown): Option.Option<Reply> =>
  Option.map(readResult(result), ({ action, content = {} }): Reply => {
    switch (action) {
      case "accept":
        return { _tag: "Accepted", content }
      case "decline":
        return { _tag: "Declined" }
      default:
        return { _tag: "Cancelled" }
    }
  })

export const unanswered = (problem: string): Reply => ({ _tag: "Unanswered", problem })

/** The outcome of a client's answer to the request, whatever it is. */
export const readReply = ({ error, result }: Pick<Message.Reply, "error" | "result">): Reply => {
  if (error === undefined) {
    return Option.getOrElse(replyOf(result), () => unanswered("the client's answer is not one to the question"))
  }
  const said = Predicate.hasProperty(error, "message") ? `: ${oneLine(String(error.message)).slice(0, 200)}` : ""
  return unanswered(`the client could not ask${said}`)
}
