import type { Blocked } from "../../../changes/Plan.ts"
import { grouped } from "../../../internal/collections.ts"
import { listed } from "../../../internal/foreignText.ts"
import { weightOfJson } from "../../../internal/json/values.ts"
import { secretsStay } from "../../../internal/secrets/maskSecrets.ts"
import { mapSliced, type Sliced, sortSliced } from "../../../internal/Sliced.ts"
import type { Execution, Workflow } from "../../workflow/models.ts"
import { hasValidTrigger } from "../../workflow/triggers.ts"
import { type Change, idOf, type Ref } from "../Change.ts"
import { contentOf, differingParts, isArchived, partsBefore } from "../content.ts"
import { levels } from "../levels.ts"
import { order } from "../order.ts"
import type { Scope } from "../replacing.ts"
import { type Draft, type Step, stepOf } from "../Step.ts"
import { calledIds, linksOf } from "../workflowLinks.ts"
import type { Action, BulkRequest } from "./BulkRequest.ts"
import { type ContentAction, contentChange } from "./contentChanges.ts"
import { deletions } from "./deletions.ts"

/** The outcome for one workflow: steps, a reason why none, or nothing to do. */
interface Outcome {
  readonly steps?: ReadonlyArray<Step>
  readonly problem?: string
  readonly warnings?: ReadonlyArray<string>
  readonly stays?: ReadonlyArray<string>
}

/** The texts that a draft leaves as they are. */
interface BulkCounts {
  /** Workflows that are as wanted already. */
  readonly unchanged: number
  /** Texts that hold what is looked for, and are not replaced. */
  readonly stays: ReadonlyArray<string>
}

/** The draft of an action on each of many workflows; pure, the same for the same workflows in any order. */
export function* draftBulk(request: BulkRequest): Sliced<Draft & BulkCounts> {
  const { action, all, instance, selected } = request
  const calls = new Map(yield* mapSliced(selected, (workflow) => [String(workflow.id), callsOf(workflow)] as const))
  const { levelOf } = levels(calls)
  const names = new Map(selected.map(({ id, name }) => [String(id), name]))
  const changeContent = changeOf(request)
  const { refs, steps: newTags } = tagsOf(request)
  const namesakes = new Map(
    [...grouped(all, ({ name }) => name)].map(([name, some]) => [name, some.map(({ id }) => String(id))])
  )

  const find = (workflow: Workflow): Outcome => {
    const { active, id, name } = workflow
    const on = { instance, workflow: id, name, labels: labelsOf(workflow) }
    const level = levelOf(id)
    switch (action._tag) {
      case "tag":
      case "untag": {
        const before = (workflow.tags ?? []).map((tag) => tag.id)
        const others = before.filter((tag) => !refs.includes(tag))
        const after = action._tag === "tag" ? [...others, ...refs] : others
        const isSame = before.length === after.length && after.every((tag) => typeof tag === "string")
        const change: Change = { kind: "tags", ...on, before, after }
        return isSame
          ? {}
          : one(change, action._tag === "tag" ? `to be tagged ${action.value}` : `to lose ${action.value}`)
      }
      case "activate": {
        if (active) return {}
        if (isArchived(workflow)) return { problem: "it is archived" }
        if (!hasValidTrigger(workflow.nodes)) return { problem: "it has no trigger that could be activated" }
        return one({ kind: "active", ...on, before: false, after: true, level, isCalled: false }, "asked for")
      }
      case "deactivate":
        return active
          ? one({ kind: "active", ...on, before: true, after: false, level, isCalled: false }, "asked for")
          : {}
      case "archive":
      case "unarchive": {
        const after = action._tag === "archive"
        if (isArchived(workflow) === after) return {}
        if (!request.archives) return { problem: `${instance} cannot archive workflows: its engine is too old` }
        const change: Change = { kind: "archived", ...on, before: !after, after }
        const off: Change = { kind: "active", ...on, before: true, after: false, level, isCalled: false }
        return {
          steps: [...(active && after ? [stepOf(off, "it is archived then")] : []), stepOf(change, "asked for")]
        }
      }
      case "delete":
        return { steps: deletions(request, workflow, { levelOf, names, namesakes: namesakes.get(name) ?? [] }) }
      default:
        return changed(changeContent, { ...on, level }, workflow)
    }
  }

  const outcomes = yield* mapSliced(selected, (workflow) => ({ workflow, ...find(workflow) }), weightOfJson)
  const steps = outcomes.flatMap((one) => one.steps ?? [])
  return {
    kind: "bulk",
    steps: yield* sortSliced([...(steps.length === 0 ? [] : newTags), ...steps], order),
    warnings: [
      ...(action._tag === "delete" ? yield* warnOfDeletion(names, all) : []),
      ...(steps.length === 0 && outcomes.every(({ problem }) => problem === undefined)
        ? warnOfNothing(
            request,
            outcomes.some(({ stays = [] }) => stays.length > 0)
          )
        : []),
      ...(action._tag === "replace_text" && request.hasSecrets ? [secretsStay] : []),
      ...new Set(outcomes.flatMap(({ warnings = [] }) => warnings))
    ],
    blocked: outcomes.flatMap(({ problem, workflow }): ReadonlyArray<Blocked> =>
      problem === undefined ? [] : [{ what: `${workflow.name} (${workflow.id})`, reason: problem }]
    ),
    stays: outcomes.flatMap(({ stays = [] }) => stays),
    unchanged: outcomes.filter((one) => (one.steps ?? []).length === 0 && one.problem === undefined).length
  }
}

const one = (change: Change, reason: string): Outcome => ({ steps: [stepOf(change, reason)] })

const labelsOf = ({ tags = [] }: Workflow) => tags.map(({ name }) => name)

const callsOf = (workflow: Workflow) => calledIds(linksOf(contentOf(workflow)))

/** The tag that is given or taken, and the step that makes it where it is not there yet. */
const tagsOf = ({
  action,
  instance,
  tags
}: BulkRequest): { readonly refs: ReadonlyArray<Ref>; readonly steps: ReadonlyArray<Step> } => {
  if (action._tag !== "tag" && action._tag !== "untag") return { refs: [], steps: [] }
  const tag = tags.find(({ name }) => name === action.value)
  if (tag !== undefined) return { refs: [tag.id], steps: [] }
  if (action._tag === "untag") return { refs: [], steps: [] }
  const change: Change = { kind: "create-tag", instance, name: action.value }
  return { refs: [{ created_by: idOf(change) }], steps: [stepOf(change, "there is no such tag yet")] }
}

interface On {
  readonly instance: string
  readonly workflow: string
  readonly name: string
  readonly labels: ReadonlyArray<string>
  readonly level: number
}

/** The change of the content of one workflow, where the action makes one. */
const changeOf = (request: BulkRequest): ReturnType<typeof contentChange> => {
  const { action } = request
  return isContentAction(action) ? contentChange(request, action) : () => undefined
}

const isContentAction = (action: Action): action is ContentAction =>
  action._tag === "replace_credential" || action._tag === "replace_text" || action._tag === "set_error_workflow"

const changed = (change: ReturnType<typeof contentChange>, on: On, workflow: Workflow): Outcome => {
  const outcome = change(workflow)
  if (outcome === undefined) return {}
  if ("problem" in outcome) return outcome
  const current = contentOf(workflow)
  const { content, stays = [], warnings = [] } = outcome
  const before = partsBefore(content, current)
  if (differingParts(content, current).length === 0 && Object.keys(before).length === 0) return { stays }
  if (isArchived(workflow)) return { problem: "it is archived" }
  const update: Change = { kind: "update", ...on, before, after: content, references: [] }
  return { ...one(update, "asked for"), warnings, stays }
}

const placeText = ({ field, nodeType, notes }: Scope): string => {
  const fields = field === undefined ? [] : [`in ${typeof field === "string" ? field : field.join(", ")}`]
  const types = nodeType === undefined ? [] : [`of ${nodeType}`]
  const words = [...fields, ...types, ...(notes === true ? ["or in notes"] : [])]
  return words.length === 0 ? "" : ` ${words.join(" ")}`
}

/** Warnings where nothing matches: a text that stands nowhere may be a slip of the pen rather than done already. */
const warnOfNothing = ({ action, instance, selected }: BulkRequest, isAlike: boolean): ReadonlyArray<string> => {
  if (selected.length === 0) return [`No workflow on ${instance} matches where`]
  switch (action._tag) {
    case "replace_credential":
      return [`No selected workflow has a credential ${JSON.stringify(action.find)}`]
    case "replace_text":
      return [
        `No selected workflow has the text ${JSON.stringify(action.find)}${placeText(action.scope)}` +
          (action.match === "whole" ? " as a whole value" : "") +
          (isAlike
            ? `; not_changed holds it${action.match === "whole" ? ', and match "part" replaces it there' : ""}`
            : "")
      ]
    default:
      return []
  }
}

function* warnOfDeletion(
  gone: ReadonlyMap<string, string>,
  all: ReadonlyArray<Workflow>
): Sliced<ReadonlyArray<string>> {
  if (gone.size === 0) return []
  const callersAmong = (workflow: Workflow) =>
    !gone.has(workflow.id) && callsOf(workflow).some((id) => gone.has(id)) ? [workflow] : []
  const callers = (yield* mapSliced(all, callersAmong)).flat()
  return [
    "Deleted workflows lose their executions for good; a rollback creates them anew, under new ids",
    ...(callers.length === 0
      ? []
      : [
          `${callers.length} other workflows call what is deleted: ${callers
            .slice(0, 10)
            .map(({ name }) => name)
            .join(", ")}`
        ])
  ]
}

/** The executions to delete, beside the workflows that they are of. */
interface ExecutionDeletions {
  readonly instance: string
  /** Milliseconds since 1970; only what has ended before. */
  readonly before?: number | undefined
  readonly executions: ReadonlyArray<Execution>
  /** The names of workflows, by their ids, as far as they were read. */
  readonly names: ReadonlyMap<string, string>
}

/** Whether an execution has ended, and before that moment where one is given. */
const hasEnded = ({ startedAt, status, stoppedAt, waitTill }: Execution, before: number | undefined): boolean => {
  if (status === "running" || status === "new" || status === "waiting" || (waitTill ?? null) !== null) return false
  if (typeof stoppedAt !== "string") return false
  return before === undefined || Date.parse(typeof startedAt === "string" ? startedAt : stoppedAt) < before
}

/** Workflows of which a warning counts the executions. */
const mostCounted = 10

/** The deletion of executions, which nothing brings back. */
export const draftExecutionDeletions = ({ before, executions, instance, names }: ExecutionDeletions): Draft => {
  const ended = executions.filter((execution) => hasEnded(execution, before))
  const steps = ended
    .toSorted((a, b) => a.id - b.id)
    .map((execution): Step => {
      const { id, startedAt, status } = execution
      const workflow = String(execution.workflowId)
      const name = names.get(workflow)
      const change: Change = {
        kind: "delete-execution",
        instance,
        execution: id,
        workflow,
        ...(name === undefined ? {} : { name })
      }
      return stepOf(change, [status, startedAt].filter((one) => typeof one === "string").join(" "))
    })
  const counts = [...grouped(ended, ({ workflowId }) => String(workflowId))]
    .toSorted(([, some], [, others]) => others.length - some.length)
    .map(([id, some]) => `${some.length} of ${names.has(id) ? `${names.get(id)} (${id})` : id}`)
  const warnings = [
    `${steps.length} executions are deleted for good: no rollback brings them back`,
    ...(counts.length > 1 ? [`The executions are ${listed(counts, mostCounted)}`] : [])
  ]
  return {
    kind: "bulk",
    steps,
    warnings: steps.length === 0 ? [] : warnings,
    blocked: []
  }
}
