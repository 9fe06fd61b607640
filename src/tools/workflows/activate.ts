import { Effect } from "effect"

import { EngineClient } from "../../engine/EngineClient.ts"
import { addScheduleTrigger } from "../../engine/rules/scheduleTrigger.ts"
import { hasValidTrigger, noValidTrigger } from "../../engine/rules/triggers.ts"
import { switchesOn } from "../annotations.ts"
import * as EngineTool from "../EngineTool.ts"
import { flag, optional, workflowId } from "../parameters.ts"
import * as results from "../results.ts"
import { leftOut, shownWith } from "../shown.ts"
import { whileDone } from "./steps.ts"
import { notStarted, switchOn } from "./switchOn.ts"
import { write } from "./write.ts"

export const activateWorkflow = EngineTool.make("activate_workflow", {
  title: "Activate workflow",
  description: "Let a workflow run by itself; it needs a schedule, webhook or service trigger",
  annotations: switchesOn,
  arguments: {
    id: workflowId,
    addTrigger: optional(flag("Add a daily Schedule Trigger if there is none"))
  },
  result: results.workflow,
  run: Effect.fnUntraced(function* ({ addTrigger = false, id }) {
    const engine = yield* EngineClient
    const workflow = yield* engine.getWorkflow(id)
    if (hasValidTrigger(workflow.nodes)) {
      const active = yield* switchOn(id)
      return shownWith(active, notStarted(active))
    }
    if (!addTrigger) return yield* noValidTrigger()

    const { added, connections, nodes } = addScheduleTrigger(workflow)
    const dropped = yield* write(workflow, { nodes, connections }, false)
    const active = yield* whileDone(switchOn(id), {
      id,
      done: `given the node '${added}'`,
      step: "its activation"
    })
    const notice = `Added the node '${added}': it runs the workflow once a day until you change it.`
    return shownWith(active, [notice, ...notStarted(active), ...leftOut(dropped)])
  })
})
