import { Effect } from "effect"

import { maskText } from "../internal/secrets/maskSecrets.ts"
import { Elicitation, type Question, type Reply } from "./Elicitation.ts"
import { ToolError } from "./ToolError.ts"

/** A question answered with a checkbox: a form sent without it is not an agreement. */
const formOf = (message: string, covers: unknown): Question => ({
  key: "agreement",
  message: maskText(message),
  covers,
  fields: { agree: { type: "boolean", title: "Yes, do what is named above" } },
  required: ["agree"]
})

const misfit: Reply = { _tag: "Unanswered", problem: "the answer says neither yes nor no" }

const read = (reply: Reply): Reply => {
  if (reply._tag !== "Accepted") return reply
  switch (reply.content["agree"]) {
    case true:
      return reply
    case false:
      return { _tag: "Declined" }
    default:
      return misfit
  }
}

/** The reason why no person has agreed. */
interface NoAgreement {
  readonly answer: "cancelled" | "declined" | "unanswered"
  /** The reason why nobody has answered. */
  readonly problem?: string
}

const noAgreement = (reply: Reply): NoAgreement | undefined => {
  if (reply._tag === "Accepted") return undefined
  if (reply._tag === "Unanswered") return { answer: "unanswered", problem: reply.problem }
  return { answer: reply._tag === "Declined" ? "declined" : "cancelled" }
}

/** Asks a person to agree to a message, and to what it covers; undefined if they do, otherwise why not. */
export const askToAgree = (
  ask: (question: Question) => Effect.Effect<Reply>,
  { covers, message }: Pick<Question, "covers" | "message">
) => Effect.map(ask(formOf(message, covers)), (reply) => noAgreement(read(reply)))

/** The message for a missing agreement to a subject, such as `Plan p-1 is for a person to agree to`. */
export const notAgreed = (
  subject: string,
  { answer, problem = "nobody answered" }: NoAgreement,
  again: string
): string => {
  switch (answer) {
    case "unanswered":
      return `${subject}, and no person has agreed: ${problem}. Nothing was changed. ${again} asks again.`
    case "declined":
      return `${subject}, and the person who was asked declined; nothing was changed. Ask them what they want instead.`
    default:
      return `${subject}, and the person who was asked closed the question without an answer; nothing was changed. ${again} asks again: only if they want that.`
  }
}

/** A single act that only a person can decide. */
export interface Act {
  /** The question to the person. */
  readonly message: string
  /** The same for the caller, as the beginning of a sentence. */
  readonly subject: string
  /** Everything that will be sent, and what it is sent for: where it becomes another, the agreement counts no more. */
  readonly covers: unknown
  /** The toolset's code for a refusal. */
  readonly code?: string
}

/**
 * Lets the person at the client decide, if the client can ask; nothing else replaces their agreement there. False if it cannot:
 * then the caller's confirmation counts.
 */
export const agreedTo = Effect.fnUntraced(function* ({ code = "NOT_AGREED", covers, message, subject }: Act) {
  const { ask } = yield* Elicitation
  if (ask === undefined) return false
  const refusal = yield* askToAgree(ask, { covers, message })
  if (refusal === undefined) return true
  return yield* new ToolError({
    blame: "caller",
    code,
    message: notAgreed(subject, refusal, "Calling again"),
    details: { ...refusal }
  })
})
