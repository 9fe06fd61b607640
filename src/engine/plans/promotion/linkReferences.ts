import { idOf, type Reference } from "../Change.ts"
import type { Levels } from "../levels.ts"
import type { LinkedText } from "../workflowLinks.ts"
import type { Choice } from "./chooseWorkflows.ts"
import type { Counterpart } from "./counterparts.ts"
import type { Input } from "./Input.ts"

/** A workflow that goes along, among all that do. */
export interface LinkContext {
  readonly id: string
  readonly choice: Choice
  readonly chosen: ReadonlyMap<string, Choice>
  readonly graph: Levels
  readonly counterpartOf: (id: string) => Counterpart
}

/** The origin of a workflow that is created, as one text. */
export const keyOf = (name: string, from: string, id: string) => `${name.slice(0, 60)} (${from} ${id})`

/** The texts with ids of workflows as they have to be on the target, and those that are only known once steps are done. */
export const linkReferences = (
  { from, source, to }: Input,
  { choice, chosen, graph, id, counterpartOf }: LinkContext
) => {
  const problems: Array<string> = []
  const references: Array<Reference> = []
  const texts: Array<readonly [LinkedText["path"], string]> = []
  let level = graph.levelOf(id)

  const meant = (other: string) => {
    const counterpart = counterpartOf(other)
    if (counterpart._tag === "Found") return String(counterpart.workflow.id)
    if (counterpart._tag === "Unclear" && !chosen.has(other))
      problems.push(`it calls workflow ${other}: ${counterpart.reason}`)
    const name = source.get(other)?.name
    return chosen.has(other) && name !== undefined
      ? { created_by: idOf({ kind: "create", instance: to, key: keyOf(name, from, other), ...nothing(name) }), other }
      : other
  }

  for (const { parts, path, use } of choice.links.texts) {
    const kept = parts.filter(
      (part) =>
        use !== "caller" ||
        typeof part === "string" ||
        chosen.has(part.workflow) ||
        counterpartOf(part.workflow)._tag === "Found"
    )
    const named = trimmed(kept).map((part) => (typeof part === "string" ? part : meant(part.workflow)))
    const open = named.flatMap((part) => (typeof part === "string" ? [] : [part.other]))
    const written = named.flatMap((part) => (typeof part === "string" ? [part] : []))
    if (open.length === 0) texts.push([path, written.join("")])
    else {
      const isLate = open.some(
        (other) => other === id || graph.isBack(id, other) || graph.levelOf(other) > graph.levelOf(id)
      )
      level = Math.max(level, ...open.map((other) => graph.levelOf(other)))
      references.push({
        path,
        parts: named.map((part) => (typeof part === "string" ? part : { created_by: part.created_by })),
        ...(isLate ? { late: true } : {})
      })
    }
  }
  return { texts, references, problems, level }
}

const nothing = (name: string) => ({
  content: { name, nodes: [], connections: {}, settings: {} },
  references: [],
  level: 0
})

/** A list without the commas that nothing stands between any more. */
const trimmed = (parts: LinkedText["parts"]): LinkedText["parts"] =>
  parts.filter((part, index) => part !== ", " || (index > 0 && parts[index - 1] !== ", " && index < parts.length - 1))
