import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { isCommunityPackage, isOwnInOtherWords, nodeKind, packageOf, toEngineType } from "../../workflow/naming.ts"
import { nameOf } from "../../workflow/nodes.ts"
import type { Catalog } from "../Catalog.ts"
import { isExpression, isShown, type Settings, settingsOf } from "../conditions.ts"
import type { NodeType } from "../NodeType.ts"
import { suggestTypes } from "../suggestNodes.ts"
import { type Finding, quoted } from "./Finding.ts"
import { checkValues } from "./values.ts"

/** A node with the description of its type in its version. */
export interface DescribedNode {
  readonly type: NodeType
  readonly settings: Settings
}

/** The finding about an unknown type or version of a node. Packages without descriptions are not checked. */
export const checkType = (node: JsonObject, catalog: Catalog): Finding | undefined => {
  const type = toEngineType(textOf(node.type))
  const entry = catalog.find(type)
  const name = nameOf(node)
  if (entry === undefined) {
    if (!mustBeThere(type, catalog)) return undefined
    const near = similarTypes(type, catalog)
    const fix = near.length === 0 ? "find_nodes tells which there are" : `Did you mean ${near.join(" or ")}?`
    return { level: "error", node: name, field: "type", problem: `this engine has no node type ${type}`, fix }
  }
  const { typeVersion } = node
  if (!Predicate.isNumber(typeVersion) || entry.versions.includes(typeVersion) || entry.isBare === true)
    return undefined
  return {
    level: "error",
    node: name,
    field: "typeVersion",
    problem: `${type} has no version ${typeVersion} on this engine`,
    fix: `Take ${entry.defaultVersion}; there are ${entry.versions.join(", ")}`
  }
}

/** Types with a similar name, in any package. */
const similarTypes = (type: string, { entries }: Catalog): ReadonlyArray<string> => {
  const kind = nodeKind(type).toLowerCase()
  const same = entries.filter((entry) => nodeKind(entry.type).toLowerCase() === kind)
  return same.length > 0 ? same.map((entry) => entry.type) : suggestTypes(type, entries)
}

/** Whether a catalog must list a type, if it exists. */
export const mustBeThere = (type: string, { packages, source }: Catalog): boolean => {
  const name = packageOf(type)
  if (packages.includes(name) || source === "engine") return true
  // Types in a folder of the engine's owner, and community packages, need not be listed.
  if (name === "CUSTOM") return false
  return (
    !isCommunityPackage(name) ||
    packages.some((listedPackage) => listedPackage.endsWith(`/${name}`)) ||
    isOwnInOtherWords(name)
  )
}

/** The description that applies to a node, and the values that decide about its parameters. */
export const describedNode = (node: JsonObject, types: ReadonlyArray<NodeType>): DescribedNode | undefined => {
  const given = Predicate.isNumber(node.typeVersion) ? node.typeVersion : 1
  // If the version does not exist, the default one is checked instead.
  const version = types.some(({ versions }) => versions.includes(given)) ? given : types[0]?.defaultVersion
  const type = types.find(({ versions }) => version !== undefined && versions.includes(version))
  if (type === undefined || type.isBare === true) return undefined
  return { type, settings: settingsOf(type, objectOf(node.parameters), version ?? given) }
}

/** Findings about the parameters of a node. */
export const checkParameters = (node: JsonObject, { settings, type }: DescribedNode): ReadonlyArray<Finding> =>
  checkValues(type.properties, objectOf(node.parameters), { node: nameOf(node), path: "parameters", settings })

/** Parameters with which a node selects a credential type that its description does not name. */
const choosers = ["nodeCredentialType", "genericAuthType"]

/** Findings about the settings that all nodes share. */
export const checkOwn = (node: JsonObject): ReadonlyArray<Finding> => {
  const { onError } = node
  if (onError === undefined || onError === null || waysOn.some((one) => one === onError)) return []
  const problem = `${quoted(onError)} is not one of its values`
  return [{ level: "error", node: nameOf(node), field: "onError", problem, fix: `One of ${waysOn.join(", ")}` }]
}

const waysOn = ["stopWorkflow", "continueRegularOutput", "continueErrorOutput"]

/** Required credentials that are missing, and credentials that the node cannot use. */
export const checkCredentials = (node: JsonObject, { settings, type }: DescribedNode): ReadonlyArray<Finding> => {
  const name = nameOf(node)
  const given = objectOf(node.credentials)
  const values = objectOf(settings.values)
  const chosen = choosers.flatMap((chooser) => {
    const isUsed = type.properties.some((one) => one.name === chooser && isShown(one, settings))
    const value = values[chooser]
    return isUsed && Predicate.isString(value) && value !== "" ? [value] : []
  })
  if (chosen.some(isExpression)) return []
  const declared = type.credentials.filter((one) => isShown(one, settings))
  const wanted = [...declared.filter(({ required }) => required === true).map((one) => one.name), ...chosen]
  const usable = new Set([...declared.map((one) => one.name), ...chosen])
  const declaredTypes = new Set([...usable, ...type.credentials.map((one) => one.name)])
  const hasAny = Object.keys(given).some((key) => usable.has(key))
  const unusable = Object.keys(given).filter((key) => !usable.has(key))
  const allows = type.properties.some((one) => choosers.includes(one.name) || one.type === "credentials")
  const lacking = wanted.filter((one) => given[one] === undefined)
  return [
    ...(lacking.length > 0 && !(hasAny && chosen.length === 0)
      ? lacking.map((one): Finding => ({
          level: "error",
          node: name,
          field: `credentials.${one}`,
          problem:
            unusable.length === 0
              ? "the node has no credential"
              : `the node has a credential of type ${unusable.join(", ")}, which it cannot use in this way`,
          fix: `It needs one of type ${one}: {"${one}": {"id", "name"}}`
        }))
      : []),
    ...(lacking.length > 0
      ? []
      : unusable
          .filter((key) => !declaredTypes.has(key) && !allows)
          .map((key): Finding => ({
            level: "warning",
            node: name,
            field: `credentials.${key}`,
            problem: `this node uses no credential of type ${key}`,
            fix: usable.size === 0 ? "It needs none" : `It takes ${[...usable].join(", ")}`
          }))),
    ...Object.entries(given)
      .filter(([, value]) => !isJsonObject(value))
      .map(([key]): Finding => ({
        level: "error",
        node: name,
        field: `credentials.${key}`,
        problem: "is no reference to a credential",
        fix: "It must be {id, name}"
      })),
    ...Object.entries(given)
      .filter(([key, value]) => usable.has(key) && isJsonObject(value) && (value.id === undefined || value.id === ""))
      .map(([key]): Finding => ({
        level: "error",
        node: name,
        field: `credentials.${key}`,
        problem: "names no credential: its id is missing",
        fix: "It must be {id, name} of a credential of this instance"
      }))
  ]
}
