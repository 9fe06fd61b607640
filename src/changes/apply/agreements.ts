import { Effect } from "effect"

import { askToAgree } from "../../mcp/agreement.ts"
import type { Question, Reply } from "../../mcp/Elicitation.ts"
import { NotAgreed } from "../PlanError.ts"

/** How many agreements are remembered. */
const most = 1000

/** Asks people whether plans may change what is protected, once for each plan, as plans never change. */
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
    const refusal = yield* askToAgree(ask, message)
    if (refusal !== undefined) return yield* new NotAgreed({ id, ...refusal })
    return remember(id)
  })

  return { obtain }
}
