import { Effect } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { listed } from "../../../internal/foreignText.ts"
import { weightOfJson } from "../../../internal/json/values.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { withoutSecrets } from "../../../internal/secrets/maskSecrets.ts"
import { mapSliced } from "../../../internal/Sliced.ts"
import { changes } from "../../../mcp/annotations.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { notThere } from "../../nodes/check/expressions.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { flag, ifVersion, optional, workflowId, workflowName } from "../../tools/parameters.ts"
import { addressNotices } from "../../tools/workflows/addressing.ts"
import { checkBeside } from "../../tools/workflows/findings.ts"
import { exclusively, readUnchanged, whileDone } from "../../tools/workflows/guards.ts"
import { notStarted } from "../../tools/workflows/switchOn.ts"
import { takenOver } from "../../tools/workflows/takenOver.ts"
import { changedSince, write } from "../../tools/workflows/writes.ts"
import { changeLines, differencesSliced } from "../../workflow/difference.ts"
import { TagId, type Tag, type Workflow, type WorkflowId } from "../../workflow/models.ts"
import { warningsOf } from "../../workflow/validate.ts"
import type { Edited } from "./applyOperations.ts"
import { noticesOfCopy, saveCopy } from "./copying.ts"
import { anyOperations, changesOf, editedBy, noOperations, readOperations } from "./edited.ts"
import type { Operation } from "./Operation.ts"
import { tagsNamed } from "./tagsNamed.ts"

export const editWorkflow = EngineTool.make("edit_workflow", {
  title: "Edit workflow",
  description:
    "Change parts of a workflow: all operations in order, or none. Renaming also changes connections, expressions and " +
    "code. Answers the difference and warnings, not the workflow",
  annotations: changes,
  arguments: {
    id: workflowId,
    operations: optional(anyOperations),
    ifVersion,
    copy_as: optional(workflowName.annotate({ description: "Save as a new workflow of this name instead" })),
    dry_run: optional(flag("Only say what would change"))
  },
  run: Effect.fnUntraced(function* ({ copy_as, dry_run = false, id, ifVersion, operations: given = [] }) {
    if (given.length === 0 && copy_as === undefined) return yield* noOperations
    const operations = yield* readOperations(given, ifVersion)
    const current = readUnchanged(id, ifVersion)
    if (copy_as !== undefined && !dry_run) return yield* copy(copy_as, operations, yield* current)
    const tried = tryOut(operations, copy_as !== undefined)
    return yield* (dry_run ? Effect.flatMap(current, tried) : edit(id, operations, current)).pipe(exclusively(id))
  })
})

/** Says what operations would change, and the same whether a value that they put in place of a secret is that secret or not. */
const tryOut = (operations: ReadonlyArray<Operation>, isCopy: boolean) =>
  Effect.fnUntraced(function* (current: Workflow) {
    const before = { ...current, nodes: yield* inSlices(() => mapSliced(current.nodes, veiled, weightOfJson)) }
    const { edited } = yield* editedBy(before, operations)
    const found = yield* checkBeside(edited.workflow, before)
    const { nodes } = changesOf(before, edited.workflow)
    const addresses = isCopy
      ? yield* noticesOfCopy(before, edited.workflow)
      : addressNotices(nodes ?? [], before.nodes, edited.workflow)
    return yield* answer(before, edited, current, ["Dry run: nothing was sent.", ...addresses], yield* found)
  })

/** A node whose secrets are others. Texts of notes are looked at as those of parameters are. */
const veiled = (node: JsonObject): JsonObject => ({
  ...node,
  ...(node.parameters === undefined ? {} : { parameters: withoutSecrets(node.parameters) }),
  ...(node.notes === undefined ? {} : { notes: withoutSecrets(node.notes) })
})

const edit = Effect.fnUntraced(function* <E, R>(
  id: WorkflowId,
  operations: ReadonlyArray<Operation>,
  read: Effect.Effect<Workflow, E, R>
) {
  const current = yield* read
  const { edited, lookups } = yield* editedBy(current, operations)
  const wanted = changesOf(current, edited.workflow)
  const tags = namesOf(current.tags)
  const hasNewTags = edited.tags.length !== tags.length || edited.tags.some((name) => !tags.includes(name))
  if (Object.keys(wanted).length === 0 && !hasNewTags) {
    return yield* answer(current, edited, current, ["Nothing is to be changed: the workflow is so already."])
  }

  const found = yield* checkBeside(edited.workflow, current)
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
  const taken = yield* takenOver(latest, current.nodes)
  const said = [...notStarted(latest), ...taken, ...later, ...notices, ...keptSettings(current, edited, latest)]
  return yield* answer(current, edited, latest, said, yield* found)
})

const copy = Effect.fnUntraced(function* (name: string, operations: ReadonlyArray<Operation>, current: Workflow) {
  const { edited, lookups } = yield* editedBy(current, operations)
  const found = yield* checkBeside(edited.workflow, current)
  const { latest, notices } = yield* saveCopy(current, edited, name, lookups.tags)
  return yield* answer(current, edited, latest, notices, yield* found)
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
  yield* engine.mayChange(before)
  const old = namesOf(before.tags)
  const names = wanted.filter((name) => !old.includes(name))
  const added = yield* tagsNamed(names, known)
  const created = names.filter((name) => !namesOf(known).includes(name))
  const setting = Effect.flatMap(engine.getWorkflow(before.id), ({ tags = [] }) => {
    const kept = tags.filter(({ name }) => wanted.includes(name) || !old.includes(name))
    return engine.setWorkflowTags(before.id, [...kept.map(({ id }) => TagId.make(id)), ...added])
  })
  const done = `about to get the new tags ${listed(created, mostTags)}, which were created`
  yield* created.length === 0 ? setting : whileDone(setting, { id: before.id, done, step: "setting its tags" })
})

/** New tags that an error names. */
const mostTags = 10

const maxWarnings = 10

const answer = Effect.fnUntraced(function* (
  before: Workflow,
  { stillBroken, tags, told, warned, workflow }: Edited,
  now: Workflow,
  notices: ReadonlyArray<string>,
  found: ReadonlyArray<string> = []
) {
  const { versions } = yield* EngineClient
  // Missing nodes are told by what has been told of edits before.
  const others = found.filter((line) => !line.includes(notThere))
  const known = [...stillBroken.map((rule) => `As before: ${rule}`), ...warned]
  const warnings = [...known, ...warningsOf(workflow), ...others]
  const more = warnings.length - maxWarnings
  const after = { ...workflow, tags: tags.map((name) => ({ name })) }
  const changes = yield* inSlices(() => differencesSliced(before, after, { positions: true }))
  return {
    ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
    id: now.id,
    name: now.name,
    active: now.active,
    version: versions.remember(now),
    changes: [...changeLines(changes), ...told],
    ...(warnings.length === 0
      ? {}
      : { warnings: [...warnings.slice(0, maxWarnings), ...(more > 0 ? [`and ${more} more`] : [])] })
  }
})

/** The tools that edit workflows. */
export const editTools = [editWorkflow]
