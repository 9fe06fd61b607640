import { Option, Predicate, Schema } from "effect"

import { oneLine, visible } from "../../../internal/foreignText.ts"
import type { Question, Reply } from "../../Elicitation.ts"
import type * as Message from "../Message.ts"

/** Milliseconds for which a question waits for its answer. */
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

const readResult = Schema.decodeUnknownOption(
  Schema.Struct({
    action: Schema.Literals(["accept", "decline", "cancel"]),
    content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  })
)

/** The content of a client's result for a form; none if it is invalid. */
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

/** Marks a session whose client shows forms: nothing else is known or kept of a session. */
const prefix = "elicits-"

/** An unguessable id. */
export const mintSessionId = () => `${prefix}${crypto.randomUUID()}`

/** A session id from a header, if it is of this kind. */
export const readSessionId = (id: string | undefined): string | undefined =>
  id !== undefined && /^elicits-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : undefined
