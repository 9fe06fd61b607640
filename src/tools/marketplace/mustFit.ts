import { Effect } from "effect"

import { limitOf } from "../../marketplace/keyRules.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import type { OperationName } from "../../marketplace/operations.ts"
import { callsWithin } from "../../marketplace/plan/estimate.ts"
import { gatheringSeconds } from "../patience.ts"
import { TooManyCalls } from "./TooLong.ts"

/** Refuses, before the first call is spent, what the limits of the key cannot let through while the caller waits. */
export const mustFit = (operation: OperationName, calls: number, fitting: (most: number) => string) =>
  Effect.flatMap(MarketplaceConfig, (settings) => {
    const most = callsWithin(gatheringSeconds, limitOf(settings, operation))
    return calls <= most
      ? Effect.void
      : Effect.fail(new TooManyCalls({ calls, most, seconds: gatheringSeconds, fits: fitting(most) }))
  })
