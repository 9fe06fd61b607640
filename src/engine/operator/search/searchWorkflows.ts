import { Effect } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { optional, text } from "../../tools/parameters.ts"
import * as AcrossTool from "../AcrossTool.ts"

export const searchWorkflows = AcrossTool.make("search_workflows", {
  title: "Search workflows",
  description: "Find workflows on one or several instances",
  annotations: reads,
  arguments: { text: optional(text("Part of the name")) },
  run: Effect.fnUntraced(function* ({ text = "" }, engines) {
    const found = yield* Effect.forEach(
      engines,
      (engine) =>
        Effect.map(engine.listWorkflows({ limit: 250 }), ({ data }) =>
          data
            .filter(({ name }) => String(name).toLowerCase().includes(text.toLowerCase()))
            .map(({ active, id, name }) => ({ instance: engine.instance, id, name, active }))
        ),
      { concurrency: "unbounded" }
    )
    return { data: found.flat() }
  })
})

export const searchTools = [searchWorkflows]
