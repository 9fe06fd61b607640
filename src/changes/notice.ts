import type { Describing } from "./Driver.ts"
import { type PlanState, valuesByStep } from "./PlanState.ts"

/** Names amounts that are not as they were meant to be, and what to do about them; undefined if there are none. */
export const notice = <C>(
  state: PlanState<C>,
  { describeProbe }: Pick<Describing<C>, "describeProbe">
): string | undefined => {
  const said = [
    ...valuesByStep(state, ({ misread }) => misread).map(([, problem]) => problem),
    ...valuesByStep(state, ({ probe }) => probe).map(([step, amount]) => describeProbe(step, amount))
  ]
  if (said.length === 0) return undefined
  return `${said.join(" ")} What to do: apply_plan with plan_id ${state.plan.id} sets what is wanted; plan_rollback plans the rollback.`
}
