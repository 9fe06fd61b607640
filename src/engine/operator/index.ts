/** The toolset `operator`: everyday work on workflows in few and small calls, and plans that change many of them. */
export { OperatorToolset } from "./toolset.ts"
export { withPlans, workflowPlans } from "./plans/toolset.ts"
export { PlanConfig, WorkflowJournal, WorkflowPlans } from "../changes/Plans.ts"
export { PlanFields, PromotionFields } from "../changes/settings.ts"
