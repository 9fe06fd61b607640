/** Guarded changes for any upstream: plans that are applied once, go on after a break, and can be rolled back. */
export type {
  Circumstances,
  Creations,
  Described,
  DescribedAction,
  Describing,
  Driver,
  Failure,
  GuardRules,
  Overview,
  ReadOnly,
  Relations,
  RollbackRules,
  Sending,
  Sent
} from "./Driver.ts"
export type { Judgement, StepRecords, LostCreation, RemoteState, Row, Observation } from "./RemoteState.ts"
export * as Journal from "./Journal.ts"
export type { Report } from "./apply/runPlan.ts"
export { Blocked, type Draft, Estimate, type Plan, planOf, type Step } from "./Plan.ts"
export * from "./PlanError.ts"
export * as Plans from "./Plans.ts"
export * as PlanState from "./PlanState.ts"
export * as PlanSource from "./tools/PlanSource.ts"
export { renderPlanError } from "./tools/renderPlanError.ts"
export { summaryFields } from "./tools/results.ts"
export { summary } from "./tools/summary.ts"
export { ChangesToolset } from "./toolset.ts"
