import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { createBody, bodyForms } from "../../client/body.ts"
import { type Generation, nameOf } from "../../workflow/models.ts"
import type { Content } from "../Change.ts"

/** A content as an engine takes it, and what it does not take of it, as paths like `settings.callerPolicy`. */
export const fit = (
  content: Content,
  generation: Generation
): { readonly content: Content; readonly dropped: ReadonlyArray<string> } => {
  const { body } = createBody(content, bodyForms[generation])
  const settings = lost(content.settings, body.settings).map((field) => `settings.${field}`)
  const nodes = content.nodes.flatMap((node, index) =>
    lost(node, body.nodes[index] ?? {}).map((field) => `${nameOf(node)}.${field}`)
  )
  return { content: { ...content, nodes: body.nodes, settings: body.settings }, dropped: [...settings, ...nodes] }
}

const lost = (given: JsonObject, taken: JsonObject) =>
  Object.keys(given).filter((field) => given[field] !== undefined && taken[field] === undefined)

/** The reason for which engines of generation 2 would refuse a content; older ones take anything. */
export const structureProblem = ({ connections, name, nodes }: Content, generation: Generation): string | undefined => {
  if (generation === "1.x") return undefined
  if (name.trim() === "" || name.length > 128) return "its name must have 1 to 128 characters there"
  const names = new Set<string>()
  const ids = new Set<unknown>()
  for (const [index, node] of nodes.entries()) {
    const { id, position, type } = node
    const called = nameOf(node)
    if (called === "") return `node ${index + 1} has no name`
    if (names.has(called)) return `two nodes are called ${called}`
    if (typeof type !== "string" || type === "") return `node ${called} has no type`
    if (!Array.isArray(position) || position.length !== 2) return `node ${called} has no position of two numbers`
    if (id !== undefined && id !== "" && ids.has(id)) return `node ${called} shares its id with another one`
    names.add(called)
    ids.add(id)
  }
  const stray = endsOf(connections).find((end) => !names.has(end))
  return stray === undefined ? undefined : `a connection names node ${stray}, which is not there`
}

const endsOf = (connections: JsonObject): ReadonlyArray<string> => [
  ...Object.keys(connections),
  ...[...JSON.stringify(connections).matchAll(/"node":("(?:[^"\\]|\\.)*")/g)].map(([, text = '""']) => unquoted(text))
]

const unquoted = (text: string): string => String(JSON.parse(text))
