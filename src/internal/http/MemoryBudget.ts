import { Context, Effect } from "effect"

/**
 * Waits until so many bytes more may be held in memory for the call around it, which gives them back when its answer has
 * been sent. Nothing to wait for where nobody counts.
 */
export const MemoryBudget = Context.Reference<(bytes: number) => Effect.Effect<void>>(
  "workflow-tool-server/http/MemoryBudget",
  {
    defaultValue: () => () => Effect.void
  }
)

/**
 * More bytes of an answer than the call around it can do anything with: such an answer is not read to its end. Unlimited
 * where nobody says.
 */
export const UsefulBytes = Context.Reference<number>("workflow-tool-server/http/UsefulBytes", {
  defaultValue: () => Infinity
})
