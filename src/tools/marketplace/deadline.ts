import { Effect } from "effect"

import type { Tool } from "../Tool.ts"
import { refusal } from "./errors.ts"
import { TooLong } from "./TooLong.ts"

/** Longer than this the callers of tools do not wait, and a tool of the engine takes no longer either. */
const seconds = 55

/** The same tool, which gives up where the marketplace's limits keep its answer back for too long; not for writes. */
export const withDeadline = <R>(tool: Tool<R>): Tool<R> => ({
  ...tool,
  call: (input) =>
    Effect.timeoutOrElse(tool.call(input), {
      duration: `${seconds} seconds`,
      orElse: () => Effect.fail(refusal(new TooLong({ seconds })))
    })
})
