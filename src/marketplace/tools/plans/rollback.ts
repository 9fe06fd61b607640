import { Effect } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { Plans } from "../../apply/Plans.ts"
import { orRefuse } from "../errors.ts"
import { planId } from "../parameters.ts"
import { summary } from "./keep.ts"
import * as results from "./results.ts"

export const rollback = Tool.make("ads_rollback", {
  title: "Plan the way back",
  description:
    "Plan the way back from an applied or broken-off plan: it restores what was there before. Changes nothing until applied",
  annotations: reads,
  arguments: { plan_id: planId },
  result: results.wayBack,
  run: Effect.fn("ads_rollback")(function* ({ plan_id }) {
    const plan = yield* Plans.use((plans) => plans.rollback(plan_id))
    return { reverses: plan_id, ...(yield* summary(plan)) }
  }, orRefuse)
})
