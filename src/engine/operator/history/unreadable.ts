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
