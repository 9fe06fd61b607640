import { detailsOf, ToolError } from "../../mcp/ToolError.ts"
import type { PlanError } from "../PlanError.ts"

const kinds: { readonly [tag in PlanError["_tag"]]: readonly [blame: "caller" | "upstream", code: string] } = {
  ApplyStopped: ["upstream", "APPLY_STOPPED"],
  GuardViolation: ["caller", "GUARD"],
  JournalFailed: ["upstream", "JOURNAL_FAILED"],
  NotAgreed: ["caller", "NOT_AGREED"],
  NothingToRollBack: ["caller", "NOTHING_TO_ROLL_BACK"],
  PlanExpired: ["caller", "PLAN_EXPIRED"],
  PlanNotFound: ["caller", "PLAN_NOT_FOUND"],
  PlanSpent: ["caller", "PLAN_SPENT"]
}

/** An error of the core as a tool's error, its fields as details; for upstreams without words of their own for it. */
export const renderPlanError = (error: PlanError): ToolError => {
  const [blame, code] = kinds[error._tag]
  return new ToolError({
    blame,
    code,
    message: error.message,
    ...("advice" in error ? { advice: error.advice } : {}),
    details: detailsOf(error)
  })
}
