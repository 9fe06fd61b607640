import type { Blocked } from "../../../changes/Plan.ts"
import type { Workflow } from "../../workflow/models.ts"
import { proposed } from "../../workflow/names.ts"
import type { Content } from "../Change.ts"
import { contentOf } from "../content.ts"
import { calledIds, type Links, linksOf } from "../workflowLinks.ts"
import type { Counterpart } from "./counterparts.ts"
import type { Input } from "./Input.ts"

/** A workflow that goes along, as it is on the source. */
export interface Choice {
  readonly content: Content
  readonly links: Links
}

/** The workflows that were asked for, and those that they need and the target does not have. */
export const chooseWorkflows = (
  { from, options, selected, source }: Pick<Input, "from" | "options" | "selected" | "source">,
  counterpartOf: (id: string) => Counterpart
) => {
  const chosen = new Map<string, Choice>()
  const comesAlong = new Map<string, string>()
  const blocked: Array<Blocked> = []
  const open = [...new Set(selected)].toSorted()
  for (let id = open.shift(); id !== undefined; id = open.shift()) {
    const workflow = source.get(id)
    if (chosen.has(id)) continue
    if (workflow === undefined) {
      blocked.push({
        what: id,
        reason: `there is no workflow ${id} on ${from} that its key can read${proposed(id, [...source.values()])}`
      })
      continue
    }
    const content = contentOf(workflow)
    const links = linksOf(content)
    chosen.set(id, { content, links })
    for (const needed of calledIds(links)) {
      const isWanted = options.dependencies === "all" || counterpartOf(needed)._tag === "New"
      if (!source.has(needed) || chosen.has(needed) || !isWanted) continue
      if (!selected.includes(needed)) comesAlong.set(needed, content.name)
      open.push(needed)
    }
  }
  return { chosen, comesAlong, blocked }
}

/** Whether a workflow of the target may be the counterpart of one that goes along, whatever the target has. */
export const counterpartsOf = (
  places: Pick<Input, "from" | "mapping" | "options" | "promoted" | "selected" | "source">
): ((workflow: Workflow) => boolean) => {
  const { mapping, options, promoted } = places
  const all = { ...places, options: { ...options, dependencies: "all" } } as const
  const { chosen } = chooseWorkflows(all, () => ({ _tag: "New" }))
  const names = new Set([...chosen.values()].map(({ content }) => content.name))
  const references = new Set(
    [...chosen].flatMap(([id, { content }]) => [
      promoted.counterparts.get(id),
      mapping.workflows[id],
      mapping.workflows[content.name]
    ])
  )
  return ({ id, name }) => names.has(name) || references.has(id) || references.has(name)
}
