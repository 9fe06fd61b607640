import { isSameJson } from "../../../internal/json/digest.ts"
import { mapSliced, type Sliced } from "../../../internal/Sliced.ts"
import type { Tag, Workflow } from "../../workflow/models.ts"
import { type Change, type ChangeOf, idOf, type Ref } from "../Change.ts"
import {
  contentOf,
  descriptionOf,
  differingParts,
  isArchived,
  isSameGroups,
  partsBefore,
  pinDataOf,
  shownFor,
  wholeContentOf
} from "../content.ts"
import { unremovableSettings } from "../judgement.ts"
import { type Levels, levels } from "../levels.ts"
import { order } from "../order.ts"
import { type Draft, type Step, stepOf } from "../Step.ts"
import { calledIds, linksOf } from "../workflowLinks.ts"
import { closing, type Creations, relinked } from "./relinking.ts"
import { draftResources, type LinkTables, type RestoredResources } from "./resources.ts"

/** An instance as it was, and as it is. */
export interface RestoreRequest {
  readonly instance: string
  /** The name of the moment, for the reasons of the steps. */
  readonly version: string
  readonly records: ReadonlyArray<Workflow>
  readonly all: ReadonlyArray<Workflow>
  readonly tags: ReadonlyArray<Tag>
  /** Whether the engine lets pinned data be changed from outside. */
  readonly takesPinnedData: boolean
  readonly resources?: RestoredResources
}

/** The draft that brings the workflows of an instance back to what they were; what was made since stays as it is. */
export function* draftRestore(request: RestoreRequest): Sliced<Draft & { readonly unchanged: number }> {
  const { all, records, version } = request
  const current = new Map<string, Workflow>(all.map((workflow) => [workflow.id, workflow]))
  const recorded = new Set<string>(records.map(({ id }) => id))
  const since = all.filter(({ id }) => !recorded.has(id))
  const gone = records.filter(({ id }) => !current.has(id))
  const { newTags, refsOf } = tagsFor(request)
  const calls = new Map<string, ReadonlyArray<string>>(
    yield* mapSliced([...records, ...since], (one) => [one.id, callsOf(one)] as const)
  )
  const graph = levels(calls)
  const { linkTables, ...resources } = draftResources(request)
  const created = new Map(
    gone.map((record) => [record.id, creationOf(record, request, linkTables, graph.levelOf(record.id))] as const)
  )
  const circumstances: Circumstances = {
    request,
    graph,
    linkTables,
    created,
    refsOf,
    called: new Set([...calls.values()].flat())
  }
  const stepsByRecord = yield* mapSliced(
    records,
    (record) => stepsOf(record, current.get(record.id), circumstances),
    ({ nodes }) => 1 + nodes.length
  )
  const callers = yield* mapSliced(since, (workflow) => updateOf(workflow, workflow, circumstances) ?? [])
  const pinned = records.filter(
    (record) => isPinnedOtherwise(record, current.get(record.id)) && !request.takesPinnedData
  )
  const calledNow = new Set((yield* mapSliced(all, callsOf)).flat())
  const undone = gone.filter(({ id }) => calledNow.has(id))
  return {
    kind: "restore",
    steps: [
      ...newTags,
      ...resources.steps,
      ...stepsByRecord.flat(),
      ...callers.flat().map((change) => stepOf(change, "it names something deleted, which is made anew"))
    ].toSorted(order),
    warnings: [
      ...(gone.length === 0
        ? []
        : [
            `${gone.length} deleted workflows are made anew, with new ids${undone.length === 0 ? "" : ", and references to the old ids get these"}: addresses outside of the engine have to be changed`
          ]),
      ...(since.length === 0 ? [] : [`${since.length} workflows that were made since ${version} are left as they are`]),
      ...(pinned.length === 0 ? [] : [`This engine takes no pinned data: it stays as it is in ${namesOf(pinned)}`]),
      ...unremovableSettings(stepsByRecord.flat(), current),
      ...resources.warnings
    ],
    blocked: [],
    unchanged: stepsByRecord.filter((recordSteps) => recordSteps.length === 0).length
  }
}

/** Workflows that a warning names. */
const most = 10

const namesOf = (workflows: ReadonlyArray<Workflow>): string => {
  const names = workflows.slice(0, most).map(({ name }) => name)
  return [...names, ...(workflows.length > most ? [`${workflows.length - most} more`] : [])].join(", ")
}

const isPinnedOtherwise = (record: Workflow, current: Workflow | undefined): boolean =>
  record["pinData"] !== undefined && !isSameJson(pinDataOf(record), current === undefined ? {} : pinDataOf(current))

/** The ids of the workflows that a workflow calls. */
const callsOf = (workflow: Workflow) => calledIds(linksOf(contentOf(workflow)))

interface Circumstances {
  readonly request: RestoreRequest
  readonly graph: Levels
  readonly linkTables: LinkTables
  /** The creations of those that are gone. */
  readonly created: Creations
  readonly called: ReadonlySet<string>
  readonly refsOf: (record: Workflow) => ReadonlyArray<Ref>
}

const creationOf = (
  record: Workflow,
  { all, instance }: RestoreRequest,
  linkTables: LinkTables,
  level: number
): ChangeOf<"create"> => ({
  kind: "create",
  instance,
  key: record.id,
  ...linkTables(wholeContentOf(record)),
  level,
  labels: labelsOf(record),
  formerly: record.id,
  namesakes: all.flatMap(({ id, name }) => (name === record.name ? [String(id)] : []))
})

const labelsOf = ({ tags = [] }: Workflow): ReadonlyArray<string> => tags.map(({ name }) => name)

/**
 * The update that makes a workflow what it was, and lets it name those that are made anew; nothing where it is that already.
 */
const updateOf = (
  record: Workflow,
  current: Workflow,
  { created, graph, linkTables, request }: Circumstances
): ChangeOf<"update"> | undefined => {
  const isPinned = request.takesPinnedData && isPinnedOtherwise(record, current)
  const isDescribed = request.takesPinnedData && descriptionOf(record) !== descriptionOf(current)
  const { nodeGroups } = record
  const isGrouped =
    Array.isArray(nodeGroups) &&
    Array.isArray(current["nodeGroups"]) &&
    !isSameGroups(nodeGroups, current["nodeGroups"])
  const { content, references: tables } = linkTables({
    ...contentOf(record),
    ...(isGrouped ? { nodeGroups } : {}),
    ...(isPinned ? { pinData: pinDataOf(record) } : {}),
    ...(isDescribed && current["description"] !== undefined ? { description: descriptionOf(record) } : {})
  })
  const present = shownFor(content, current)
  const links = relinked(record, content, { created, graph })
  const references = [...links.references, ...tables]
  const before = partsBefore(content, present)
  if (differingParts(content, present).length + Object.keys(before).length + references.length === 0) return undefined
  return {
    kind: "update",
    instance: request.instance,
    workflow: current.id,
    name: record.name,
    labels: labelsOf(current),
    before: references.length === 0 ? before : { ...before, nodes: present.nodes, settings: present.settings },
    after: content,
    references: references.map(({ parts, path }) => ({ parts, path })),
    level: links.level
  }
}

const stepsOf = (
  record: Workflow,
  current: Workflow | undefined,
  circumstances: Circumstances
): ReadonlyArray<Step> => {
  const { called, created, graph, refsOf, request } = circumstances
  const reason = `as in ${request.version}`
  const creation = created.get(record.id)
  const steps: Array<Step> = []
  const workflow: Ref = creation === undefined ? record.id : { created_by: idOf(creation) }
  const on = { instance: request.instance, workflow, name: record.name, labels: labelsOf(current ?? record) }
  const why = creation === undefined ? reason : `${reason}; it was deleted`

  if (creation !== undefined) {
    const { level, references } = relinked(record, creation.content, circumstances)
    const whole = { ...creation, references: [...references, ...creation.references] }
    steps.push(stepOf(whole, why))
    if (references.some(({ late }) => late === true))
      steps.push({ ...stepOf(closing(whole, level), "closes a circle of calls"), undo: [] })
  } else if (current !== undefined) {
    const update = updateOf(record, current, circumstances)
    if (update !== undefined) steps.push(stepOf(update, why))
  }
  const changes: Array<Change> = []
  const had = (current?.tags ?? []).map(({ id }) => id)
  const wanted = refsOf(record)
  if (wanted.length !== had.length || wanted.some((tag) => typeof tag !== "string" || !had.includes(tag))) {
    changes.push({ kind: "tags", ...on, before: had, after: wanted })
  }
  const wasArchived = current !== undefined && isArchived(current)
  if (wasArchived !== isArchived(record)) {
    changes.push({ kind: "archived", ...on, before: wasArchived, after: isArchived(record) })
  }
  const isActive = current?.active === true
  if (isActive !== record.active && !isArchived(record)) {
    const level = graph.levelOf(record.id)
    changes.push({
      kind: "active",
      ...on,
      before: isActive,
      after: record.active,
      level,
      isCalled: called.has(record.id)
    })
  }
  return [...steps, ...changes.map((change) => stepOf(change, why))]
}

/** The tags that workflows had, by id or else by name, and steps for those that are gone. */
const tagsFor = ({ instance, records, tags }: RestoreRequest) => {
  const made = new Map<string, Change>()
  const refOf = ({ id, name }: Tag): Ref => {
    const present = tags.find((tag) => tag.id === id) ?? tags.find((tag) => tag.name === name)
    if (present !== undefined) return present.id
    const change: Change = made.get(name) ?? { kind: "create-tag", instance, name }
    made.set(name, change)
    return { created_by: idOf(change) }
  }
  const refs = new Map(records.map((record) => [record, (record.tags ?? []).map(refOf)] as const))
  return {
    newTags: [...made.values()].map((change) => stepOf(change, "there is no such tag any more")),
    refsOf: (record: Workflow) => refs.get(record) ?? []
  }
}
