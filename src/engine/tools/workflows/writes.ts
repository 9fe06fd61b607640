import { Effect, Schema } from "effect"

import { creates, changes } from "../../../mcp/annotations.ts"
import { Progress } from "../../../mcp/callContext.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { Changes } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { ApiError } from "../../client/EngineError.ts"
import type { WorkflowId, Workflow } from "../../workflow/models.ts"
import { engineName } from "../../workflow/naming.ts"
import { hasValidTrigger, noValidTrigger } from "../../workflow/triggers.ts"
import { validate } from "../../workflow/validate.ts"
import { isPartVersion, isSameContent } from "../../workflow/versions.ts"
import { areCut } from "../../workflow/views.ts"
import * as EngineTool from "../EngineTool.ts"
import {
  connections,
  flag,
  nodes,
  object,
  optional,
  settings,
  workflowName,
  asInCreate,
  ifVersion,
  workflowId
} from "../parameters.ts"
import { refuseMasked, withSecrets } from "../refuseMasked.ts"
import * as results from "../results.ts"
import { addressNotices } from "./addressing.ts"
import { isConcurrentWrite, overwritten } from "./concurrentWrites.ts"
import { checkBeside } from "./findings.ts"
import { exclusively, readUnchanged, failIfChanged, whileDone, stepFailed, namingCollisions } from "./guards.ts"
import { leftOut, shorten, showWorkflow } from "./showWorkflow.ts"
import { notStarted, switchOn } from "./switchOn.ts"
import { tagIds } from "./tagIds.ts"
import { takenOver } from "./takenOver.ts"

export const createWorkflow = EngineTool.make("create_workflow", {
  title: "Create workflow",
  description: `Create an ${engineName} workflow; checked before it is sent`,
  annotations: creates,
  arguments: {
    name: workflowName,
    nodes,
    connections: optional(connections),
    settings: optional(settings),
    staticData: optional(object("Static data")),
    tags: optional(Schema.Array(Schema.String).annotate({ description: "Tag ids or names" })),
    active: optional(flag("Activate it at once"))
  },
  result: results.writtenWorkflow,
  narrow: results.readElsewhere,
  shorten: shorten("created"),
  run: Effect.fnUntraced(function* ({ active = false, tags: given = [], ...draft }) {
    yield* refuseMasked(draft)
    const connections = yield* Effect.fromResult(validate({ ...draft, active }))
    const engine = yield* EngineClient
    const tags = yield* tagIds(given)
    const report = yield* Progress
    const total = 1 + Number(tags.length > 0) + Number(active)

    const warnings = yield* checkBeside({ nodes: draft.nodes, connections })
    const settings = { executionOrder: "v1", ...draft.settings }
    const { dropped, workflow } = yield* engine.createWorkflow({ ...draft, connections, settings })
    const { id } = workflow
    const notices = [...addressNotices(draft.nodes, [], workflow), ...leftOut(dropped)]
    if (total === 1) return yield* showWorkflow(workflow, notices, yield* warnings)
    yield* report({ progress: 1, total, message: `created ${id}` })

    if (tags.length > 0) {
      yield* whileDone(engine.setWorkflowTags(id, tags), { id, done: "created", step: "setting its tags" })
      yield* report({ progress: 2, total, message: "tags set" })
    }
    if (active) {
      yield* whileDone(switchOn(id).pipe(exclusively(id)), { id, done: "created", step: "its activation" })
      yield* report({ progress: total, total, message: "activated" })
    }
    const latest = yield* whileDone(engine.getWorkflow(id), { id, done: "created", step: "reading it back" })
    const taken = active ? yield* takenOver(latest) : []
    return yield* showWorkflow(latest, [...notStarted(latest), ...taken, ...notices], yield* warnings)
  })
})

export const updateWorkflow = EngineTool.make("update_workflow", {
  title: "Update workflow",
  description:
    "Change the given fields of a workflow, keep the others; nodes and connections are replaced whole. Give ifVersion",
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
  narrow: results.readElsewhere,
  shorten: shorten("updated"),
  run: Effect.fnUntraced(function* ({ id, ifVersion, ...given }) {
    if (Object.keys(given).length === 0) {
      return yield* new InvalidArgument({ argument: "arguments", problem: "must hold at least one field to change" })
    }
    if (given.nodes !== undefined && ifVersion !== undefined && isPartVersion(ifVersion))
      return yield* onlyPart("nodes")
    return yield* update(id, ifVersion, given).pipe(exclusively(id))
  })
})

/** Whoever was shown some nodes cannot know all of them: what was left out would be removed. */
const onlyPart = (argument: "connections" | "nodes") =>
  new InvalidArgument({
    argument,
    problem:
      `would remove ${argument} that were never shown, as ifVersion is the version of an answer with only some of them. Read the ` +
      `whole workflow with get_workflow, and give all ${argument} with the version of that answer`
  })

const update = Effect.fnUntraced(function* (
  id: WorkflowId,
  ifVersion: string | undefined,
  { active, ...given }: Given & { readonly active?: boolean }
) {
  const engine = yield* EngineClient
  const current = yield* readUnchanged(id, ifVersion)
  const isPart = ifVersion !== undefined && isPartVersion(ifVersion)
  if (isPart && given.connections !== undefined && areCut(current.connections)) return yield* onlyPart("connections")
  const whole = ifVersion === undefined ? given : withSecrets(given, current)
  const wanted = yield* check(current, whole, active ?? current.active)

  const stops = current.active && active === false
  const starts = !current.active && active === true
  const isChanged = Object.keys(wanted).length > 0
  const graph = graphIn(wanted)
  const isOther = Object.keys(graph).length > 0
  const warnings = isOther ? yield* checkBeside({ ...current, ...graph }, current) : Effect.succeed([])

  if (stops && isChanged) yield* engine.mayUpdate(current, wanted)
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
  const taken = yield* takenOver(latest, starts ? [] : current.nodes)
  return yield* showWorkflow(latest, [...notStarted(latest), ...taken, ...later, ...notices], yield* warnings)
})

/** The nodes and connections that are given. */
const graphIn = ({ connections, nodes }: Pick<Changes, "connections" | "nodes">) => ({
  ...(nodes === undefined ? {} : { nodes }),
  ...(connections === undefined ? {} : { connections })
})

type Given = Omit<Changes, "connections" | "staticData"> & { readonly connections?: unknown }

/** The changes, once the workflow that they would make is one that may exist. What is not given is not judged. */
const check = Effect.fnUntraced(function* (current: Workflow, given: Given, active: boolean) {
  yield* refuseMasked(given, current)
  const { connections: _, ...plain } = given
  if (given.nodes === undefined && given.connections === undefined) {
    if (active && !current.active && !hasValidTrigger(current.nodes)) return yield* noValidTrigger()
    return plain
  }
  const { nodes = current.nodes, connections: links = current.connections } = given
  const connections = yield* Effect.fromResult(
    validate({ nodes, connections: links, active, isActive: current.active })
  )
  return given.connections === undefined ? plain : { ...plain, connections }
})

/**
 * Puts the changes over the workflow, unless somebody else changed it since `current` was read; that it was
 * deactivated since is then our own doing. Answers the workflow as it was written, and what the caller should know of it.
 */
export const write = Effect.fnUntraced(function* (current: Workflow, wanted: Changes, deactivated: boolean) {
  const engine = yield* EngineClient
  const read = engine.versions.remember(deactivated ? { ...current, active: false } : current)
  const latest = yield* engine.getWorkflow(current.id)
  yield* failIfChanged(engine.versions.changesSince(read, latest), latest, "meanwhile")

  const { dropped, workflow: written } = yield* engine.updateWorkflow(latest, wanted).pipe(
    namingCollisions(latest.id, wanted.nodes),
    Effect.catchTag("ApiError", (error) => failureAfterSave(latest, error))
  )
  return {
    written,
    notices: [
      ...(isConcurrentWrite(latest, written, wanted) ? [yield* overwritten(latest, written)] : []),
      ...addressNotices(wanted.nodes ?? [], current.nodes, written),
      ...leftOut(dropped)
    ]
  }
})

/** What somebody else changed after our own write, which left the workflow like this, and before it was read back. */
export const changedSince = Effect.fnUntraced(function* (written: Workflow, latest: Workflow) {
  const { versions } = yield* EngineClient
  const changed = versions.changesSince(versions.remember(written), latest)
  return changed.length === 0
    ? []
    : [
        `This update was written, and then somebody else changed the workflow, which is shown as it is now: ${changed.join(", ")}.`
      ]
})

/** Engines save a change of an active workflow before they refuse to run it. */
const failureAfterSave = Effect.fnUntraced(function* (before: Workflow, error: ApiError) {
  if (!before.active) return yield* error
  const { id } = before
  const engine = yield* EngineClient
  const after = yield* engine.getWorkflow(id)
  if (isSameContent(before, after)) return yield* error
  const context = { id, done: "saved with the changes", step: "running it in its new form" }
  return yield* stepFailed(error, { ...context, instance: engine.instance })
})

/** The tools that write workflows, in the order in which they are listed. */
export const writeTools = [createWorkflow, updateWorkflow]
