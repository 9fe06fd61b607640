import { Effect } from "effect"

import { changes } from "../../../mcp/annotations.ts"
import { large, readElsewhere } from "../../../mcp/meta.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { Changes } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { WorkflowId } from "../../client/ids.ts"
import type { Workflow } from "../../client/Workflow.ts"
import { hasValidTrigger, noValidTrigger } from "../../workflow/triggers.ts"
import { validate } from "../../workflow/validate.ts"
import * as EngineTool from "../EngineTool.ts"
import { asInCreate, flag, ifVersion, optional, workflowId, workflowName } from "../parameters.ts"
import * as results from "../results.ts"
import { exclusively, readUnchanged } from "./exclusively.ts"
import { shorten, shown } from "./shown.ts"
import { whileDone } from "./steps.ts"
import { notStarted, switchOn } from "./switchOn.ts"
import { changedSince, write } from "./write.ts"

export const updateWorkflow = EngineTool.make("update_workflow", {
  title: "Update workflow",
  description:
    "Change the given fields of a workflow, keep all others. Given nodes or connections replace all old ones. Give " +
    "ifVersion, so that nobody else's change is overwritten",
  annotations: changes,
  arguments: {
    id: workflowId,
    name: optional(workflowName),
    nodes: optional(asInCreate.nodes),
    connections: optional(asInCreate.connections),
    settings: optional(asInCreate.settings),
    active: optional(flag("Activate or deactivate it")),
    ifVersion
  },
  result: results.writtenWorkflow,
  narrow: readElsewhere,
  shorten: shorten("updated"),
  meta: large,
  run: Effect.fnUntraced(function* ({ id, ifVersion, ...given }) {
    if (Object.keys(given).length === 0) {
      return yield* new InvalidArgument({ argument: "arguments", problem: "must hold at least one field to change" })
    }
    return yield* update(id, ifVersion, given).pipe(exclusively(id))
  })
})

const update = Effect.fnUntraced(function* (
  id: WorkflowId,
  ifVersion: string | undefined,
  { active, ...given }: Given & { readonly active?: boolean }
) {
  const engine = yield* EngineClient
  const current = yield* readUnchanged(id, ifVersion)
  const wanted = yield* check(current, given, active ?? current.active)

  const stops = current.active && active === false
  const starts = !current.active && active === true
  const isChanged = Object.keys(wanted).length > 0

  if (stops) yield* engine.deactivateWorkflow(id)
  const writing = isChanged ? write(current, wanted, stops) : Effect.succeed({ written: current, notices: [] })
  const { notices, written } = yield* stops
    ? whileDone(writing, { id, done: "deactivated", step: "changing it" })
    : writing
  const activation = starts ? switchOn(id) : Effect.void
  yield* isChanged ? whileDone(activation, { id, done: "changed", step: "its activation" }) : activation

  const reading = engine.getWorkflow(id)
  const done = isChanged ? "changed" : starts ? "activated" : "deactivated"
  const latest = yield* isChanged || starts || stops
    ? whileDone(reading, { id, done, step: "reading it back" })
    : reading
  const later = yield* changedSince({ ...written, active: active ?? current.active }, latest)
  return yield* shown(latest, [...notStarted(latest), ...later, ...notices])
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
