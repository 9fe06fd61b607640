import { Context } from "effect"

/** Who makes the current call, with which tool, and for what reason, as far as the caller says. */
export interface Call {
  readonly tool: string | undefined
  /** Name and version that the client has stated. */
  readonly client: string | undefined
  readonly reason: string | undefined
  /** Distinguishes calls of the same tool. */
  readonly id: string | undefined
}

/** The current call; outside of calls, nothing is known. */
export const Caller = Context.Reference<Call>("workflow-tool-server/mcp/Caller", {
  defaultValue: () => ({ tool: undefined, client: undefined, reason: undefined, id: undefined })
})
