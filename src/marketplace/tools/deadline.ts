import { Effect } from "effect"

import { callSeconds, gatheringSeconds } from "../../mcp/callTime.ts"
import type { Tool } from "../../mcp/Tool.ts"
import { limitOf } from "../client/keyRules.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import type { OperationName } from "../client/operations.ts"
import { callsWithin } from "../plan/batches.ts"
import { refusal, TooLong, TooManyCalls } from "./errors.ts"

/* No caller waits longer than clients do: what cannot be done by then is refused at once, or given up. */

/** Refuses, before the first call, a request that the limits of the key do not allow while the caller waits. */
export const mustFit = (operation: OperationName, calls: number, fitting: (most: number) => string) =>
  Effect.flatMap(MarketplaceConfig, (settings) => {
    const most = callsWithin(gatheringSeconds, limitOf(settings, operation))
    return calls <= most
      ? Effect.void
      : Effect.fail(new TooManyCalls({ calls, most, seconds: gatheringSeconds, fits: fitting(most) }))
  })

/** The same tool, which gives up if the marketplace's limits delay its answer for too long; not for writes. */
export const withDeadline = <R>(tool: Tool<R>): Tool<R> => ({
  ...tool,
  call: (input) =>
    Effect.timeoutOrElse(tool.call(input), {
      duration: `${callSeconds} seconds`,
      orElse: () => Effect.fail(refusal(new TooLong({ seconds: callSeconds })))
    })
})
