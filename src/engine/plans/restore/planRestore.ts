import { Effect } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { listWhole, workflowsIn } from "../../client/listAll.ts"
import { notKept, unreadable } from "../../operator/history/historyErrors.ts"
import { generationOf, type Workflow, WorkflowId } from "../../workflow/models.ts"
import { versionOf } from "../../workflow/versions.ts"
import { addressWarnings } from "../addressWarnings.ts"
import { atOnce, eachWorkflow, outlineOf, withDescriptions } from "../instanceContents.ts"
import { WorkflowPlans } from "../Plans.ts"
import { type ValueSource, withValuesOf } from "../promotion/readResources.ts"
import { withNames } from "../withNames.ts"
import { draftRestore, type RestoreRequest } from "./draftRestore.ts"
import { readResources } from "./readResources.ts"
import { missingIn } from "./resources.ts"

/** Plans to bring the workflows of an instance back to a commit of the history. */
export const planRestore = Effect.fn("planRestore")(function* (
  input: ValueSource & { readonly instance?: string | undefined; readonly version: string }
) {
  const client = yield* (yield* Instances).resolve(input.instance)
  const { history, instance } = client
  if (client.isReadOnly) return yield* new ReadOnlyInstance({ instance, operation: "plan_restore" })
  if (!history.isKept) return yield* notKept
  yield* history.drained
  const summaries = yield* Effect.mapError(history.allAt(input.version, shortly), unreadable)
  const recorded = new Map([...summaries.values()].flat().map((one) => [String(one.outline.id), one]))
  if (recorded.size === 0 && !(yield* Effect.mapError(history.isRecordedAt(input.version), unreadable))) {
    return yield* new InvalidArgument({
      argument: "version",
      problem: `is a moment when nothing was known of ${instance}: give a commit of its history, such as one of a backup`
    })
  }
  const plans = yield* WorkflowPlans
  const outlined = new Set<string>()
  const listed = yield* eachWorkflow(client, (workflow) => {
    if (recorded.get(workflow.id)?.version !== versionOf(workflow)) return workflow
    outlined.add(workflow.id)
    return outlineOf(workflow)
  })
  const wholeRecords = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    if (ids.length === 0) return new Map<string, Workflow>()
    const read = history.allAt(input.version, (record) => record, new Set(ids))
    const wholeWorkflows = workflowsIn([...(yield* Effect.mapError(read, unreadable)).values()])
    return new Map(wholeWorkflows.map((record) => [String(record.id), record]))
  })
  const other = yield* wholeRecords([...recorded.keys()].filter((id) => !outlined.has(id)))
  const records = [...recorded].map(([id, { outline }]) => other.get(id) ?? outline)
  const described = new Map<string, unknown>(
    records.flatMap((record) => ("description" in record ? [[record.id, record.updatedAt]] : []))
  )
  const isTouched = ({ id, updatedAt }: Workflow) => described.has(id) && described.get(id) !== updatedAt
  const touched = new Map(
    (yield* withDescriptions(client, listed.filter(isTouched))).map((workflow) => [workflow.id, workflow])
  )
  const tags = yield* listWhole(client, client.listTags)
  const present = listed.map((workflow) => touched.get(workflow.id) ?? workflow)
  const resources = yield* readResources(client, input.version)
  const wish = {
    instance,
    version: input.version,
    records,
    all: present,
    tags,
    takesPinnedData: [...present, ...records].some((one) => generationOf(one) === "2.x")
  }
  const planned = Effect.fnUntraced(function* (values: ReadonlyMap<string, string>) {
    const request = { ...wish, resources: { ...resources, values } }
    const { all, unchanged, ...draft } = yield* drafted(request, outlined, (ids) =>
      Effect.all({
        records: wholeRecords(ids),
        present: Effect.forEach(ids, (id) => client.getWorkflow(WorkflowId.make(id)), { concurrency: atOnce })
      })
    )
    const steps = withNames(draft.steps, { tags, workflows: all })
    const warnings = [...draft.warnings, ...(yield* inSlices(() => addressWarnings(steps, all)))]
    return { plan: yield* plans.keep({ ...draft, steps, warnings }), unchanged }
  })
  const missing = missingIn(resources.variables).map(({ name }) => name)
  return yield* withValuesOf(missing, instance, input, planned)
})

/**
 * The summary of a record until it is known whether the workflow has changed since; nothing of a record that is no workflow.
 */
const shortly = (record: JsonObject) =>
  workflowsIn([record]).map((workflow) => ({ outline: outlineOf(workflow), version: versionOf(workflow) }))

/** The whole workflows behind outlines, as `read` gives them. */
interface Whole {
  readonly records: ReadonlyMap<string, Workflow>
  readonly present: ReadonlyArray<Workflow>
}

/**
 * The draft, and the workflows of the instance that it is made from. Workflows of which only outlines were known are read
 * whole where a step would write them: such as those that call what is made anew.
 */
const drafted = Effect.fnUntraced(function* <E>(
  request: RestoreRequest,
  outlined: ReadonlySet<string>,
  read: (ids: ReadonlyArray<string>) => Effect.Effect<Whole, E>
) {
  let current = request
  for (const left = new Set(outlined); ;) {
    const draft = yield* inSlices(() => draftRestore(current))
    const written = draft.steps.flatMap(({ change }) =>
      change.kind === "update" && typeof change.workflow === "string" && left.delete(change.workflow)
        ? [change.workflow]
        : []
    )
    if (written.length === 0) return { ...draft, all: current.all }
    const { present, records } = yield* read(written)
    const now = new Map(present.map((workflow) => [String(workflow.id), workflow]))
    current = {
      ...current,
      // One that cannot be read again is left alone: an outline is never written.
      records: current.records.flatMap((record) => (now.has(record.id) ? (records.get(record.id) ?? []) : [record])),
      all: current.all.map((workflow) => now.get(workflow.id) ?? workflow)
    }
  }
})
