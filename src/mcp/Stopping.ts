import { Context, Deferred } from "effect"

/**
 * Ends when the server is told to stop. Calls under way have some seconds then: one that would take longer, and can leave
 * nothing behind, ends itself.
 */
export const Stopping = Context.Reference<Deferred.Deferred<void>>("workflow-tool-server/mcp/Stopping", {
  defaultValue: () => Deferred.makeUnsafe<void>()
})
