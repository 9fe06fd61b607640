import { Context, Effect, Deferred } from "effect"

/** Seconds that callers wait for a tool; most give up after a minute. */
export const callSeconds = 55

/** The time for gathering an answer; a few seconds are left for what comes after. */
export const gatheringSeconds = callSeconds - 5

/** The time for gathering what a rate limit allows only slowly: a person at a command line waits longer than a client. */
export const GatheringSeconds = Context.Reference<number>("workflow-tool-server/mcp/GatheringSeconds", {
  defaultValue: () => gatheringSeconds
})

/** When the call came in, in `monotonicMillis`; undefined if it did not wait for its turn. */
export const Arrival = Context.Reference<number | undefined>("workflow-tool-server/mcp/Arrival", {
  defaultValue: () => undefined
})

/** Reports a tool's progress to the caller; does nothing if the caller did not request it. */
export const Progress = Context.Reference<
  (step: { readonly progress: number; readonly total?: number; readonly message?: string }) => Effect.Effect<void>
>("workflow-tool-server/tools/Progress", { defaultValue: () => () => Effect.void })

/**
 * Ends when the server is told to stop. Calls then have a few seconds: one that would take longer, and leaves nothing half
 * done, should end itself.
 */
export const Stopping = Context.Reference<Deferred.Deferred<void>>("workflow-tool-server/mcp/Stopping", {
  defaultValue: () => Deferred.makeUnsafe<void>()
})
