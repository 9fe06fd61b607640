import { Effect } from "effect"

import { callSeconds } from "../../mcp/callTime.ts"
import type { Tool } from "../../mcp/Tool.ts"
import { refusal } from "./errors.ts"
import { TooLong } from "./TooLong.ts"

/** The same tool, which gives up where the marketplace's limits keep its answer back for too long; not for writes. */
export const withDeadline = <R>(tool: Tool<R>): Tool<R> => ({
  ...tool,
  call: (input) =>
    Effect.timeoutOrElse(tool.call(input), {
      duration: `${callSeconds} seconds`,
      orElse: () => Effect.fail(refusal(new TooLong({ seconds: callSeconds })))
    })
})
