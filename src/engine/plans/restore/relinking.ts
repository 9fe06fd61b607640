import type { Workflow } from "../../workflow/models.ts"
import { type Change, type ChangeOf, type Content, idOf, type Reference } from "../Change.ts"
import type { Levels } from "../levels.ts"
import { linksOf } from "../workflowLinks.ts"

/** The creations of deleted workflows, by their former ids. */
export type Creations = ReadonlyMap<string, ChangeOf<"create">>

/** The places at which a content names workflows that are made anew, and the depth of these calls. */
interface Relinked {
  readonly references: ReadonlyArray<Reference>
  readonly level: number
}

/** The texts of a content that hold former ids of workflows that get new ones. */
export const relinked = (
  { id }: Pick<Workflow, "id">,
  content: Content,
  { created, graph }: { readonly created: Creations; readonly graph: Levels }
): Relinked => {
  const isLate = (other: string) => other === id || graph.isBack(id, other) || graph.levelOf(other) > graph.levelOf(id)
  const linkedTexts = linksOf(content).texts.flatMap(({ parts, path }) => {
    const others = parts.flatMap((part) =>
      typeof part === "string" || !created.has(part.workflow) ? [] : [part.workflow]
    )
    if (others.length === 0) return []
    const reference: Reference = {
      path,
      parts: parts.map((part) => {
        if (typeof part === "string") return part
        const creation = created.get(part.workflow)
        return creation === undefined ? part.workflow : { created_by: idOf(creation) }
      }),
      ...(others.some(isLate) ? { late: true } : {})
    }
    return [{ reference, others }]
  })
  return {
    references: linkedTexts.map(({ reference }) => reference),
    level: Math.max(graph.levelOf(id), ...linkedTexts.flatMap(({ others }) => others.map(graph.levelOf)))
  }
}

/** The update of a workflow that is made anew with the ids that only later steps make. */
export const closing = (creation: ChangeOf<"create">, level: number): Change => ({
  kind: "update",
  instance: creation.instance,
  workflow: { created_by: idOf(creation) },
  name: creation.content.name,
  before: {},
  after: creation.content,
  references: [...creation.references],
  level
})
