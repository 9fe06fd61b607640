import { Effect } from "effect"

import { offered } from "../../../mcp/Toolset.ts"
import type { Launch } from "../../configuration/Launch.ts"
import { loadToolsets, sharedWithCopies } from "../../toolsets/loadToolsets.ts"

/** Every tool that can be called, including those of `operator`, which cost tokens only in lists for models. */
export const toolsOf = Effect.fnUntraced(function* (launch: Launch) {
  const toolsets = [...new Set([...launch.toolsets, "operator" as const])]
  const shared = yield* sharedWithCopies(launch)
  const { toolsets: loaded } = yield* Effect.provideContext(
    loadToolsets({ ...launch, toolsets }, { areListsFirst: true }),
    shared
  )
  return (yield* Effect.forEach(loaded, (toolset) => offered(toolset))).flatMap(({ tools }) => tools)
})
