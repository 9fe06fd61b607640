import { Effect } from "effect"

import { gatheringSeconds } from "../../mcp/callTime.ts"
import { limitOf } from "../client/keyRules.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import type { OperationName } from "../client/operations.ts"
import { callsWithin } from "../plan/estimate.ts"
import { TooManyCalls } from "./TooLong.ts"

/** Refuses, before the first call is spent, what the limits of the key cannot let through while the caller waits. */
export const mustFit = (operation: OperationName, calls: number, fitting: (most: number) => string) =>
  Effect.flatMap(MarketplaceConfig, (settings) => {
    const most = callsWithin(gatheringSeconds, limitOf(settings, operation))
    return calls <= most
      ? Effect.void
      : Effect.fail(new TooManyCalls({ calls, most, seconds: gatheringSeconds, fits: fitting(most) }))
  })
