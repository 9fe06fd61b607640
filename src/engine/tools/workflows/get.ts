import { Effect } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { large, readElsewhere } from "../../../mcp/meta.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { namesOf, partOfWorkflow } from "../../workflow/partOfWorkflow.ts"
import * as EngineTool from "../EngineTool.ts"
import { knownNodes } from "../knownNodes.ts"
import { nodeNames, optional, workflowId } from "../parameters.ts"
import * as results from "../results.ts"
import { shown } from "./shown.ts"

export const getWorkflow = EngineTool.make("get_workflow", {
  title: "Get workflow",
  description: "Read one workflow, whole or some nodes: connections, settings, tags, its `version` for ifVersion",
  annotations: reads,
  arguments: { id: workflowId, nodes: optional(nodeNames("Only these, by name")) },
  result: results.workflow,
  narrow: `Give \`nodes\` to read some of them. ${readElsewhere}`,
  meta: large,
  run: Effect.fnUntraced(function* ({ id, nodes }) {
    const workflow = yield* EngineClient.use((engine) => engine.getWorkflow(id))
    const whole = yield* shown(workflow)
    if (nodes === undefined) return whole
    yield* knownNodes(`workflow ${id}`, nodes, namesOf(workflow.nodes))
    return partOfWorkflow({ ...whole, nodes: workflow.nodes }, nodes)
  })
})
