/** The toolset `operator`: everyday work on workflows in few and small calls, and plans that change many of them. */
export { OperatorToolset } from "../operator/toolset.ts"
export { withPlans, workflowPlans } from "./toolset.ts"
export { PlanConfig, WorkflowJournal, WorkflowPlans } from "./Plans.ts"
export { PlanFields, PromotionFields } from "./settings.ts"
