import { Effect } from "effect"

import { EngineClient } from "../../engine/EngineClient.ts"
import { changes } from "../annotations.ts"
import * as EngineTool from "../EngineTool.ts"
import { workflowId } from "../parameters.ts"
import * as results from "../results.ts"
import { shown } from "../shown.ts"

export const deactivateWorkflow = EngineTool.make("deactivate_workflow", {
  title: "Deactivate workflow",
  description: "Stop the automatic execution of a workflow",
  annotations: changes,
  arguments: { id: workflowId },
  result: results.workflow,
  run: ({ id }) => EngineClient.use((engine) => engine.deactivateWorkflow(id)).pipe(Effect.map(shown))
})
