import { Effect } from "effect"

import { Plans } from "../../marketplace/plan/Plans.ts"
import { reads } from "../annotations.ts"
import * as Tool from "../Tool.ts"
import { summary } from "./gather.ts"
import { limit, offset, planId } from "./parameters.ts"
import { orRefuse } from "./refusal.ts"
import * as results from "./results.ts"
import { moment, more, stepRow } from "./shown.ts"

export const showPlan = Tool.make("ads_show_plan", {
  title: "Show plan",
  description: "Show the steps of a plan with before, after and reason, what is blocked, and how far it has come",
  annotations: reads,
  arguments: { plan_id: planId, limit: limit(50), offset },
  result: results.shownPlan,
  run: Effect.fn("ads_show_plan")(function* ({ limit, offset, plan_id }) {
    const { done, finished, plan, takenBack, unconfirmed } = yield* Plans.use((plans) => plans.history(plan_id))
    const shown = plan.steps.slice(offset, offset + limit)
    return {
      plan_id,
      kind: plan.kind,
      state: takenBack ? "taken back" : finished ? "applied" : done.size > 0 ? "begun" : "planned",
      total: plan.steps.length,
      done: done.size,
      unconfirmed: unconfirmed.size,
      steps: shown.map((step) => ({ ...stepRow(step), done: done.has(step.id) })),
      warnings: plan.warnings,
      blocked: plan.blocked.slice(offset, offset + limit),
      blocked_count: plan.blocked.length,
      estimate: plan.estimate,
      expires_at: moment(plan.expiresAt),
      ...more(offset + shown.length, plan.steps.length)
    }
  }, orRefuse)
})

export const rollback = Tool.make("ads_rollback", {
  title: "Plan the way back",
  description:
    "Plan the way back from an applied or broken-off plan: it restores what was there before. Changes nothing until applied",
  annotations: reads,
  arguments: { plan_id: planId },
  result: results.plan,
  run: Effect.fn("ads_rollback")(function* ({ plan_id }) {
    const plan = yield* Plans.use((plans) => plans.rollback(plan_id))
    return { reverses: plan_id, ...(yield* summary(plan)) }
  }, orRefuse)
})
