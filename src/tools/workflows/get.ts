import { Effect } from "effect"

import { EngineClient } from "../../engine/EngineClient.ts"
import { reads } from "../annotations.ts"
import * as EngineTool from "../EngineTool.ts"
import { large, readElsewhere } from "../meta.ts"
import { workflowId } from "../parameters.ts"
import * as results from "../results.ts"
import { shown } from "./shown.ts"

export const getWorkflow = EngineTool.make("get_workflow", {
  title: "Get workflow",
  description: "Read one workflow whole: nodes, connections, settings, tags, and its `version` for ifVersion",
  annotations: reads,
  arguments: { id: workflowId },
  result: results.workflow,
  narrow: readElsewhere,
  meta: large,
  run: ({ id }) =>
    EngineClient.use((engine) => engine.getWorkflow(id)).pipe(Effect.flatMap((workflow) => shown(workflow)))
})
