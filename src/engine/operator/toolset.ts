import { Effect } from "effect"

import { AppViews } from "../../mcp/AppViews.ts"
import type { Toolset } from "../../mcp/Toolset.ts"
import { Instances } from "../client/Instances.ts"
import * as EngineTool from "../tools/EngineTool.ts"
import { acrossTools, operatorTools } from "./catalog.ts"
import { viewResource, withView } from "./view/appView.ts"

const instructions =
  "Prefer the tools that say less: search_workflows finds, view_workflow shows a workflow in a few words, edit_workflow " +
  "changes only what is named, explain_execution says why a run failed. Before you write nodes, find_nodes and " +
  "describe_node tell what this engine has and needs; check_workflow finds mistakes before a run."

/** The toolset `operator`: everyday work on workflows in few and small calls, beside the toolset `engine`. */
export const OperatorToolset: Toolset<Instances> = {
  name: "operator",
  instructions,
  tools: [...acrossTools, ...operatorTools],
  narrow: Effect.gen(function* () {
    const instances = yield* Instances
    if (instances.names.length === 0) return { instructions: "", tools: [] }
    const offer = { instructions, tools: [...acrossTools, ...EngineTool.over(operatorTools, instances)] }
    const read = yield* AppViews
    return read === undefined ? offer : { ...offer, tools: withView(offer.tools), resources: viewResource(read) }
  })
}
