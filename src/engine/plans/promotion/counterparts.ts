import type { Workflow } from "../../workflow/models.ts"
import { isArchived } from "../content.ts"
import type { Mapping } from "../settings.ts"
import type { EarlierPromotions } from "./earlierPromotions.ts"

/** The workflow of the target that another one becomes, if there is one; or why nobody can tell. */
export type Counterpart =
  | { readonly _tag: "Found"; readonly workflow: Workflow; readonly by: "journal" | "mapping" | "name" }
  /** `former` is what an earlier promotion made, and somebody has deleted since. */
  | { readonly _tag: "New"; readonly former?: string }
  | { readonly _tag: "Unclear"; readonly reason: string }

interface Places {
  readonly from: string
  readonly to: string
  readonly source: ReadonlyMap<string, Workflow>
  readonly target: ReadonlyArray<Workflow>
  readonly promoted: EarlierPromotions
  readonly mapping: Mapping
}

const grouped = (workflows: ReadonlyArray<Workflow>): ReadonlyMap<string, ReadonlyArray<Workflow>> => {
  const byName = new Map<string, Array<Workflow>>()
  for (const workflow of workflows) {
    const namesakes = byName.get(workflow.name) ?? []
    byName.set(workflow.name, namesakes)
    namesakes.push(workflow)
  }
  return byName
}

/** Finds the counterpart of a workflow: by the mapping, by what earlier promotions have made, else by its name. */
export const counterpartFinder = ({ from, mapping, promoted, source, target, to }: Places) => {
  const byId = new Map(target.map((workflow) => [String(workflow.id), workflow]))
  const byName = grouped(target)
  const sourceNames = grouped([...source.values()].filter((workflow) => !isArchived(workflow)))
  const takenBy = new Map([...promoted.counterparts].map(([sourceId, other]) => [other, sourceId]))

  return (id: string): Counterpart => {
    const sourceWorkflow = source.get(id)
    const mapped =
      mapping.workflows[id] ?? (sourceWorkflow === undefined ? undefined : mapping.workflows[sourceWorkflow.name])
    if (mapped !== undefined) {
      const meant = byId.get(mapped) ?? byName.get(mapped)?.[0]
      const isOne = byId.has(mapped) || byName.get(mapped)?.length === 1
      return meant !== undefined && isOne
        ? { _tag: "Found", workflow: meant, by: "mapping" }
        : { _tag: "Unclear", reason: `the mapping names ${mapped}, which is not one workflow of ${to}` }
    }
    const former = promoted.counterparts.get(id)
    const formerWorkflow = byId.get(former ?? "")
    if (formerWorkflow !== undefined) {
      return isArchived(formerWorkflow)
        ? { _tag: "Unclear", reason: `its counterpart ${formerWorkflow.id} on ${to} is archived: unarchive it first` }
        : { _tag: "Found", workflow: formerWorkflow, by: "journal" }
    }
    if (sourceWorkflow === undefined) return { _tag: "Unclear", reason: `workflow ${id} is not there on ${from}` }
    const isFree = (workflow: Workflow) => {
      const other = takenBy.get(workflow.id)
      return !isArchived(workflow) && (other === undefined || other === id || !source.has(other))
    }
    const namesakes = (byName.get(sourceWorkflow.name) ?? []).filter(isFree)
    const [one, ...more] = namesakes
    if (one === undefined) return { _tag: "New", ...(former === undefined ? {} : { former }) }
    const ids = namesakes.map((workflow) => workflow.id).join(", ")
    const others = (sourceNames.get(sourceWorkflow.name) ?? []).length - 1
    if (more.length > 0) {
      return {
        _tag: "Unclear",
        reason: `${to} has several workflows of this name (${ids}): name one in mapping.workflows`
      }
    }
    return others > 0
      ? {
          _tag: "Unclear",
          reason: `${from} has ${others + 1} workflows of this name, and ${to} has ${ids}: name its counterpart in mapping.workflows`
        }
      : { _tag: "Found", workflow: one, by: "name" }
  }
}
