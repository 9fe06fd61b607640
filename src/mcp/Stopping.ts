import { Context, Deferred } from "effect"

/**
 * Ends when the server is told to stop. Calls then have a few seconds: one that would take longer, and leaves nothing half
 * done, should end itself.
 */
export const Stopping = Context.Reference<Deferred.Deferred<void>>("workflow-tool-server/mcp/Stopping", {
  defaultValue: () => Deferred.makeUnsafe<void>()
})
