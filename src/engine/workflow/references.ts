import { Predicate } from "effect"

import { type JsonObject, isJsonObject } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "./nodes.ts"
import { mayRefer, type Naming, renameInCode, type Visit } from "./sourceCode.ts"
import { kindOf } from "./triggers.ts"

/** The names of nodes that a node's expressions and code refer to, each once, in the order of their first mention. */
export const referencesOf = (node: JsonObject): ReadonlyArray<string> => {
  const names = new Set<string>()
  renameInNode(node, (name) => {
    names.add(name)
    return undefined
  })
  return [...names]
}

/** Whether a node's expressions or code hold this text by itself, which may be what they call a node by in another way. */
export const mentions = (node: JsonObject, text: string): boolean => {
  let isThere = false
  visited(node, {
    naming: () => undefined,
    onText: (mention) => {
      isThere ||= mention === text
    }
  })
  return isThere
}

/** The uses of variables of the engine in a node's expressions and code: each name once, `undefined` for what a run alone knows. */
export const variablesOf = (node: JsonObject): ReadonlyArray<string | undefined> => {
  const names = new Set<string | undefined>()
  visited(node, { naming: () => undefined, onVariable: (name) => names.add(name) })
  return [...names]
}

/** A node whose expressions and code call others as `naming` says; the same object where nothing changes. */
export const renameInNode = (node: JsonObject, naming: Naming): JsonObject => visited(node, { naming })

const visited = (node: JsonObject, visit: Visit): JsonObject => {
  if (!isJsonObject(node.parameters)) return node
  const kind = kindOf(node)
  const rename = (value: unknown, path: ReadonlyArray<string>): unknown => {
    if (Predicate.isString(value)) return renameInText(value, kind, path, visit)
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => rename(item, path))
      return items.some((item, place) => item !== value[place]) ? items : value
    }
    if (!isJsonObject(value)) return value
    const fields = Object.entries(value).map(([name, field]) => [name, rename(field, [...path, name])] as const)
    return fields.some(([name, field]) => field !== value[name]) ? Object.fromEntries(fields) : value
  }
  const parameters = rename(node.parameters, [])
  return parameters === node.parameters ? node : { ...node, parameters }
}

const renameInText = (text: string, kind: string, path: ReadonlyArray<string>, visit: Visit): string => {
  if (text.startsWith("=")) return renameInTemplate(text, visit)
  const field = path.at(-1) ?? ""
  if (field === "pythonCode") return renameInCode(text, "python", visit)
  const isCode = codeFields.has(field) || (kind === "code" && path.length === 3 && field === "code")
  if (isCode) return renameInCode(text, "javascript", visit)
  return isTemplateOf(kind, field) ? renameInTemplate(text, visit) : text
}

const codeFields = new Set(["functionCode", "jsCode"])

const queries = new Set(["query", "queryReplacement"])
const html = new Set(["html"])

const templates: Readonly<Record<string, ReadonlySet<string>>> = {
  form: new Set(["html", "jsonOutput"]),
  formTrigger: new Set(["html", "jsonOutput"]),
  googleBigQuery: new Set(["sqlQuery"]),
  html,
  mailgun: html,
  merge: queries,
  microsoftSql: queries,
  mySql: queries,
  oracleDatabase: queries,
  postgres: queries,
  set: new Set(["jsonOutput"]),
  snowflake: queries,
  timescaleDb: queries
}

/** Whether a node evaluates the expressions of a field by itself, also where no `=` says that there are some. */
export const isTemplateOf = (kind: string, field: string): boolean => templates[kind]?.has(field) === true

/** The former and the new name of a node. */
interface Renaming {
  readonly from: string
  readonly to: string
}

/** The parts of a workflow in which nodes are called by name. */
interface Named {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
  readonly pinData?: unknown
  readonly staticData?: unknown
}

/**
 * Calls a node by another name wherever it is called by its name: in connections of every type, in expressions and code, and
 * where an engine keeps pinned data and the state of triggers. Everything else stays as it is, in its order.
 */
export const renameNode = <W extends Named>(workflow: W, renaming: Renaming): W => {
  const { from, to } = renaming
  return {
    ...workflow,
    nodes: workflow.nodes.map((node) => {
      const renamed = renameInNode(node, (name) => (name === from ? to : undefined))
      return nameOf(node) === from ? { ...renamed, name: to } : renamed
    }),
    connections: renameTargets(renameKey(workflow.connections, from, to), renaming),
    ...(isJsonObject(workflow.pinData) ? { pinData: renameKey(workflow.pinData, from, to) } : {}),
    ...(isJsonObject(workflow.staticData)
      ? { staticData: renameKey(workflow.staticData, stateKey(from), stateKey(to)) }
      : {})
  }
}

/** The key of a node's state in a workflow's static data. */
export const stateKey = (name: string): string => `node:${name}`

const renameKey = (record: JsonObject, from: string, to: string): JsonObject =>
  Object.hasOwn(record, from)
    ? Object.fromEntries(Object.entries(record).map(([name, value]) => [name === from ? to : name, value]))
    : record

/** Every target at any depth: engines keep connections that no rule would let through. */
const renameTargets = (connections: JsonObject, renaming: Renaming): JsonObject =>
  Object.fromEntries(Object.entries(connections).map(([source, types]) => [source, inTargets(types, renaming)]))

const inTargets = (value: unknown, renaming: Renaming): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => inTargets(item, renaming))
  if (!isJsonObject(value)) return value
  if (Predicate.isString(value.node)) return value.node === renaming.from ? { ...value, node: renaming.to } : value
  return Object.fromEntries(Object.entries(value).map(([type, inner]) => [type, inTargets(inner, renaming)]))
}
/**
 * A template in which the expressions, `{{ … }}`, go through `naming`, and the text around them stays. A backslash takes
 * the meaning from a bracket; brackets that nobody closes are text.
 */

const renameInTemplate = (template: string, visit: Visit): string => {
  if (!mayRefer(template, visit)) return template
  let text = ""
  let at = 0
  for (;;) {
    const from = bracket(template, "{{", at)
    const to = from < 0 ? -1 : bracket(template, "}}", from + 2)
    if (to < 0) return text + template.slice(at)
    const inside = template.slice(from + 2, to)
    text += `${template.slice(at, from)}{{${withoutBrackets(inside, renameInCode(inside, "javascript", visit))}}}`
    at = to + 2
  }
}
/** The place of the next bracket that has no backslash before it. */
const bracket = (template: string, which: "{{" | "}}", from: number): number => {
  let at = template.indexOf(which, from)
  while (at > 0 && template.charAt(at - 1) === "\\") at = template.indexOf(which, at + 1)
  return at
}
/** A name with brackets in it would end the expression that it is put into. */
const withoutBrackets = (before: string, after: string): string =>
  before.includes("}}") ? after : after.replaceAll("}}", "}\\u007d")
