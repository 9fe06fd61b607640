import { InvalidArgument, ToolError } from "../../../mcp/ToolError.ts"
import type { HistoryError, UnknownVersion } from "../../client/History.ts"

/** The history cannot be read, and what to do about it is in its words; or it has no such version. */
export const unreadable = (error: HistoryError | UnknownVersion): InvalidArgument | ToolError =>
  error._tag === "UnknownVersion"
    ? new InvalidArgument({
        argument: "version",
        problem: `${error.version} is not in this history: workflow_history lists the versions of a workflow, git log those of all`
      })
    : new ToolError({
        blame: "upstream",
        code: "HISTORY_ERROR",
        message: `The history cannot be read: ${error.message}`,
        details: {}
      })

const noHistory = (more: string) =>
  new ToolError({
    blame: "upstream",
    code: "CONFIGURATION_ERROR",
    message: `No history is kept: name a folder for it as \`history\` in the configuration, or start with --history DIR.${more}`,
    details: {}
  })

/** There is no history; and what to do about that. */
export const notKept = noHistory("")

/** The same, where a run shows what ran. */
export const notKeptBut = (run: string, instance: string) =>
  noHistory(
    ` Runs show the workflow as it ran: restore_workflow takes one as version, the last on instance ${instance} is ${run}; ` +
      "list_executions has more."
  )
