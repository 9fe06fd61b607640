import { Predicate, Result } from "effect"

import { fits } from "../../../internal/fits.ts"
import { listed } from "../../../internal/foreignText.ts"
import { isSameJson } from "../../../internal/json/digest.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { type Growth, replaceTexts } from "../../../internal/texts.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { inQuotes } from "../../workflow/names.ts"
import { nodeKind } from "../../workflow/naming.ts"
import { mapTexts, parsePath, type Path, valueAt, replaceAt } from "../../workflow/valuePaths.ts"
import { type KnownCredentials, resolveCredentials } from "../credentials.ts"
import { type Replaced, replacingIn } from "../replacing.ts"
import type { Keep, Mapping } from "../settings.ts"
import type { Input } from "./Input.ts"

/** A node with the credentials of the other place in place of its own. */
export const withCredentials = (
  node: JsonObject,
  credentials: KnownCredentials,
  { credentials: mapped, to }: Pick<Mapping, "credentials" | "to">
) =>
  resolveCredentials(node, { instance: to, credentials }, (type, { id, name }) => {
    if (!Predicate.isString(name) && !Predicate.isString(id)) return undefined
    const words = `credential ${JSON.stringify(name ?? id)} (${type}) of node ${nameOf(node)}`
    const wanted = mapped[`${type}/${String(name)}`] ?? mapped[String(id)] ?? mapped[String(name)]
    const meant = wanted === undefined ? "" : `, nor is ${JSON.stringify(wanted)}, which the mapping names, one`
    return {
      id: wanted,
      name: wanted ?? String(name),
      problem: (match) =>
        match._tag === "None"
          ? `${words} has no match on ${to}${match.why}${meant}: create it there, or ${giveIt}`
          : `${words} has several matches on ${to} (${match.ids.join(", ")}): ${giveIt}`
    }
  })

/** Advice about a credential that nobody finds. */
const giveIt = "give its id in mapping.credentials, or in promotion.mappings of the configuration"

/** Texts of parameters that stand for others. What only this promotion was given is for what is no secret. */
interface Values {
  readonly configured: Mapping["values"]
  readonly given: Mapping["values"]
  /** Whether what was given stands for whole values, or for parts of them. */
  readonly match: "part" | "whole"
}

/**
 * Nodes with texts of their parameters replaced: those of the configuration wherever they stand inside of others, the longest
 * first. What was given goes before these.
 */
export const withValues = (
  growth: Growth,
  { configured, given, match }: Values
): (<Node extends JsonObject>(node: Node) => Replaced<Node>) => {
  const everywhere = replaceTexts(new Map(Object.entries(configured)), growth)
  const texts = new Map(Object.entries(match === "part" ? { ...configured, ...given } : given))
  const withGiven = replacingIn({ texts, match, scope: {} }, { hidden: everywhere, otherwise: everywhere })
  return (node) => {
    if (node.parameters === undefined) return { node, stays: [] }
    return Object.keys(given).length === 0
      ? { node: { ...node, parameters: mapTexts(node.parameters, everywhere) }, stays: [] }
      : withGiven(node, growth)
  }
}

/** The fields of a node itself; any other name is taken for one of its parameters. */
const nodeFields = new Set(
  (
    "parameters credentials disabled notes notesInFlow onError continueOnFail retryOnFail maxTries waitBetweenTries " +
    "executeOnce alwaysOutputData typeVersion webhookId position"
  ).split(" ")
)

const isOfNodes = (field: string) => nodeFields.has(String(pathOf(field)[0]))

/** The rule that leaves a field of one node to the target, or a setting where no node is given. */
export const keepOf = ({ field, node }: { readonly field: string; readonly node?: string | undefined }) => {
  if (node !== undefined) {
    return Result.succeed<Keep>({ node, fields: [isOfNodes(field) ? field : `parameters.${field}`] })
  }
  return isOfNodes(field)
    ? Result.fail(`needs a node for ${field}: without one, field is a setting such as timezone`)
    : Result.succeed<Keep>({ fields: [field.startsWith("settings.") ? field : `settings.${field}`] })
}

const pathOf = (field: string): Path =>
  Result.getOrElse(parsePath(field), () => field.split(".")).map((part) =>
    typeof part === "string" && /^\d+$/.test(part) ? Number(part) : part
  )

/** Rules of this promotion that keep nothing, in words: neither what is promoted nor the target has what they name. */
export const uselessKeeps = (
  { givenKeep = [], source, target }: Pick<Input, "givenKeep" | "source" | "target">,
  promoted: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const theirs = promoted.flatMap((id) => source.get(id) ?? [])
  const all = [...theirs, ...target]
  return givenKeep.flatMap(({ fields, node }) => {
    const nodesIn = (workflows: ReadonlyArray<Workflow>) =>
      workflows.flatMap(({ nodes }) => nodes.filter((one) => fits(node ?? "*", nameOf(one))))
    const places: ReadonlyArray<JsonObject> = node === undefined ? all : nodesIn(all)
    const isThere = places.some((place) => fields.some((field) => valueAt(place, pathOf(field)) !== undefined))
    if (node === undefined) return isThere ? [] : [`keep: no workflow has ${listed(fields, mostFields)}`]
    if (nodesIn(theirs).length === 0) return [`keep: no node of what is promoted is called ${inQuotes(node)}`]
    return isThere ? [] : [`keep: no node called ${inQuotes(node)} has ${listed(fields, mostFields)}`]
  })
}

/** Fields that a warning names. */
const mostFields = 3

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

/**
 * A node with what rules keep of its counterpart on the target; `names` are the fields that differ there, `missing` those that
 * have no value there.
 */
export const withKept = (
  node: JsonObject,
  counterpart: JsonObject | undefined,
  { rules, workflow }: { readonly rules: ReadonlyArray<Keep>; readonly workflow: string }
) => {
  const names: Array<string> = []
  const missing: Array<string> = []
  let kept = node
  for (const field of keptFields(rules, workflow, node)) {
    const value = counterpart === undefined ? undefined : valueAt(counterpart, pathOf(field))
    const given = valueAt(node, pathOf(field))
    const label = `${nameOf(node)}.${field}`
    if (value !== undefined) {
      kept = replaceAt(kept, pathOf(field), value)
      if (!isSameJson(value, given)) names.push(label)
    } else if (given !== undefined) missing.push(label)
  }
  return { node: kept, names, missing }
}
