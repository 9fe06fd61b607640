import { Effect } from "effect"

import { changes, switchesOn } from "../../../mcp/annotations.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { generationOf, type Workflow, type WorkflowId } from "../../workflow/models.ts"
import { addScheduleTrigger, hasValidTrigger, isEnabled, isPassive, noValidTrigger } from "../../workflow/triggers.ts"
import * as EngineTool from "../EngineTool.ts"
import { flag, ifVersion, optional, workflowId } from "../parameters.ts"
import * as results from "../results.ts"
import { addressNotices, takenOver } from "./addressing.ts"
import { exclusively, readUnchanged, whileDone } from "./guards.ts"
import { shorten, shownState, showWorkflow } from "./showWorkflow.ts"
import { notStarted, switchOn } from "./switchOn.ts"
import { write } from "./writes.ts"

export const activateWorkflow = EngineTool.make("activate_workflow", {
  title: "Activate workflow",
  description: "Activate a workflow; it needs a schedule, webhook or service trigger",
  annotations: switchesOn,
  arguments: {
    id: workflowId,
    addTrigger: optional(flag("Add a daily schedule if there is none")),
    ifVersion
  },
  result: results.writtenWorkflow,
  narrow: results.readElsewhere,
  shorten: shorten("activated"),
  run: ({ addTrigger = false, id, ifVersion }) => activate(id, addTrigger, ifVersion).pipe(exclusively(id))
})

const activate = Effect.fnUntraced(function* (id: WorkflowId, addTrigger: boolean, ifVersion: string | undefined) {
  const workflow = yield* readUnchanged(id, ifVersion)
  if (hasValidTrigger(workflow.nodes) || isRunByOthers(workflow)) {
    const active = yield* switchOn(id)
    const taken = yield* takenOver(active)
    return yield* showWorkflow(active, [...notStarted(active), ...taken, ...addressNotices(active.nodes, [], active)])
  }
  if (!addTrigger) return yield* noValidTrigger()

  yield* EngineClient.use(({ requireRights }) => requireRights(["PUT /workflows/{}", "POST /workflows/{}/activate"]))
  const { added, connections, nodes } = addScheduleTrigger(workflow)
  const { notices } = yield* write(workflow, { nodes, connections }, false)
  const active = yield* whileDone(switchOn(id), {
    id,
    done: `given the node '${added}'`,
    step: "its activation"
  })
  const notice = `Added the node '${added}': it runs the workflow once a day until you change it.`
  return yield* showWorkflow(active, [notice, ...notStarted(active), ...notices])
})

/** Engines that publish workflows run no other one than a published one, whatever starts it. */
const isRunByOthers = (workflow: Workflow): boolean =>
  generationOf(workflow) === "2.x" && workflow.nodes.some((node) => isEnabled(node) && isPassive(node))

export const deactivateWorkflow = EngineTool.make("deactivate_workflow", {
  title: "Deactivate workflow",
  description: "Deactivate a workflow",
  annotations: changes,
  arguments: { id: workflowId },
  result: results.workflowState,
  run: ({ id }) =>
    EngineClient.use((engine) => engine.deactivateWorkflow(id)).pipe(
      Effect.flatMap((workflow) => shownState(workflow)),
      exclusively(id)
    )
})
