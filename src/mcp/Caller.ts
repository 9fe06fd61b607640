import { Context } from "effect"

/** Who makes the call that is under way, with which tool, and for what reason, as far as the caller says. */
export interface Call {
  readonly tool: string | undefined
  /** Name and version by which the client has introduced itself. */
  readonly client: string | undefined
  readonly reason: string | undefined
  /** Tells calls of the same tool apart. */
  readonly id: string | undefined
}

/** The call that is under way; nothing is known of it outside of one. */
export const Caller = Context.Reference<Call>("workflow-tool-server/mcp/Caller", {
  defaultValue: () => ({ tool: undefined, client: undefined, reason: undefined, id: undefined })
})
