import { Effect } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import * as Tool from "../../../mcp/Tool.ts"
import type { History } from "../../apply/history.ts"
import { outstandingNotice } from "../../apply/outstanding.ts"
import { Plans } from "../../apply/Plans.ts"
import { orRefuse } from "../errors.ts"
import { limit, offset, planId } from "../parameters.ts"
import { moment, more } from "../shown.ts"
import * as results from "./results.ts"
import { stepRow } from "./stepRow.ts"

export const showPlan = Tool.make("ads_show_plan", {
  title: "Show plan",
  description: "Show the steps of a plan with before, after and reason, what is blocked, and how far it has come",
  annotations: reads,
  arguments: { plan_id: planId, limit: limit(50), offset },
  result: results.shownPlan,
  run: Effect.fn("ads_show_plan")(function* ({ limit, offset, plan_id }) {
    const past = yield* Plans.use((plans) => plans.history(plan_id))
    const { done, plan, refused, takenBack, unconfirmed } = past
    const shown = plan.steps.slice(offset, offset + limit)
    const notice = takenBack ? undefined : outstandingNotice(past)
    return {
      plan_id,
      kind: plan.kind,
      state: stateOf(past),
      total: plan.steps.length,
      done: done.size,
      refused: refused.size,
      unconfirmed: unconfirmed.size,
      steps: shown.map((step) => {
        const problem = refused.get(step.id)
        return { ...stepRow(step), done: done.has(step.id), ...(problem === undefined ? {} : { refused: problem }) }
      }),
      warnings: [...plan.warnings, ...past.unreadable],
      blocked: plan.blocked.slice(offset, offset + limit),
      blocked_count: plan.blocked.length,
      estimate: plan.estimate,
      expires_at: moment(plan.expiresAt),
      ...(notice === undefined ? {} : { notice }),
      next: `${notice === undefined ? "" : `${notice} `}${more(offset + shown.length, plan.steps.length, thenBy[stateOf(past)])}`
    }
  }, orRefuse)
})

const stateOf = ({ begun, done, finished, partly, takenBack }: History) => {
  if (takenBack) return "taken back"
  if (finished) return "applied"
  if (partly) return done.size > 0 ? "partly applied" : "refused"
  return begun ? "begun" : "planned"
}

const thenBy: { readonly [state in ReturnType<typeof stateOf>]: string } = {
  planned: "When a person has agreed, ads_apply_plan applies it",
  begun: "ads_apply_plan goes on with it; ads_rollback plans the way back",
  "partly applied": "ads_apply_plan tries again what was refused; ads_rollback plans the way back",
  refused: "ads_apply_plan tries again what was refused",
  applied: "ads_rollback plans the way back",
  "taken back": "Nothing is left to do"
}
