import { Predicate } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { nameOf, type Workflow } from "../../client/models.ts"
import { nodeKind } from "../../client/naming.ts"
import { type Path, valueAt, withValue } from "../references.ts"
import { fits, type Keep, type Mapping } from "../settings.ts"

/** A credential of an instance, without its values. */
export interface Credential {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** What is known of the credentials of an instance; some engines do not list them. */
export interface KnownCredentials {
  readonly all: ReadonlyArray<Credential>
  readonly isComplete: boolean
}

/** The credentials that workflows name in their nodes, each once. */
export const credentialsIn = (workflows: ReadonlyArray<Workflow>): ReadonlyArray<Credential> => {
  const found = workflows.flatMap(({ nodes }) =>
    nodes.flatMap(({ credentials }) =>
      Object.entries(isJsonObject(credentials) ? credentials : {}).flatMap(([type, given]) => {
        const { id, name } = isJsonObject(given) ? given : {}
        return Predicate.isString(id) && Predicate.isString(name) ? [{ id, name, type }] : []
      })
    )
  )
  return [...new Map(found.map((one) => [`${one.type} ${one.id}`, one])).values()]
}

/** What became of a node's credentials on the way. */
interface Matched {
  readonly node: JsonObject
  readonly problems: ReadonlyArray<string>
}

/** A node with the credentials of the other place in place of its own. */
export const withCredentials = (
  node: JsonObject,
  known: KnownCredentials,
  { credentials: mapped, to }: Pick<Mapping, "credentials" | "to">
): Matched => {
  const { credentials } = node
  if (!isJsonObject(credentials)) return { node, problems: [] }
  const problems: Array<string> = []
  const matched = Object.entries(credentials).map(([type, given]) => {
    const { id, name } = isJsonObject(given) ? given : {}
    if (!Predicate.isString(name) && !Predicate.isString(id)) return [type, given] as const
    const words = `credential ${JSON.stringify(name ?? id)} (${type}) of node ${nameOf(node)}`
    const wanted = mapped[`${type}/${String(name)}`] ?? mapped[String(id)] ?? mapped[String(name)]
    const looked = wanted ?? name
    const own = known.all.filter((one) => one.type === type && (one.name === looked || one.id === wanted))
    const [first, ...others] = own
    if (first !== undefined && others.length === 0) return [type, { id: first.id, name: first.name }] as const
    if (first === undefined && wanted !== undefined && !known.isComplete) {
      return [type, { id: wanted, name: String(name) }] as const
    }
    problems.push(
      first === undefined
        ? `${words} has no match on ${to}${known.isComplete ? "" : ", as far as its workflows show"}: create it there, or name one in promotion.mappings`
        : `${words} has several matches on ${to} (${own.map((one) => one.id).join(", ")}): name one by its id in promotion.mappings`
    )
    return [type, given] as const
  })
  return { node: { ...node, credentials: Object.fromEntries(matched) }, problems }
}

/** A node with texts of its parameters replaced wherever they stand inside of others, the longest first. */
export const withValues = (node: JsonObject, values: Mapping["values"]): JsonObject => {
  const texts = Object.keys(values).toSorted((a, b) => b.length - a.length)
  if (texts.length === 0 || node.parameters === undefined) return node
  const pattern = new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "g")
  const parameters = mapTexts(node.parameters, (text) => text.replace(pattern, (found) => values[found] ?? found))
  return { ...node, parameters }
}

const mapTexts = (json: unknown, change: (text: string) => string): unknown => {
  if (Predicate.isString(json)) return change(json)
  if (Array.isArray(json)) return json.map((item) => mapTexts(item, change))
  if (!isJsonObject(json)) return json
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, mapTexts(value, change)]))
}

const pathOf = (field: string): Path => field.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/** Fields of a node that rules keep as they are in its place. */
const keptFields = (rules: ReadonlyArray<Keep>, workflow: string, node: JsonObject): ReadonlyArray<string> =>
  rules.flatMap((rule) => {
    const type = String(node.type)
    const isMeant =
      fits(rule.workflow ?? "*", workflow) &&
      fits(rule.node ?? "*", nameOf(node)) &&
      (rule.type === undefined || rule.type === type || rule.type === nodeKind(type))
    return isMeant ? rule.fields : []
  })

/** A node with what rules keep of its twin on the target; `missing` are fields that have no value there. */
export const withKept = (
  node: JsonObject,
  twin: JsonObject | undefined,
  { rules, workflow }: { readonly rules: ReadonlyArray<Keep>; readonly workflow: string }
): { readonly node: JsonObject; readonly missing: ReadonlyArray<string> } => {
  const missing: Array<string> = []
  let kept = node
  for (const field of keptFields(rules, workflow, node)) {
    const value = twin === undefined ? undefined : valueAt(twin, pathOf(field))
    if (value !== undefined) kept = withValue(kept, pathOf(field), value)
    else if (valueAt(node, pathOf(field)) !== undefined) missing.push(`${nameOf(node)}.${field}`)
  }
  return { node: kept, missing }
}
