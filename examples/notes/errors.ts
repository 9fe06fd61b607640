import { type PlanError, renderPlanError } from "workflow-tool-server/changes"
import { ToolError } from "workflow-tool-server/mcp"

import type { NotesError } from "./Notes.ts"

const kinds: {
  readonly [reason in NotesError["reason"]]: readonly [blame: ToolError["blame"], code: string]
} = {
  NotFound: ["caller", "NOTES_NOT_FOUND"],
  OutcomeUnknown: ["upstream", "NOTES_OUTCOME_UNKNOWN"],
  Refused: ["caller", "NOTES_REFUSED"],
  Unreachable: ["upstream", "NOTES_UNREACHABLE"],
  Unreadable: ["upstream", "NOTES_UNREADABLE"]
}

/** The one place where an error of this toolset becomes a tool's error. */
export const refusal = (error: NotesError | PlanError): ToolError => {
  if (error._tag !== "NotesError") return renderPlanError(error)
  const [blame, code] = kinds[error.reason]
  return new ToolError({ blame, code, message: error.message, details: {} })
}
