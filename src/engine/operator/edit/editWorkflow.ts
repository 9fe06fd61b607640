import { Effect, Result, Schema } from "effect"

import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { changes } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { Changes } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { TagId, type Tag, type Workflow, type WorkflowId } from "../../client/models.ts"
import { isSameJson } from "../../client/versions.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { flag, ifVersion, optional, workflowId } from "../../tools/parameters.ts"
import { exclusively, readUnchanged, whileDone } from "../../tools/workflows/guards.ts"
import { notStarted } from "../../tools/workflows/switchOn.ts"
import { changedSince, write } from "../../tools/workflows/writes.ts"
import { changeLines, differences } from "../../workflow/difference.ts"
import { warningsOf } from "../../workflow/warnings.ts"
import { applyOperations, type Edited, type EditProblem } from "./applyOperations.ts"
import { lookUp } from "./lookUp.ts"
import { type Operation, readOperation } from "./Operation.ts"
import { operationSchema } from "./operationSchema.ts"

export const editWorkflow = EngineTool.make("edit_workflow", {
  title: "Edit workflow",
  description:
    "Change parts of a workflow: all operations in order, or none. Renaming also changes connections, expressions and " +
    "code. Answers the difference and warnings, not the workflow",
  annotations: changes,
  arguments: {
    id: workflowId,
    operations: Schema.Array(JsonObject)
      .check(Schema.makeFilter((operations) => operations.length > 0 || "must hold at least one operation"))
      .annotate({ inputSchema: operationSchema }),
    ifVersion,
    dry_run: optional(flag("Only say what would change"))
  },
  run: Effect.fnUntraced(function* ({ dry_run = false, id, ifVersion, operations: given }) {
    const operations: Array<Operation> = []
    for (const [place, one] of given.entries()) {
      operations.push(
        yield* Effect.fromResult(
          Result.mapError(readOperation(one), (problem) => refusal({ operation: place, problem }))
        )
      )
    }
    return yield* edit(id, operations, ifVersion, dry_run).pipe(exclusively(id))
  })
})

const refusal = ({ operation, problem }: EditProblem) =>
  new InvalidArgument({
    argument: operation === undefined ? "operations" : `operations[${operation}]`,
    problem: `${problem}. Nothing was changed`.replace(/([.?!])\. Nothing/, "$1 Nothing")
  })

const edit = Effect.fnUntraced(function* (
  id: WorkflowId,
  operations: ReadonlyArray<Operation>,
  ifVersion: string | undefined,
  isDry: boolean
) {
  const current = yield* readUnchanged(id, ifVersion)
  const lookups = yield* lookUp(current, operations)
  const edited = yield* Effect.fromResult(Result.mapError(applyOperations(current, operations, lookups), refusal))
  const wanted = changesOf(current, edited.workflow)
  const hasNewTags = !isSameJson([...edited.tags].sort(), [...namesOf(current.tags)].sort())
  if (isDry) return yield* answer(edited, current, ["Dry run: nothing was sent."])
  if (Object.keys(wanted).length === 0 && !hasNewTags) {
    return yield* answer(edited, current, ["Nothing is to be changed: the workflow is so already."])
  }

  const isWritten = Object.keys(wanted).length > 0
  const { notices, written } = isWritten ? yield* write(current, wanted, false) : { written: current, notices: [] }
  if (hasNewTags) {
    const tagging = setTags(current, edited.tags, lookups.tags)
    yield* isWritten ? whileDone(tagging, { id, done: "changed", step: "setting its tags" }) : tagging
  }
  const latest = yield* whileDone(
    EngineClient.use((engine) => engine.getWorkflow(id)),
    {
      id,
      done: "changed",
      step: "reading it back"
    }
  )
  const later = yield* changedSince({ ...written, active: current.active }, latest)
  return yield* answer(edited, latest, [
    ...notStarted(latest),
    ...later,
    ...notices,
    ...keptSettings(current, edited, latest)
  ])
})

/** The fields of a workflow that are others now. */
const changesOf = (before: Workflow, after: Workflow): Changes => {
  const isNew = (field: keyof Changes) => after[field] !== before[field] && !isSameJson(after[field], before[field])
  return {
    ...(isNew("name") ? { name: after.name } : {}),
    ...(isNew("nodes") ? { nodes: after.nodes } : {}),
    ...(isNew("connections") ? { connections: after.connections } : {}),
    ...(isNew("settings") ? { settings: settingsOver(before, after) } : {}),
    ...(isNew("pinData") ? { pinData: after.pinData } : {}),
    ...(isNew("staticData") ? { staticData: after.staticData } : {}),
    ...(isNew("nodeGroups") ? { nodeGroups: after.nodeGroups } : {})
  }
}

/** All settings, and nothing for those that are to go. */
const settingsOver = (before: Workflow, after: Workflow): JsonObject => ({
  ...Object.fromEntries(Object.keys(before.settings ?? {}).map((name) => [name, undefined])),
  ...after.settings
})

/** Engines of generation 2 merge settings, and forget none. */
const keptSettings = (
  before: Workflow,
  { workflow: { settings } }: Edited,
  latest: Workflow
): ReadonlyArray<string> => {
  const removed = Object.keys(before.settings ?? {}).filter((name) => !Object.hasOwn(settings ?? {}, name))
  const kept = removed.filter((name) => Object.hasOwn(latest.settings ?? {}, name))
  return kept.length === 0
    ? []
    : [`This engine removes no settings, and kept ${kept.join(", ")}: give another value instead.`]
}

const namesOf = (tags: ReadonlyArray<Tag> = []) => tags.map(({ name }) => name)

/** Adds and takes away tags by name, of those that the workflow has by now. */
const setTags = Effect.fnUntraced(function* (
  before: Workflow,
  wanted: ReadonlyArray<string>,
  known: ReadonlyArray<Tag>
) {
  const engine = yield* EngineClient
  const old = namesOf(before.tags)
  const added = yield* Effect.forEach(
    wanted.filter((name) => !old.includes(name)),
    (name) => {
      const found = known.find((tag) => tag.name === name)
      return found === undefined ? engine.createTag(name) : Effect.succeed(found)
    }
  )
  const { tags = [] } = yield* engine.getWorkflow(before.id)
  const kept = tags.filter(({ name }) => wanted.includes(name) || !old.includes(name))
  yield* engine.setWorkflowTags(
    before.id,
    [...kept, ...added].map((tag) => TagId.make(tag.id))
  )
})

const maxWarnings = 10

const answer = Effect.fnUntraced(function* (
  { baseline, stillBroken, tags, told, warned, workflow }: Edited,
  now: Workflow,
  notices: ReadonlyArray<string>
) {
  const { versions } = yield* EngineClient
  const warnings = [...stillBroken.map((rule) => `As before: ${rule}`), ...warned, ...warningsOf(workflow)]
  const more = warnings.length - maxWarnings
  const after = { ...workflow, tags: tags.map((name) => ({ name })) }
  return {
    ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
    id: now.id,
    name: now.name,
    active: now.active,
    version: versions.remember(now),
    changes: [...changeLines(differences(baseline, after, { positions: true })), ...told],
    ...(warnings.length === 0
      ? {}
      : { warnings: [...warnings.slice(0, maxWarnings), ...(more > 0 ? [`and ${more} more`] : [])] })
  }
})

/** The tools that edit workflows. */
export const editTools = [editWorkflow]
