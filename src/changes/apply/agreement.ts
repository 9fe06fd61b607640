import { Effect } from "effect"

import type { Question, Reply } from "../../mcp/Elicitation.ts"
import { NotAgreed } from "../PlanError.ts"

/** A question that is answered by ticking: what is sent without a tick is no agreement. */
const formOf = (message: string): Question => ({
  key: "agreement",
  message,
  fields: { agree: { type: "boolean", title: "Yes, change what is named above" } },
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

/** Why a reply is no agreement. */
const refusalOf = (id: string, reply: Reply): NotAgreed | undefined => {
  if (reply._tag === "Accepted") return undefined
  if (reply._tag === "Unanswered") return new NotAgreed({ id, answer: "unanswered", problem: reply.problem })
  return new NotAgreed({ id, answer: reply._tag === "Declined" ? "declined" : "cancelled" })
}

/** Plans whose agreement is remembered. */
const most = 1000

/** Asks people whether plans may change what is protected: about each plan once, as plans never change. */
export const make = () => {
  const agreed = new Set<string>()

  const remember = (id: string) => {
    agreed.add(id)
    for (const oldest of agreed) {
      if (agreed.size <= most) return
      agreed.delete(oldest)
    }
  }

  /** Ends when a person has agreed, and fails when one has not. */
  const obtain = Effect.fnUntraced(function* (
    ask: (question: Question) => Effect.Effect<Reply>,
    { id, message }: { readonly id: string; readonly message: string }
  ) {
    if (agreed.has(id)) return undefined
    const refusal = refusalOf(id, read(yield* ask(formOf(message))))
    if (refusal !== undefined) return yield* refusal
    return remember(id)
  })

  return { obtain }
}
