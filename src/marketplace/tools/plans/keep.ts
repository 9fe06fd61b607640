import { Effect } from "effect"

import { summary } from "../../../changes/tools/summary.ts"
import { Plans } from "../../apply/Plans.ts"
import type { Draft } from "../../plan/Plan.ts"

/** Keeps a draft as a plan and returns its summary. */
export const keep = (draft: Draft) =>
  Plans.use((plans) => Effect.flatMap(plans.keep(draft), (plan) => summary(plans.describing, plan)))

/** The draft with more warnings. */
export const withWarnings = (draft: Draft, warnings: ReadonlyArray<string>): Draft => ({
  ...draft,
  warnings: [...draft.warnings, ...warnings]
})
