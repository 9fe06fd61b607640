import { keptSettings, removals } from "../client/body.ts"
import { generationOf, type Workflow } from "../workflow/models.ts"
import type { Step } from "./Step.ts"

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
