import type { Audience } from "../mcp/callContext.ts"
import { type PlanState, valuesByStep } from "./PlanState.ts"

/** Notes for whoever reads about a plan: what stands otherwise than it was sent, then others; none where there is nothing to note. */
export const notice = <C>(state: PlanState<C>, others: Iterable<string> = []): { readonly notice?: string } => {
  const notes = [...openProblems(state), ...others]
  return notes.length === 0 ? {} : { notice: notes.join(" ") }
}

/** The problems of what stands otherwise than it was sent. */
export const openProblems = <C>(state: PlanState<C>): ReadonlyArray<string> =>
  valuesByStep(state, ({ observed }) => observed?.open?.problem).map(([, problem]) => problem)

/** A notice with advice to a model, if something stands otherwise than it was sent. */
export const withAdvice = <C>(
  { notice }: { readonly notice?: string },
  state: PlanState<C>,
  audience: Audience
): { readonly notice?: string } => {
  if (notice === undefined) return {}
  if (audience === "person" || openProblems(state).length === 0) return { notice }
  const { id } = state.plan
  return {
    notice: `${notice} What to do: apply_plan with plan_id ${id} sets what is wanted; plan_rollback plans the rollback.`
  }
}
