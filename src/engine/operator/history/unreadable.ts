import { ToolError } from "../../../mcp/ToolError.ts"
import type { HistoryError } from "../../client/History.ts"

/** The history cannot be read; what to do about it is in its words. */
export const unreadable = ({ message }: HistoryError) =>
  new ToolError({
    blame: "upstream",
    code: "HISTORY_ERROR",
    message: `The history cannot be read: ${message}`,
    details: {}
  })

/** There is no history; and what to do about that. */
export const notKept = new ToolError({
  blame: "upstream",
  code: "CONFIGURATION_ERROR",
  message: "No history is kept: name a folder for it as `history` in the configuration, or start with --history DIR.",
  details: {}
})
