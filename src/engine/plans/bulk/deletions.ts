import type { Workflow } from "../../workflow/models.ts"
import { type Change, type ChangeOf, idOf, type Reference } from "../Change.ts"
import { contentOf, isArchived, wholeContentOf } from "../content.ts"
import { invert } from "../invert.ts"
import { type Step, stepOf } from "../Step.ts"
import { linksOf } from "../workflowLinks.ts"
import type { BulkRequest } from "./BulkRequest.ts"

interface Graph {
  readonly levelOf: (id: string) => number
  /** Names of all that is deleted, by its ids. */
  readonly names: ReadonlyMap<string, string>
  /** The ids of all workflows of this name: one that comes later was made anew by somebody else. */
  readonly namesakes: ReadonlyArray<string>
}

/** The steps that delete a workflow, with a rollback in which those that call each other find each other again. */
export const deletions = (
  { instance }: BulkRequest,
  workflow: Workflow,
  { levelOf, names, namesakes }: Graph
): ReadonlyArray<Step> => {
  const { active, id, name, tags = [] } = workflow
  const on = { instance, workflow: id, name, labels: tags.map((tag) => tag.name) }
  const level = levelOf(id)
  const again = (other: string) =>
    idOf(createAgain(removal(instance, { id: other, name: names.get(other) ?? "", level: 0 })))
  const references = linksOf(contentOf(workflow)).texts.flatMap(({ parts, path }): ReadonlyArray<Reference> => {
    const isOurs = parts.some((part) => typeof part !== "string" && names.has(part.workflow))
    if (!isOurs) return []
    const named = parts.map((part) => {
      if (typeof part === "string") return part
      return names.has(part.workflow) ? { created_by: again(part.workflow) } : part.workflow
    })
    return [{ path, parts: named, late: true }]
  })
  const change = {
    ...removal(instance, { id, name, level }),
    content: wholeContentOf(workflow),
    references,
    labels: on.labels,
    tags: tags.map((tag) => tag.id),
    namesakes: namesakes.filter((other) => other !== id)
  }
  const created = { created_by: idOf(createAgain(change)), later: true } as const
  const back: ReadonlyArray<Change> = [
    ...invert(change),
    ...(tags.length === 0
      ? []
      : [{ kind: "tags", ...on, workflow: created, before: [], after: tags.map((tag) => tag.id) } satisfies Change]),
    ...(active
      ? [
          {
            kind: "active",
            ...on,
            workflow: created,
            before: false,
            after: true,
            level,
            isCalled: false
          } satisfies Change
        ]
      : []),
    ...(isArchived(workflow)
      ? [{ kind: "archived", ...on, workflow: created, before: false, after: true } satisfies Change]
      : [])
  ]
  const off: Change = { kind: "active", ...on, before: true, after: false, level, isCalled: false }
  return [
    ...(active ? [{ ...stepOf(off, "it is deleted then"), undo: [] }] : []),
    { id: idOf(change), change, reason: "asked for", undo: back }
  ]
}

interface Removed {
  readonly id: string
  readonly name: string
  readonly level: number
}

const removal = (instance: string, { id, level, name }: Removed): ChangeOf<"delete"> => ({
  kind: "delete",
  instance,
  workflow: id,
  name,
  key: name.slice(0, 60),
  content: { name, nodes: [], connections: {}, settings: {} },
  references: [],
  level
})

const createAgain = (change: ChangeOf<"delete">): Change => {
  const [back] = invert(change)
  return back ?? change
}
