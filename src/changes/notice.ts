import type { Describing } from "./Driver.ts"
import { type PlanState, tell } from "./PlanState.ts"

/** Amounts that stand otherwise than they were meant, and what to do about it; nothing where all is as it was meant. */
export const notice = <C>(
  state: PlanState<C>,
  { describeProbe }: Pick<Describing<C>, "describeProbe">
): string | undefined => {
  const said = [
    ...tell(state, ({ misread }) => misread).map(([, problem]) => problem),
    ...tell(state, ({ probe }) => probe).map(([step, amount]) => describeProbe(step, amount))
  ]
  if (said.length === 0) return undefined
  return `${said.join(" ")} What to do: apply_plan with plan_id ${state.plan.id} sets what is wanted; plan_rollback plans the rollback.`
}
