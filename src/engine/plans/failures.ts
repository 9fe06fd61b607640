import type { Failure } from "../../changes/Driver.ts"
import type { JournalFailed, PlanError } from "../../changes/PlanError.ts"
import { renderPlanError } from "../../changes/tools/renderPlanError.ts"
import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { factsOf, type ToolError, type ToolFailure } from "../../mcp/ToolError.ts"
import type { EngineError } from "../client/EngineError.ts"
import { isDoubtful } from "../client/verdict.ts"
import { type Failure as CallFailure, toToolError, toToolFailure } from "../tools/errors.ts"

/** The errors of calls that make changes. */
export type ChangeError = ConfigurationError | EngineError

/** The consequence of an error of an engine, while a plan is applied or read. */
export const explain = (error: ChangeError): Failure => {
  const problem = factsOf(error)
  const reason = error._tag
  const stopped =
    "instance" in error && !problem.includes(error.instance) ? `Instance ${error.instance}: ${problem}` : problem
  switch (error._tag) {
    case "ApiError":
      if (isDoubtful(error.httpStatus, error.apiResponse)) {
        return { _tag: "Stopped", reason, problem: stopped, isUnsent: true }
      }
      return error.httpStatus >= 500
        ? { _tag: "Stopped", reason, problem: stopped, isUnsent: false }
        : { _tag: "Refused", problem, isWhole: false }
    case "InvalidWorkflow": {
      const { details } = error
      return { _tag: "Refused", problem: [problem, ...Object.values(details ?? {})].join(": "), isWhole: false }
    }
    case "ForeignAnswer":
      return { _tag: "Stopped", reason, problem: stopped, isUnsent: true }
    case "FrozenNodes":
    case "PermissionDenied":
    case "WorkflowChanged":
      return { _tag: "Refused", problem, isWhole: false }
    case "OutcomeUnknown":
    case "StepFailed":
      return { _tag: "OutcomeUnknown", reason, problem }
    case "Timeout":
      return error.outcomeUnknownOf === undefined
        ? { _tag: "Stopped", reason, problem: stopped, isUnsent: true }
        : { _tag: "OutcomeUnknown", reason, problem }
    default:
      return { _tag: "Stopped", reason, problem, isUnsent: true }
  }
}

/** An error of planning as a tool's failure. */
export const toPlanningFailure = (error: CallFailure | JournalFailed): ToolFailure =>
  error._tag === "JournalFailed" ? renderPlanError(error) : toToolFailure(error)

/** An error of plans of workflows as a tool's error. */
export const toPlanFailure = (error: ChangeError | PlanError): ToolError => {
  switch (error._tag) {
    case "ApplyStopped":
    case "GuardViolation":
    case "JournalFailed":
    case "NotAgreed":
    case "NothingToRollBack":
    case "PlanExpired":
    case "PlanNotFound":
    case "PlanSpent":
      return renderPlanError(error)
    default:
      return toToolError(error)
  }
}
