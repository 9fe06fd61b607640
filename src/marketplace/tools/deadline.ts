import { Effect } from "effect"

import { monotonicMillis } from "../../internal/time.ts"
import { callSeconds, gatheringSeconds, GatheringSeconds, Progress } from "../../mcp/callContext.ts"
import type { Tool } from "../../mcp/Tool.ts"
import type { Patience } from "../report/gathering.ts"
import { refusal, TooLong } from "./errors.ts"

/* No caller waits longer than clients do: what cannot be done by then is given up, or goes on with the next call. */

/** Seconds for what comes after gathering. */
const afterwards = callSeconds - gatheringSeconds

/** The moment until which a call may gather, on the clock that nobody sets (`monotonicMillis`). */
export const gatheringUntil = Effect.zipWith(monotonicMillis, GatheringSeconds, (now, seconds) => now + seconds * 1000)

/** The patience of a call that reads statistics, whose progress it tells. */
export const patience = Effect.zipWith(gatheringUntil, Progress, (until, tell): Patience => ({
  until,
  onRead: (progress, total) => tell({ progress, total, message: "statistics read" })
}))

/** The same tool, which gives up if the marketplace's limits delay its answer for too long; not for writes. */
export const withDeadline = <R>(tool: Tool<R>): Tool<R> => ({
  ...tool,
  call: (input) =>
    Effect.flatMap(GatheringSeconds, (gathering) => {
      const seconds = gathering + afterwards
      return Effect.timeoutOrElse(tool.call(input), {
        duration: `${seconds} seconds`,
        orElse: () => Effect.fail(refusal(new TooLong({ seconds })))
      })
    })
})
