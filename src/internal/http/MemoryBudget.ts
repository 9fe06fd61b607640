import { Context, Effect } from "effect"

/** Bytes of messages and answers in flight that all calls together may hold; what is made of them takes some times more. */
export const allCalls = 128 * 1024 * 1024

/** Bytes of them that may be on their way from one upstream: however slow it is, others have as much again. */
export const oneUpstream = allCalls / 2

/** The memory that the call around may hold, which it gives back when its answer has been sent. */
export interface Room {
  /** Waits until there is room for so many bytes. */
  readonly take: (bytes: number) => Effect.Effect<void>
  /** Says how many of these bytes are held to the end of the call; others have the rest of them. */
  readonly settle: (bytes: number) => void
}

/** Nothing to wait for where nobody counts. */
export const MemoryBudget = Context.Reference<Room>("workflow-tool-server/http/MemoryBudget", {
  defaultValue: () => ({ take: () => Effect.void, settle: () => {} })
})

/**
 * More bytes of an answer than the call around it can do anything with: such an answer is not read to its end. Unlimited
 * where nobody says.
 */
export const UsefulBytes = Context.Reference<number>("workflow-tool-server/http/UsefulBytes", {
  defaultValue: () => Infinity
})
