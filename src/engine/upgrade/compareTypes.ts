import { type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import type { NodeType, Property } from "../nodes/NodeType.ts"
import { shortType } from "../workflow/naming.ts"
import { nameOf } from "../workflow/nodes.ts"
import { isEnabled } from "../workflow/triggers.ts"
import type { Finding, Severity } from "./Rule.ts"

/** Something that comparing a node with the node types of the target shows, beside the rules. */
export interface TypeFinding extends Omit<Finding, "rule"> {
  readonly rule: "type" | "version" | "parameter" | "deprecated"
  readonly severity: Severity
}

/** The difference between a node type in one version of the engine and in another one. */
export interface TypeChange {
  readonly isGone: boolean
  readonly isVersionGone: boolean
  readonly isDeprecated: boolean
  readonly replacedBy: string | undefined
  /** Parameters that go, and those of which only some values go. */
  readonly lost: ReadonlyArray<{ readonly name: string; readonly values?: ReadonlyArray<unknown> }>
}

/** The descriptions of a type on the present engine, undefined where nobody knows them, and on the target. */
interface Sides {
  readonly present: ReadonlyArray<NodeType> | undefined
  readonly target: ReadonlyArray<NodeType>
}

const describing = (types: ReadonlyArray<NodeType>, version: number) =>
  types.find((one) => one.versions.includes(version))

/** The changes that an upgrade makes to a type; undefined where nothing, or where the present engine lacks it as well. */
export const typeChange = (version: number, { present, target }: Sides): TypeChange | undefined => {
  const before = present && describing(present, version)
  if (present !== undefined && before === undefined) return undefined
  const after = describing(target, version)
  const change: TypeChange = {
    isGone: target.length === 0,
    isVersionGone: target.length > 0 && after === undefined,
    isDeprecated: after?.isDeprecated === true,
    replacedBy: after?.replacedBy,
    lost: before === undefined || after === undefined || after.isBare === true ? [] : lostParameters(before, after)
  }
  return change.isGone || change.isVersionGone || change.isDeprecated || change.lost.length > 0 ? change : undefined
}

const lostParameters = (before: NodeType, after: NodeType): TypeChange["lost"] =>
  [...new Set(before.properties.map(({ name }) => name))].flatMap((name) => {
    const [those, these] = [named(before, name), named(after, name)]
    if (these.length === 0) return [{ name }]
    const left = these.flatMap(({ choices = [] }) => choices.map(({ value }) => value))
    if (left.length === 0 || [...those, ...these].some(({ isDynamic }) => isDynamic === true)) return []
    const values = those.flatMap(({ choices = [] }) => choices.map(({ value }) => value))
    const lost = values.filter((value) => !left.includes(value))
    return lost.length === 0 ? [] : [{ name, values: lost }]
  })

const named = ({ properties }: NodeType, name: string): ReadonlyArray<Property> =>
  properties.filter((one) => one.name === name)

/** The findings in a node whose type changes. */
export const changesOf = (node: JsonObject, change: TypeChange): ReadonlyArray<TypeFinding> => {
  const parameters = objectOf(node.parameters)
  const type = shortType(String(node.type))
  const finding = (rule: TypeFinding["rule"], severity: Severity, field: string, message: string): TypeFinding => ({
    rule,
    node: nameOf(node),
    field,
    message,
    severity: isEnabled(node) ? severity : "cosmetic"
  })
  const instead = change.replacedBy === undefined ? "" : `; ${shortType(change.replacedBy)} replaces it`
  if (change.isGone) return [finding("type", "stops", "type", `The target has no node type ${type}`)]
  if (change.isVersionGone) {
    const message = `The target has no version ${String(node.typeVersion)} of ${type}`
    return [finding("version", "stops", "typeVersion", message)]
  }
  return [
    ...(change.isDeprecated
      ? [
          finding(
            "deprecated",
            "cosmetic",
            "type",
            `${type} runs, but can be neither created, copied nor changed any more${instead}`
          )
        ]
      : []),
    ...change.lost.flatMap(({ name, values }) => {
      const value = parameters[name]
      if (value === undefined || (values !== undefined && !values.includes(value))) return []
      const what = values === undefined ? `the parameter ${name}` : `the value ${JSON.stringify(value)} of ${name}`
      return [finding("parameter", "changes results", `parameters.${name}`, `The target's ${type} has not ${what}`)]
    })
  ]
}
