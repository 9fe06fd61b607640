import type { Judgement } from "../../changes/RemoteState.ts"
import { isSameJson } from "../../internal/json/digest.ts"
import { keptSettings, removals } from "../client/body.ts"
import { generationOf, type Workflow } from "../workflow/models.ts"
import { type ChangeOf, contentBefore } from "./Change.ts"
import { contentOf, differingParts, differsBeside, isArchived, shownFor } from "./content.ts"
import type { Step } from "./Step.ts"

/** The state of a change of a workflow, as the workflow shows it. */
export const judgementOf = (
  change: ChangeOf<"active" | "archived" | "delete" | "tags" | "update">,
  workflow: Workflow
): Judgement => {
  switch (change.kind) {
    case "archived":
      return isArchived(workflow) === change.after ? "already" : "pending"
    case "active":
      return workflow.active === change.after ? "already" : "pending"
    case "tags": {
      const ids = tagIdsOf(workflow)
      return isSameSet(ids, change.after) ? "already" : isSameSet(ids, change.before) ? "pending" : "drift"
    }
    case "delete":
      return changedParts(change, workflow).length === 0 ? "pending" : "drift"
    default: {
      const current = shownFor(change.after, workflow)
      if (differingParts(change.after, current).length === 0 && removedSettings(change, workflow).length === 0) {
        return "already"
      }
      return changedParts(change, workflow).length === 0 ? "pending" : "drift"
    }
  }
}

/** The parts of a workflow that are not what a change was planned for. */
export const changedParts = (
  change: ChangeOf<"delete" | "tags" | "update">,
  workflow: Workflow
): ReadonlyArray<string> => {
  if (change.kind === "tags") return ["tags"]
  if (change.kind === "update") {
    return differsBeside(change.references, contentBefore(change), shownFor(change.after, workflow))
  }
  const parts = differsBeside(change.references, change.content, contentOf(workflow))
  const hasTags = change.tags === undefined || isSameSet(tagIdsOf(workflow), change.tags)
  return hasTags ? parts : [...parts, "tags"]
}

/** Settings that the change removes and that are still there, although this engine can remove them. */
export const removedSettings = (
  { after, before }: Pick<ChangeOf<"update">, "after" | "before">,
  workflow: Workflow
): ReadonlyArray<string> =>
  Object.keys(before.settings ?? {}).filter(
    (name) =>
      after.settings[name] === undefined &&
      contentOf(workflow).settings[name] !== undefined &&
      (generationOf(workflow) === "1.x" || Object.hasOwn(removals, name))
  )

const tagIdsOf = ({ tags = [] }: Workflow): ReadonlyArray<string> => tags.map(({ id }) => id)

/** Whether two lists of ids hold the same, in any order. */
const isSameSet = (ids: ReadonlyArray<unknown>, others: ReadonlyArray<unknown>): boolean =>
  isSameJson([...new Set(ids)].map(String).sort(), [...new Set(others)].map(String).sort())

/** Says which settings steps take away that the engine keeps all the same: those of generation 2 lose only some. */
export const unremovableSettings = (
  steps: ReadonlyArray<Step>,
  current: ReadonlyMap<string, Workflow>
): ReadonlyArray<string> =>
  steps.flatMap(({ change }) => {
    if (change.kind !== "update" || typeof change.workflow !== "string") return []
    const workflow = current.get(change.workflow)
    if (workflow === undefined || generationOf(workflow) === "1.x") return []
    const names = Object.keys(change.before.settings ?? {}).filter(
      (name) => change.after.settings[name] === undefined && !Object.hasOwn(removals, name)
    )
    const { after, instance } = change
    return names.length === 0
      ? []
      : [`${after.name} keeps the settings ${keptSettings(names)}: the engine of ${instance} cannot lose them`]
  })
