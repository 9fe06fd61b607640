import type { Audience } from "../mcp/callContext.ts"
import { type PlanState, valuesByStep } from "./PlanState.ts"

/** Says what stands otherwise than it was sent, and to a model what to do about it; undefined if nothing does. */
export const notice = <C>(state: PlanState<C>, audience: Audience): string | undefined => {
  const problems = valuesByStep(state, ({ observed }) => observed?.open?.problem).map(([, problem]) => problem)
  if (problems.length === 0) return undefined
  const facts = problems.join(" ")
  if (audience === "person") return facts
  return `${facts} What to do: apply_plan with plan_id ${state.plan.id} sets what is wanted; plan_rollback plans the rollback.`
}
