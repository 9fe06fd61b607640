import { Effect } from "effect"

import { EngineClient } from "../../engine/EngineClient.ts"
import type { Changes } from "../../engine/rules/body.ts"
import { hasValidTrigger, noValidTrigger } from "../../engine/rules/triggers.ts"
import { validate } from "../../engine/rules/validate.ts"
import type { Workflow } from "../../engine/Workflow.ts"
import { changes } from "../annotations.ts"
import * as EngineTool from "../EngineTool.ts"
import { large, readElsewhere } from "../meta.ts"
import { asInCreate, flag, optional, workflowId, workflowName } from "../parameters.ts"
import * as results from "../results.ts"
import { leftOut, shownWith } from "../shown.ts"
import { InvalidArgument } from "../ToolError.ts"
import { whileDone } from "./steps.ts"
import { notStarted, switchOn } from "./switchOn.ts"
import { write } from "./write.ts"

export const updateWorkflow = EngineTool.make("update_workflow", {
  title: "Update workflow",
  description:
    "Change the given fields of a workflow, keep all others. Given nodes or connections replace all old ones",
  annotations: changes,
  arguments: {
    id: workflowId,
    name: optional(workflowName),
    nodes: optional(asInCreate.nodes),
    connections: optional(asInCreate.connections),
    settings: optional(asInCreate.settings),
    active: optional(flag("Activate or deactivate it"))
  },
  result: results.workflow,
  narrow: readElsewhere,
  meta: large,
  run: Effect.fnUntraced(function* ({ active, id, ...given }) {
    if (active === undefined && Object.keys(given).length === 0) {
      return yield* new InvalidArgument({ argument: "arguments", problem: "must hold at least one field to change" })
    }
    const engine = yield* EngineClient
    const current = yield* engine.getWorkflow(id)
    const wanted = yield* check(current, given, active ?? current.active)

    const stops = current.active && active === false
    const starts = !current.active && active === true
    const isChanged = Object.keys(wanted).length > 0

    if (stops) yield* engine.deactivateWorkflow(id)
    const writing = isChanged ? write(current, wanted, stops) : Effect.succeed([])
    const dropped = yield* stops ? whileDone(writing, { id, done: "deactivated", step: "changing it" }) : writing
    const activation = starts ? switchOn(id) : Effect.void
    yield* isChanged ? whileDone(activation, { id, done: "changed", step: "its activation" }) : activation

    const reading = engine.getWorkflow(id)
    const done = isChanged ? "changed" : starts ? "activated" : "deactivated"
    const latest = yield* isChanged || starts || stops
      ? whileDone(reading, { id, done, step: "reading it back" })
      : reading
    return shownWith(latest, [...notStarted(latest), ...leftOut(dropped)])
  })
})

type Given = Omit<Changes, "connections" | "staticData"> & { readonly connections?: unknown }

/** The changes, once the workflow that they would make is one that may exist. What is not given is not judged. */
const check = Effect.fnUntraced(function* (current: Workflow, given: Given, active: boolean) {
  const { connections: _, ...plain } = given
  if (given.nodes === undefined && given.connections === undefined) {
    if (active && !current.active && !hasValidTrigger(current.nodes)) return yield* noValidTrigger()
    return plain
  }
  const { nodes = current.nodes, connections: links = current.connections } = given
  const connections = yield* Effect.fromResult(validate({ nodes, connections: links, active }))
  return given.connections === undefined ? plain : { ...plain, connections }
})
