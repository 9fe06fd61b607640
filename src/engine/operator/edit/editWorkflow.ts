import { Context, Effect } from "effect"

import { BoundedCache } from "../../../internal/caching.ts"
import { inSlices } from "../../../internal/effects.ts"
import { listed } from "../../../internal/foreignText.ts"
import { weightOfJson } from "../../../internal/json/values.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { withoutSecrets } from "../../../internal/secrets/maskSecrets.ts"
import { mapSliced } from "../../../internal/Sliced.ts"
import { edits } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { keptSettings } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { notThere } from "../../nodes/check/expressions.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { flag, ifVersion, optional, text, workflowId, workflowName } from "../../tools/parameters.ts"
import { addressNotices, takenOver } from "../../tools/workflows/addressing.ts"
import { checkBeside } from "../../tools/workflows/findings.ts"
import { exclusively, failIfChangedSince, readUnchanged, whileDone } from "../../tools/workflows/guards.ts"
import { notStarted } from "../../tools/workflows/switchOn.ts"
import { changedSince, write } from "../../tools/workflows/writes.ts"
import { changeLines, differencesSliced } from "../../workflow/difference.ts"
import { type Tag, TagId, type Workflow, type WorkflowId } from "../../workflow/models.ts"
import { warningsOf } from "../../workflow/validate.ts"
import type { Edited } from "./applyOperations.ts"
import { noticesOfCopy, saveCopy, tagsNamed } from "./copying.ts"
import {
  anyOperations,
  changesOf,
  editedBy,
  noOperations,
  readOperations,
  settingsDropped,
  settingsThatStay
} from "./edited.ts"
import type { Operation } from "./Operation.ts"

export const editWorkflow = EngineTool.make("edit_workflow", {
  title: "Edit workflow",
  description:
    "Change parts of a workflow: all operations, or none. A rename also changes connections, expressions and code. Answers " +
    "difference and warnings",
  annotations: edits,
  arguments: {
    id: workflowId,
    operations: optional(anyOperations),
    ifVersion,
    copy_as: optional(workflowName.annotate({ description: "Save as a new workflow of this name" })),
    dry_run: optional(flag("Only say what would change")),
    apply: optional(text("`apply` of a dry run, in place of operations"))
  },
  run: Effect.fnUntraced(function* ({ apply, copy_as, dry_run = false, id, ifVersion, operations: given = [] }) {
    if (apply !== undefined) {
      const others = Object.entries({ copy_as, ifVersion, operations: given.length === 0 ? undefined : given })
      const other = others.find(([, value]) => value !== undefined)
      if (other !== undefined || dry_run) return yield* notWithApply(other?.[0] ?? "dry_run")
      return yield* applyTried(id, apply)
    }
    if (given.length === 0 && copy_as === undefined) return yield* noOperations
    const operations = yield* readOperations(given, ifVersion)
    const current = readUnchanged(id, ifVersion)
    if (copy_as !== undefined && !dry_run) return yield* copy(copy_as, operations, yield* current)
    const tried = tryOut(operations, copy_as)
    return yield* (dry_run ? Effect.flatMap(current, tried) : edit(id, operations, current)).pipe(exclusively(id))
  })
})

/** A dry run that its token applies. */
interface DryRun {
  /** The workflow and its engine. */
  readonly of: string
  readonly version: string
  readonly operations: ReadonlyArray<Operation>
  readonly copyAs: string | undefined
}

/** Characters of all operations that are remembered: callers can fill this. */
const mostRemembered = 4_000_000

/** Dry runs by their tokens; the oldest ones are forgotten. */
const DryRuns = Context.Reference("workflow-tool-server/engine/operator/DryRuns", {
  defaultValue: () =>
    new BoundedCache<DryRun>(mostRemembered, ({ operations }) => 200 + JSON.stringify(operations).length)
})

const placeOf = (id: WorkflowId) =>
  EngineClient.use(({ host, instance }) => Effect.succeed(`${instance} ${host} ${id}`))

const freshToken = Effect.sync(() => crypto.randomUUID().replaceAll("-", "").slice(0, 12))

/** The answer of a dry run; it is the same whether a value that replaces a secret equals that secret or not. */
const tryOut = (operations: ReadonlyArray<Operation>, copyAs: string | undefined) =>
  Effect.fnUntraced(function* (current: Workflow) {
    const before = { ...current, nodes: yield* inSlices(() => mapSliced(current.nodes, veiled, weightOfJson)) }
    const { edited } = yield* editedBy(before, operations)
    const findings = yield* checkBeside(edited.workflow, before)
    const { nodes } = changesOf(before, edited.workflow)
    const addresses =
      copyAs !== undefined
        ? yield* noticesOfCopy(before, edited.workflow)
        : addressNotices(nodes ?? [], before.nodes, edited.workflow)
    const kept = settingsThatStay(before, edited.workflow)
    const notices = ["Dry run: nothing was sent.", ...addresses, ...keptNotices(kept)]
    const said = yield* answer(
      before,
      keeping(edited, before, kept),
      current,
      notices,
      yield* findings(edited.workflow)
    )
    const token = yield* freshToken
    const dryRuns = yield* DryRuns
    dryRuns.put(token, { of: yield* placeOf(current.id), version: said.version, operations, copyAs })
    return { ...said, apply: token }
  })

const applyTried = Effect.fnUntraced(function* (id: WorkflowId, token: string) {
  const tried = (yield* DryRuns).get(token)
  if (tried === undefined) return yield* strangeToken(id)
  const current = Effect.gen(function* () {
    const workflow = yield* readUnchanged(id, undefined)
    if (tried.of !== (yield* placeOf(workflow.id))) return yield* strangeToken(id)
    yield* failIfChangedSince(tried.version, workflow)
    return workflow
  })
  if (tried.copyAs !== undefined) return yield* copy(tried.copyAs, tried.operations, yield* current)
  return yield* edit(id, tried.operations, current).pipe(exclusively(id))
})

const strangeToken = (id: WorkflowId) =>
  new InvalidArgument({
    argument: "apply",
    problem: `is of no dry run of workflow ${id} that is remembered here: give the operations again`
  })

const notWithApply = (argument: string) =>
  new InvalidArgument({ argument, problem: "must be left out where apply is given: the dry run has it" })

/** A node with other secrets in place of its own, in parameters and notes. */
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

  const isWritten = Object.keys(wanted).length > 0
  yield* EngineClient.use(({ requireRights }) =>
    requireRights([isWritten && "PUT /workflows/{}", hasNewTags && "PUT /workflows/{}/tags"])
  )
  const findings = yield* checkBeside(edited.workflow, current)
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
  const kept = settingsThatStay(current, edited.workflow, latest)
  const said = [...notStarted(latest), ...taken, ...later, ...notices, ...keptNotices(kept)]
  const asBefore = [...kept, ...settingsDropped(current, edited.workflow, latest)]
  return yield* answer(current, keeping(edited, current, asBefore), latest, said, yield* findings(latest))
})

const copy = Effect.fnUntraced(function* (name: string, operations: ReadonlyArray<Operation>, current: Workflow) {
  const { edited, lookups } = yield* editedBy(current, operations)
  const findings = yield* checkBeside(edited.workflow, current)
  const { latest, notices } = yield* saveCopy(current, edited, name, lookups.tags)
  return yield* answer(current, edited, latest, notices, yield* findings(latest))
})

const keptNotices = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`This engine cannot remove settings, and keeps ${keptSettings(names)}.`]

/** The workflow with these settings as they were before. */
const keeping = (edited: Edited, before: Workflow, names: ReadonlyArray<string>): Edited => {
  const { settings, ...workflow } = edited.workflow
  const kept = Object.fromEntries(names.map((name) => [name, before.settings?.[name]]))
  return names.length === 0 ? edited : { ...edited, workflow: { ...workflow, settings: { ...settings, ...kept } } }
}

const namesOf = (tags: ReadonlyArray<Tag> = []) => tags.map(({ name }) => name)

/** Adds and takes away tags by name, of those that the workflow has by now. */
const setTags = Effect.fnUntraced(function* (
  before: Workflow,
  wanted: ReadonlyArray<string>,
  existingTags: ReadonlyArray<Tag>
) {
  const engine = yield* EngineClient
  yield* engine.mayChange(before)
  const old = namesOf(before.tags)
  const names = wanted.filter((name) => !old.includes(name))
  const added = yield* tagsNamed(names, existingTags)
  const created = names.filter((name) => !namesOf(existingTags).includes(name))
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
  { stillBroken, tags, notes: draftNotes, warnings: draftWarnings, workflow }: Edited,
  now: Workflow,
  notices: ReadonlyArray<string>,
  findings: ReadonlyArray<string> = []
) {
  const { versions } = yield* EngineClient
  // Missing nodes are told by what has been told of edits before.
  const others = findings.filter((line) => !line.includes(notThere))
  const ruleWarnings = [...stillBroken.map((rule) => `As before: ${rule}`), ...draftWarnings]
  const warnings = [...ruleWarnings, ...warningsOf(workflow), ...others]
  const more = warnings.length - maxWarnings
  const after = { ...workflow, tags: tags.map((name) => ({ name })) }
  const changes = yield* inSlices(() => differencesSliced(before, after, { positions: true, contents: true }))
  return {
    ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
    id: now.id,
    name: now.name,
    active: now.active,
    version: versions.remember(now),
    changes: [...changeLines(changes), ...draftNotes],
    ...(warnings.length === 0
      ? {}
      : { warnings: [...warnings.slice(0, maxWarnings), ...(more > 0 ? [`and ${more} more`] : [])] })
  }
})
