import { Effect } from "effect"

import { fingerprint } from "../../internal/sha256.ts"
import { askToAgree } from "../../mcp/agreement.ts"
import { CallerId } from "../../mcp/callContext.ts"
import { Elicitation } from "../../mcp/Elicitation.ts"
import type { CompleteDriver } from "../Driver.ts"
import type { Plan } from "../Plan.ts"
import { NotAgreed } from "../PlanError.ts"
import type { Agreement, PlanState } from "../PlanState.ts"
import type { RemoteState } from "../RemoteState.ts"

/** The content of a plan and its addresses: everything that an agreement to it covers. */
const coveredBy = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  { guards }: CompleteDriver<C, S, E>,
  plan: Plan<C>
) {
  const { id, kind, steps } = plan
  return { id, kind, steps, addresses: yield* guards.addresses(plan) }
})

const isAmong = (agreements: ReadonlyArray<Agreement>, { caller, digest }: Agreement): boolean =>
  agreements.some((one) => one.caller === caller && one.digest === digest)

/**
 * A person's agreement to what a plan changes, for the current caller: as the journal has it, or asked for now. Undefined
 * where none is needed, or nobody can be asked; fails where a person does not agree.
 */
export const obtain = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E, E2, E3>(
  driver: CompleteDriver<C, S, E>,
  /** Read from the journal only where somebody can be asked. */
  state: Effect.Effect<PlanState<C>, E3>,
  /** Fails where the plan cannot be applied anyway, so that nobody is asked in vain. */
  mayApply: Effect.Effect<unknown, E2>
) {
  const { ask } = yield* Elicitation
  if (ask === undefined) return undefined
  const { agreements, plan } = yield* state
  const message = driver.guards.question(plan)
  if (message === undefined) return undefined
  yield* mayApply
  const digest = yield* fingerprint(yield* coveredBy(driver, plan))
  const agreement: Agreement = { caller: yield* yield* CallerId, digest }
  if (isAmong(agreements, agreement)) return agreement
  const refusal = yield* askToAgree(ask, { message, covers: digest })
  return refusal === undefined ? agreement : yield* new NotAgreed({ id: plan.id, ...refusal })
})

/** Whether the journal lacks an agreement that a plan is about to be sent with; fails if the plan has become another. */
export const isUnrecorded = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  driver: CompleteDriver<C, S, E>,
  { agreements, plan }: PlanState<C>,
  agreement: Agreement
) {
  if ((yield* fingerprint(yield* coveredBy(driver, plan))) !== agreement.digest) {
    const problem = "what it sends, or where, is not what was agreed to any more"
    return yield* new NotAgreed({ id: plan.id, answer: "unanswered", problem })
  }
  return !isAmong(agreements, agreement)
})
