import { Effect } from "effect"

import * as PlanSource from "../../../changes/tools/PlanSource.ts"
import { Plans } from "../../apply/Plans.ts"
import { refusal } from "../errors.ts"

/** The plans of campaigns, for the tools that show, apply and roll back plans of any upstream. */
export const adsPlans = Effect.map(Plans, (plans) => PlanSource.make(plans, refusal))
