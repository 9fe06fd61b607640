import { Effect } from "effect"

import { Elicitation, type Question, type Reply } from "./Elicitation.ts"
import { ToolError } from "./ToolError.ts"

/** A question that is answered by ticking: what is sent without a tick is no agreement. */
const formOf = (message: string): Question => ({
  key: "agreement",
  message,
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

/** Why no person has agreed. */
export interface NoAgreement {
  readonly answer: "cancelled" | "declined" | "unanswered"
  /** Why nobody has answered. */
  readonly problem?: string
}

const noAgreement = (reply: Reply): NoAgreement | undefined => {
  if (reply._tag === "Accepted") return undefined
  if (reply._tag === "Unanswered") return { answer: "unanswered", problem: reply.problem }
  return { answer: reply._tag === "Declined" ? "declined" : "cancelled" }
}

/** Asks a person to agree to what a message names; nothing where they do. */
export const askToAgree = (ask: (question: Question) => Effect.Effect<Reply>, message: string) =>
  Effect.map(ask(formOf(message)), (reply) => noAgreement(read(reply)))

/** What is said where no person has agreed to what a subject such as `Plan p-1 is for a person to agree to` names. */
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

/** An act of a single call that only a person can decide. */
export interface Act {
  /** What the person is asked. */
  readonly message: string
  /** The same for the caller, as the beginning of a sentence. */
  readonly subject: string
  /** The toolset's word for a refusal. */
  readonly code?: string
}

/**
 * Lets the person at the client decide, where it can ask; nothing else stands for their agreement there. False where it
 * cannot: then it is what the caller says that counts.
 */
export const agreedTo = Effect.fnUntraced(function* ({ code = "NOT_AGREED", message, subject }: Act) {
  const { ask } = yield* Elicitation
  if (ask === undefined) return false
  const refusal = yield* askToAgree(ask, message)
  if (refusal === undefined) return true
  return yield* new ToolError({
    blame: "caller",
    code,
    message: notAgreed(subject, refusal, "Calling again"),
    details: { ...refusal }
  })
})
