import type { Blocked } from "../../../changes/Plan.ts"
import type { Workflow } from "../../client/models.ts"
import { holdsSecrets, secretsStay } from "../../workflow/maskSecrets.ts"
import { hasValidTrigger } from "../../workflow/triggers.ts"
import { type Change, idOf, type Ref } from "../Change.ts"
import { contentOf, differingParts, isArchived, partsBefore } from "../content.ts"
import { order } from "../order.ts"
import { levels } from "../promotion/levels.ts"
import { calledIds, linksOf } from "../promotion/workflowLinks.ts"
import { type Draft, type Step, stepOf } from "../Step.ts"
import type { BulkRequest } from "./BulkRequest.ts"
import { contentChange, type ContentAction } from "./contentChanges.ts"
import { deletions } from "./deletions.ts"

/** What becomes of one workflow: steps, a reason why none, or nothing to do. */
interface Found {
  readonly steps?: ReadonlyArray<Step>
  readonly problem?: string
  readonly warnings?: ReadonlyArray<string>
}

/** What an action does to each of many workflows; pure, the same for the same workflows in any order. */
export const draftBulk = (request: BulkRequest): Omit<Draft, "estimate"> & { readonly unchanged: number } => {
  const { action, all, instance, selected } = request
  const calls = new Map(selected.map((workflow) => [String(workflow.id), callsOf(workflow)]))
  const { levelOf } = levels(calls)
  const { refs, steps: newTags } = tagsOf(request)

  const find = (workflow: Workflow): Found => {
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
        return { steps: deletions(request, workflow, { calls, levelOf }) }
      default:
        return changed(request, action, { ...on, level }, workflow)
    }
  }

  const found = selected.map((workflow) => ({ workflow, ...find(workflow) }))
  const steps = found.flatMap((one) => one.steps ?? [])
  return {
    kind: "bulk",
    steps: [...(steps.length === 0 ? [] : newTags), ...steps].toSorted(order),
    warnings: [
      ...(action._tag === "delete" ? warnOfDeletion(selected, all) : []),
      ...(steps.length === 0 && found.every(({ problem }) => problem === undefined) ? warnOfNothing(request) : []),
      ...(action._tag === "replace_text" &&
      selected.some(({ nodes }) => nodes.some(({ parameters }) => holdsSecrets(parameters)))
        ? [secretsStay]
        : []),
      ...new Set(found.flatMap(({ warnings = [] }) => warnings))
    ],
    blocked: found.flatMap(({ problem, workflow }): ReadonlyArray<Blocked> =>
      problem === undefined ? [] : [{ what: `${workflow.name} (${workflow.id})`, reason: problem }]
    ),
    unchanged: found.filter((one) => (one.steps ?? []).length === 0 && one.problem === undefined).length
  }
}

const one = (change: Change, reason: string): Found => ({ steps: [stepOf(change, reason)] })

const labelsOf = ({ tags = [] }: Workflow) => tags.map(({ name }) => name)

const callsOf = (workflow: Workflow) => calledIds(linksOf(contentOf(workflow)))

/** The tag that is given or taken, and the step that makes it where it is not there yet. */
const tagsOf = ({
  action,
  instance,
  tags
}: BulkRequest): { readonly refs: ReadonlyArray<Ref>; readonly steps: ReadonlyArray<Step> } => {
  if (action._tag !== "tag" && action._tag !== "untag") return { refs: [], steps: [] }
  const known = tags.find(({ name }) => name === action.value)
  if (known !== undefined) return { refs: [known.id], steps: [] }
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

const changed = (request: BulkRequest, action: ContentAction, on: On, workflow: Workflow): Found => {
  const outcome = contentChange(request, action)(workflow)
  if (outcome === undefined) return {}
  if ("problem" in outcome) return outcome
  const shown = contentOf(workflow)
  const { content, warnings = [] } = outcome
  const before = partsBefore(content, shown)
  if (differingParts(content, shown).length === 0 && Object.keys(before).length === 0) return {}
  if (isArchived(workflow)) return { problem: "it is archived" }
  const change: Change = { kind: "update", ...on, before, after: content, references: [] }
  return { ...one(change, "asked for"), warnings }
}

/** What is looked for and stands nowhere may be a slip of the pen rather than done already. */
const warnOfNothing = ({ action, instance, selected }: BulkRequest): ReadonlyArray<string> => {
  if (selected.length === 0) return [`No workflow on ${instance} matches where`]
  switch (action._tag) {
    case "replace_credential":
      return [`No selected workflow has a credential ${JSON.stringify(action.find)}`]
    case "replace_text":
      return [
        `No selected workflow has the text ${JSON.stringify(action.find)}${action.field === undefined ? "" : ` in ${action.field}`}`
      ]
    default:
      return []
  }
}

const warnOfDeletion = (selected: ReadonlyArray<Workflow>, all: ReadonlyArray<Workflow>): ReadonlyArray<string> => {
  if (selected.length === 0) return []
  const gone = new Set(selected.map(({ id }) => String(id)))
  const callers = all.filter((workflow) => !gone.has(workflow.id) && callsOf(workflow).some((id) => gone.has(id)))
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
