import { Context } from "effect"

/** Seconds that callers wait for the answer of a tool; most give up after a minute. */
export const callSeconds = 55

/** Within this an answer is gathered; a few seconds are left for what comes after. */
export const gatheringSeconds = callSeconds - 5

/** When the call came in, in `monotonicMillis`; nothing for one that did not wait for its turn. */
export const Arrival = Context.Reference<number | undefined>("workflow-tool-server/mcp/Arrival", {
  defaultValue: () => undefined
})
