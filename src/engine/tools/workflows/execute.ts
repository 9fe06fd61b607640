import { Effect } from "effect"

import { runs } from "../../../mcp/annotations.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Workflow } from "../../client/models.ts"
import { addressesOf } from "../../workflow/addresses.ts"
import { hasOnlyManualTrigger } from "../../workflow/triggers.ts"
import * as EngineTool from "../EngineTool.ts"
import { object, optional, workflowId } from "../parameters.ts"
import * as Run from "./run.ts"

export const executeWorkflow = EngineTool.make("execute_workflow", {
  title: "Execute workflow",
  description: "Run an active workflow through its webhook, form or chat trigger",
  annotations: runs,
  arguments: { id: workflowId, data: optional(object("Body of a POST, query of a GET")) },
  run: Effect.fnUntraced(function* ({ data = {}, id }) {
    const workflow = yield* EngineClient.use((engine) => engine.getWorkflow(id))
    const [address] = addressesOf(workflow)
    if (address === undefined || !workflow.active) return { guidance: guidance(workflow, address !== undefined) }
    return yield* Run.run(workflow, address, data)
  })
})

/** What to do where no outside call can start the workflow. */
const guidance = ({ active, id, nodes }: Workflow, isCallable: boolean): string => {
  if (isCallable)
    return `Workflow ${id} is not active, so that its trigger does not listen. Call activate_workflow first.`
  if (hasOnlyManualTrigger(nodes)) {
    return (
      "A workflow whose only trigger is a manual trigger cannot be executed through the API. " +
      "Execute it in the engine UI, or add a webhook or schedule trigger."
    )
  }
  return (
    `Workflow ${id} has no webhook, form or chat trigger that could be called from outside. ` +
    (active ? "It runs by its own triggers; see list_executions. " : "Activate it to let its own triggers run it. ") +
    "To run it on demand, execute it in the engine UI or add a webhook trigger."
  )
}

/** The tools that run workflows, in the order in which they are listed. */
export const executeTools = [executeWorkflow]
