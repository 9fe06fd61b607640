import { Effect } from "effect"

import { changes } from "../../../mcp/annotations.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import * as EngineTool from "../EngineTool.ts"
import { workflowId } from "../parameters.ts"
import * as results from "../results.ts"
import { exclusively } from "./exclusively.ts"
import { shownState } from "./shown.ts"

export const deactivateWorkflow = EngineTool.make("deactivate_workflow", {
  title: "Deactivate workflow",
  description: "Stop the automatic execution of a workflow; answers its state, without nodes",
  annotations: changes,
  arguments: { id: workflowId },
  result: results.workflowState,
  run: ({ id }) =>
    EngineClient.use((engine) => engine.deactivateWorkflow(id)).pipe(
      Effect.flatMap((workflow) => shownState(workflow)),
      exclusively(id)
    )
})
