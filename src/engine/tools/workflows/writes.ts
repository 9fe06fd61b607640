import { Effect, Schema } from "effect"

import { changes, creates } from "../../../mcp/annotations.ts"
import { Progress } from "../../../mcp/callContext.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { Changes } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { ApiError } from "../../client/EngineError.ts"
import type { Workflow, WorkflowId } from "../../workflow/models.ts"
import { engineName } from "../../workflow/naming.ts"
import { hasValidTrigger, noValidTrigger } from "../../workflow/triggers.ts"
import { validate } from "../../workflow/validate.ts"
import { isPartVersion, isSameContent } from "../../workflow/versions.ts"
import { areCut } from "../../workflow/views.ts"
import * as EngineTool from "../EngineTool.ts"
import {
  asInCreate,
  connections,
  flag,
  ifVersion,
  nodes,
  object,
  optional,
  settings,
  workflowId,
  workflowName
} from "../parameters.ts"
import { refuseMasked, withSecrets } from "../refuseMasked.ts"
import * as results from "../results.ts"
import { tagIds } from "../tags.ts"
import { addressNotices, takenOver } from "./addressing.ts"
import { isConcurrentWrite, overwritten } from "./concurrentWrites.ts"
import { checkBeside } from "./findings.ts"
import { exclusively, failIfChanged, namingCollisions, readUnchanged, stepFailed, whileDone } from "./guards.ts"
import { locationOf } from "./location.ts"
import { answerForm, leftOut, shorten, showWritten } from "./showWorkflow.ts"
import { notStarted, switchOn } from "./switchOn.ts"

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
    tags: optional(Schema.Array(Schema.String).annotate({ description: "Ids or names" })),
    active: optional(flag("Activate it")),
    project: optional(Schema.NonEmptyString.annotate({ description: "Name" })),
    folder: optional(Schema.NonEmptyString.annotate({ description: "Path" })),
    answer: answerForm
  },
  result: results.writtenWorkflow,
  narrow: results.readElsewhere,
  shorten: shorten("created"),
  run: Effect.fnUntraced(function* ({ active = false, answer, folder, project, tags: given = [], ...draft }) {
    yield* refuseMasked(draft)
    const connections = yield* Effect.fromResult(validate({ ...draft, active }))
    const engine = yield* EngineClient
    const tags = yield* tagIds(given)
    yield* engine.requireRights([
      "POST /workflows",
      tags.length > 0 && "PUT /workflows/{}/tags",
      active && "POST /workflows/{}/activate"
    ])
    const location = yield* locationOf({ folder, project })
    const report = yield* Progress
    const total = 1 + Number(tags.length > 0) + Number(active)

    const warnings = yield* checkBeside({ nodes: draft.nodes, connections, settings: draft.settings })
    const settings = { executionOrder: "v1", ...draft.settings }
    const { dropped, workflow } = yield* engine.createWorkflow({ ...draft, ...location, connections, settings })
    const { id } = workflow
    const notices = [...addressNotices(draft.nodes, [], workflow), ...leftOut(dropped)]
    if (total === 1) return yield* showWritten(answer, workflow, notices, yield* warnings(workflow))
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
    return yield* showWritten(answer, latest, [...notStarted(latest), ...taken, ...notices], yield* warnings(latest))
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
    ifVersion,
    answer: answerForm
  },
  result: results.writtenWorkflow,
  narrow: results.readElsewhere,
  shorten: shorten("updated"),
  run: Effect.fnUntraced(function* ({ answer, id, ifVersion, ...given }) {
    if (Object.keys(given).length === 0) {
      return yield* new InvalidArgument({ argument: "arguments", problem: "must hold at least one field to change" })
    }
    if (given.nodes !== undefined && ifVersion !== undefined && isPartVersion(ifVersion))
      return yield* onlyPart("nodes")
    const { notices, warnings, workflow } = yield* update(id, ifVersion, given).pipe(exclusively(id))
    return yield* showWritten(answer, workflow, notices, warnings)
  })
})

/** The refusal of a partial list: nodes or connections that were not shown would be removed. */
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
  const checked = checkedIn(wanted)
  const isOther = Object.keys(checked).length > 0
  const warnings = isOther ? yield* checkBeside({ ...current, ...checked }, current) : () => Effect.succeed([])

  yield* engine.requireRights([
    isChanged && "PUT /workflows/{}",
    starts && "POST /workflows/{}/activate",
    stops && "POST /workflows/{}/deactivate"
  ])
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
  return {
    workflow: latest,
    notices: [...notStarted(latest), ...taken, ...later, ...notices],
    warnings: yield* warnings(latest)
  }
})

/** The nodes, connections and settings that are given. */
const checkedIn = ({ connections, nodes, settings }: Pick<Changes, "connections" | "nodes" | "settings">) => ({
  ...(nodes === undefined ? {} : { nodes }),
  ...(connections === undefined ? {} : { connections }),
  ...(settings === undefined ? {} : { settings })
})

type Given = Omit<Changes, "connections" | "staticData"> & { readonly connections?: unknown }

/** The changes, after a check that the resulting workflow is valid. Parts that are not given are not checked. */
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
 * Writes the changes, unless somebody else changed the workflow since `current` was read; `deactivated` says that we have
 * deactivated it since. Answers the workflow as it was written, and notices.
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

/** A notice of the changes that somebody else made between our own write and the read after it. */
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
