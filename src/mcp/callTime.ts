import { Context } from "effect"

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
