import { Predicate, Struct } from "effect"

import { nameAmongWords, oneLine, quotedLines } from "../../internal/foreignText.ts"
import { isSameJson } from "../../internal/json/digest.ts"
import { weightOfJson } from "../../internal/json/values.ts"
import { type JsonObject, fieldIn, isJsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { maskText } from "../../internal/secrets/maskSecrets.ts"
import { type Sliced, atOnce, mapSliced } from "../../internal/Sliced.ts"
import { type Change, connectionChanges, pinChanges } from "./differenceOfConnections.ts"
import { type ValueDifference, cutValue, describeValue, shortValue, valueDifferences } from "./differenceOfValues.ts"
import { nodeKind, toEngineType } from "./naming.ts"
import { groupChanges } from "./nodeGroups.ts"
import { nameOf, type NodePairs, nodesOf, pairNodes, renamesIn } from "./nodes.ts"
import { renameInNode } from "./references.ts"
import { kindOf } from "./triggers.ts"
import { withoutEditorIds } from "./valuePaths.ts"

export type { Change } from "./differenceOfConnections.ts"

/** Parts that are compared only on request. */
interface Also {
  /** The number of nodes that were moved on the canvas, as one change. */
  readonly positions?: boolean
  /** The ids of webhooks, which make their addresses. */
  readonly webhooks?: boolean
  /** The parameters and credentials of new nodes. */
  readonly contents?: boolean
}

/**
 * The changes between two workflows, as a person would name them: names, nodes, connections of every type, groups, settings, tags
 * by name, state and pinned data. Positions of nodes, ids and stamps are left aside; credentials go by name. A part that
 * one side does not have at all (`undefined`) is not compared, as versions and executions hold less than workflows do.
 */
export const differences = (before: JsonObject, after: JsonObject, also: Also = {}): ReadonlyArray<Change> =>
  atOnce(differencesSliced(before, after, also))

/** The same for workflows of any size. */
export function* differencesSliced(
  before: JsonObject,
  after: JsonObject,
  also: Also = {}
): Sliced<ReadonlyArray<Change>> {
  const pairs = pairNodes(nodesOf(before), nodesOf(after))
  return [
    ...headChanges(before, after),
    ...(yield* nodeChanges(pairs, also)),
    ...connectionChanges(before, after, pairs),
    ...groupChanges(before, after, pairs),
    ...pinChanges(before, after, renamesIn(pairs)),
    ...settingChanges(before, after),
    ...tagChanges(before, after)
  ]
}

/** The texts of changes, the first ones where there are many. */
export const changeLines = (changes: ReadonlyArray<Change>, most = 40): ReadonlyArray<string> => {
  const lines = changes
    .slice(0, most)
    .map(({ hunk, text }) => [oneLine(text), ...(hunk === undefined ? [] : quotedLines(hunk))].join("\n"))
  return changes.length <= most
    ? lines
    : [...lines, `and ${changes.length - most} more ${changes.length - most === 1 ? "change" : "changes"}`]
}

const headChanges = (before: JsonObject, after: JsonObject): ReadonlyArray<Change> =>
  (["name", "description", "active", "isArchived"] as const).flatMap((field): ReadonlyArray<Change> => {
    const [was, is] = [before[field], after[field]]
    if (was === undefined || is === undefined || isSameJson(was ?? "", is ?? "")) return []
    const text =
      field === "active"
        ? is === true
          ? "activated"
          : "deactivated"
        : field === "isArchived"
          ? is === true
            ? "archived"
            : "unarchived"
          : describeValue(field, { before: was ?? "", after: is ?? "", field }).text
    return [{ kind: "workflow", text, field, before: cutValue(was, field), after: cutValue(is, field) }]
  })

const labelOf = (node: JsonObject) => nameAmongWords(nameOf(node)) || "(node without a name)"

function* nodeChanges({ added, both, removed }: NodePairs, also: Also): Sliced<ReadonlyArray<Change>> {
  const renames = renamesIn({ added, both, removed })
  const changed = (yield* mapSliced(
    both,
    ([before, after]) => [...renamed(before, after), ...fieldChanges(before, after, renames, also)],
    ([before, after]) => (before === after ? 0.1 : weightOfJson(after))
  )).flat()
  const moved =
    also.positions === true ? both.filter(([before, after]) => !isSameJson(before.position, after.position)) : []
  return [
    ...removed.map((node): Change => ({
      kind: "node removed",
      node: nameOf(node),
      text: `removed ${labelOf(node)} (${kindOf(node)})`
    })),
    ...added.map((node): Change => ({
      kind: "node added",
      node: nameOf(node),
      text: `added ${introduced(node)}${also.contents === true ? contentOf(node) : ""}`
    })),
    ...changed,
    ...(moved.length === 0
      ? []
      : [
          {
            kind: "moved" as const,
            text: `moved ${moved.length === 1 ? "1 node" : `${moved.length} nodes`}`,
            after: moved.length
          }
        ])
  ]
}

const introduced = (node: JsonObject) =>
  `${labelOf(node)} (${kindOf(node)}${node.disabled === true ? ", disabled" : ""})`

/** Characters of the parameters of a new node. */
const roomForParameters = 240

const contentOf = (node: JsonObject): string => {
  const parameters = parametersOf(node)
  const names = Object.values(objectOf(node.credentials)).flatMap((one) => credentialName(one) ?? [])
  return [
    ...(isNothing(parameters) || isSameJson(parameters, {}) ? [] : [shortValue(parameters, "", roomForParameters)]),
    ...(names.length === 0 ? [] : [`credential ${names.join(", ")}`])
  ]
    .map((part) => `, ${part}`)
    .join("")
}

const renamed = (before: JsonObject, after: JsonObject): ReadonlyArray<Change> => {
  const [was, is] = [nameOf(before), nameOf(after)]
  if (was === is) return []
  return [
    {
      kind: "renamed",
      node: is,
      field: "name",
      before: was,
      after: is,
      text: `renamed ${labelOf(before)} → ${labelOf(after)}`
    }
  ]
}

/** Fields of a node that are described in another way, or not. */
const apart = new Set(["id", "name", "position", "webhookId", "parameters", "credentials", "disabled", "type"])

/** A switch that was never touched is off, and a note that was never written is empty. */
const isNothing = (value: unknown) => value === undefined || value === null || value === false || value === ""

const fieldChanges = (
  before: JsonObject,
  after: JsonObject,
  renames: ReadonlyMap<string, string>,
  also: Also
): ReadonlyArray<Change> => {
  const node = nameOf(after)
  const label = labelOf(after)
  const fieldChange = (field: string, was: unknown, is: unknown, text: string): Change => {
    return {
      kind: "node",
      node,
      field,
      before: cutValue(was, field),
      after: cutValue(is, field),
      text: `${label}: ${text}`
    }
  }
  const [oldType, newType] = [typeOf(before), typeOf(after)]
  const type =
    toEngineType(oldType) === toEngineType(newType)
      ? []
      : [fieldChange("type", oldType, newType, typeText(oldType, newType))]
  const isOff = after.disabled === true
  const disabled =
    (before.disabled === true) === isOff ? [] : [fieldChange("disabled", !isOff, isOff, isOff ? "disabled" : "enabled")]
  const plain = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !apart.has(field) || (also.webhooks === true && field === "webhookId"))
    .flatMap((field): ReadonlyArray<Change> => {
      const [was, is] = [fieldIn(before, field), fieldIn(after, field)]
      if (isSameJson(was, is) || (isNothing(was) && isNothing(is))) return []
      const { hunk, text } = describeValue(field === "typeVersion" ? "version" : field, {
        before: was,
        after: is,
        field
      })
      return [{ ...fieldChange(field, was, is, text), ...(hunk === undefined ? {} : { hunk }) }]
    })
  const parameters = parameterChanges(before, after, renames)
  return [...type, ...disabled, ...plain, ...credentialChanges(before, after, fieldChange), ...parameters]
}

const typeOf = ({ type }: JsonObject) => (Predicate.isString(type) ? type : "")

const typeText = (before: string, after: string) =>
  nodeKind(before) === nodeKind(after) ? `type ${before} → ${after}` : `type ${nodeKind(before)} → ${nodeKind(after)}`

/** The size of a note, which is a matter of layout. */
const layout = ["width", "height"]

const parametersOf = (node: JsonObject): unknown => {
  const parameters = withoutEditorIds(node.parameters ?? {})
  return kindOf(node) === "stickyNote" && isJsonObject(parameters) ? Struct.omit(parameters, layout) : parameters
}

const parameterChanges = (
  before: JsonObject,
  after: JsonObject,
  renames: ReadonlyMap<string, string>
): ReadonlyArray<Change> => {
  if (isSameJson(before.parameters, after.parameters)) return []
  const is = parametersOf(after)
  const changes = valueDifferences(parametersOf(before), is)
  const followed = renames.size === 0 ? before : renameInNode(before, (name) => renames.get(name))
  const changesBesideRenames = followed === before ? changes : valueDifferences(parametersOf(followed), is)
  const places = new Set(changesBesideRenames.map(({ path }) => path))
  return changes.filter(({ path }) => places.has(path)).map((one) => parameterChange(one, after))
}

const parameterChange = (difference: ValueDifference, node: JsonObject): Change => {
  const { field, path } = difference
  const { hunk, text } = describeValue(path || "parameters", difference)
  return {
    kind: "node",
    node: nameOf(node),
    field: `parameters${path === "" || path.startsWith("[") ? "" : "."}${path}`,
    before: cutValue(difference.before, field),
    after: cutValue(difference.after, field),
    text: `${labelOf(node)}: ${text}`,
    ...(hunk === undefined ? {} : { hunk })
  }
}

/** The name of a credential, or its id where it has none. */
const credentialName = (credential: unknown): string | undefined => {
  if (credential === undefined || credential === null) return undefined
  if (!isJsonObject(credential)) return shortValue(credential)
  const { id, name } = credential
  return Predicate.isString(name) && name !== "" ? name : Predicate.isString(id) ? `id ${id}` : shortValue(credential)
}

const credentialChanges = (
  before: JsonObject,
  after: JsonObject,
  fieldChange: (field: string, was: unknown, is: unknown, text: string) => Change
): ReadonlyArray<Change> => {
  const [old, now] = [objectOf(before.credentials), objectOf(after.credentials)]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((type) => {
    const [was, is] = [credentialName(fieldIn(old, type)), credentialName(fieldIn(now, type))]
    if (was === is) return []
    return [
      fieldChange(
        `credentials.${type}`,
        was,
        is,
        describeValue(`credential ${type}`, { before: was, after: is, field: "" }).text
      )
    ]
  })
}

const settingChanges = (before: JsonObject, after: JsonObject): ReadonlyArray<Change> => {
  if (before.settings === undefined || after.settings === undefined) return []
  return valueDifferences(before.settings ?? {}, after.settings ?? {}).map((difference) => ({
    kind: "setting",
    field: difference.path,
    before: cutValue(difference.before, difference.field),
    after: cutValue(difference.after, difference.field),
    text: `setting ${describeValue(difference.path || "settings", difference).text}`
  }))
}

const tagNames = (tags: unknown): ReadonlyArray<string> =>
  listOf(tags).map((tag: unknown) => {
    const label = isJsonObject(tag) ? (tag.name ?? tag.id) : tag
    return Predicate.isString(label) ? label : (JSON.stringify(label) ?? "")
  })

const tagChanges = (before: JsonObject, after: JsonObject): ReadonlyArray<Change> => {
  if (before.tags === undefined || after.tags === undefined) return []
  const [old, now] = [new Set(tagNames(before.tags)), new Set(tagNames(after.tags))]
  const change = (tag: string, isAdded: boolean): Change => ({
    kind: "tag",
    field: "tags",
    [isAdded ? "after" : "before"]: tag,
    text: `${isAdded ? "tagged" : "no longer tagged"} ${nameAmongWords(maskText(tag))}`
  })
  return [
    ...[...now].filter((tag) => !old.has(tag)).map((tag) => change(tag, true)),
    ...[...old].filter((tag) => !now.has(tag)).map((tag) => change(tag, false))
  ]
}
