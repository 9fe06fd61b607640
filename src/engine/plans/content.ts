import { digest } from "../../internal/json/digest.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { nameOf, type Workflow } from "../workflow/models.ts"
import { replaceTextsAt } from "../workflow/valuePaths.ts"
import { isSameJson } from "../workflow/versions.ts"
import type { Content, Parts, Reference } from "./Change.ts"

/** A setting with this value has no effect: the editor writes it, and the API does not always accept it. */
const byDefault = "DEFAULT"

/** The content of a workflow as it was read. */
export const contentOf = ({ connections, name, nodes, settings }: Workflow): Content => ({
  name,
  nodes,
  connections,
  settings: Object.fromEntries(Object.entries(settings ?? {}).filter(([, value]) => value !== byDefault))
})

/** The same with static data, pinned data, groups and description, so that nothing is lost when it is deleted. */
export const wholeContentOf = (workflow: Workflow): Content => ({
  ...contentOf(workflow),
  ...(workflow.staticData === undefined || workflow.staticData === null ? {} : { staticData: workflow.staticData }),
  ...(Object.keys(pinDataOf(workflow)).length > 0 ? { pinData: pinDataOf(workflow) } : {}),
  ...groupsOf(workflow),
  ...(descriptionOf(workflow) === "" ? {} : { description: descriptionOf(workflow) })
})

/** Its groups of nodes, if it has any. */
export const groupsOf = ({ nodeGroups }: Workflow): Pick<Content, "nodeGroups"> =>
  Array.isArray(nodeGroups) && nodeGroups.length > 0 ? { nodeGroups } : {}

/** The data that its editor has pinned to nodes of a workflow. */
export const pinDataOf = ({ pinData }: Workflow): JsonObject => objectOf(pinData)

/** The description of a workflow, which lists and older engines leave out. */
export const descriptionOf = ({ description }: Workflow): string => (typeof description === "string" ? description : "")

/** The content of a workflow, with those optional parts that a change is about. */
export const shownFor = (
  { description, nodeGroups, pinData }: Pick<Content, "description" | "nodeGroups" | "pinData">,
  workflow: Workflow
): Content => ({
  ...contentOf(workflow),
  ...(nodeGroups === undefined || !Array.isArray(workflow["nodeGroups"]) ? {} : { nodeGroups: workflow["nodeGroups"] }),
  ...(pinData === undefined ? {} : { pinData: pinDataOf(workflow) }),
  ...(description === undefined || workflow["description"] === undefined
    ? {}
    : { description: descriptionOf(workflow) })
})

/** Whether a workflow is archived, which older engines do not know. */
export const isArchived = (workflow: Workflow): boolean => workflow["isArchived"] === true

const partNames = ["name", "nodes", "connections", "settings", "nodeGroups", "pinData", "description"] as const
type PartName = (typeof partNames)[number]

/**
 * The parts in which a workflow that is shown is not what was wanted. What engines add by themselves, such as ids of nodes
 * and defaults of settings, is no difference.
 */
export const differingParts = (wanted: Content, current: Content): ReadonlyArray<PartName> =>
  partNames.filter((part) => !isSame[part](wanted, current))

const isSame: { readonly [part in PartName]: (wanted: Content, current: Content) => boolean } = {
  name: (wanted, current) => wanted.name === current.name,
  nodes: (wanted, current) => {
    const others = new Map(current.nodes.map((node) => [nameOf(node), node]))
    return (
      wanted.nodes.length === current.nodes.length &&
      wanted.nodes.every((node) => isSameNode(node, others.get(nameOf(node))))
    )
  },
  connections: (wanted, current) => isSameJson(wanted.connections, current.connections),
  settings: (wanted, current) =>
    Object.entries(wanted.settings).every(([name, value]) => isSameJson(value, current.settings[name])),
  nodeGroups: (wanted, current) =>
    wanted.nodeGroups === undefined ||
    current.nodeGroups === undefined ||
    isSameGroups(wanted.nodeGroups, current.nodeGroups),
  pinData: (wanted, current) =>
    wanted.pinData === undefined || current.pinData === undefined || isSameJson(wanted.pinData, current.pinData),
  description: (wanted, current) =>
    wanted.description === undefined || current.description === undefined || wanted.description === current.description
}

/** Whether groups hold the same nodes under the same names, in whatever order. */
export const isSameGroups = (some: ReadonlyArray<unknown>, others: ReadonlyArray<unknown>): boolean =>
  isSameJson(sorted(some.map(withSortedMembers)), sorted(others.map(withSortedMembers)))

const withSortedMembers = (group: unknown): unknown =>
  isJsonObject(group) ? { ...group, nodeIds: sorted(listOf(group["nodeIds"])) } : group

const sorted = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  values.toSorted((a, b) => (digest(a) < digest(b) ? -1 : 1))

/** Fields that engines give to a node that comes without them. */
const given = ["id", "webhookId"]

const isSameNode = (wanted: JsonObject, current: JsonObject | undefined): boolean =>
  current !== undefined &&
  [...new Set([...Object.keys(wanted), ...Object.keys(current)])].every(
    (field) =>
      isSameJson(wanted[field], current[field]) ||
      (given.includes(field) && wanted[field] === undefined) ||
      (field === "credentials" && isSameJson(idsOf(wanted[field]), idsOf(current[field])))
  )

/** Credentials by their ids, where they have some: engines put the names that belong to them. */
const idsOf = (credentials: unknown): unknown =>
  isJsonObject(credentials)
    ? Object.fromEntries(
        Object.entries(credentials).map(([type, one]) => [
          type,
          isJsonObject(one) && typeof one["id"] === "string" ? one["id"] : one
        ])
      )
    : credentials

/** The same, where the texts at some places are not looked at, as they hold ids that are not known. */
export const differsBeside = (
  references: ReadonlyArray<Reference>,
  wanted: Content,
  current: Content
): ReadonlyArray<PartName> => {
  const blank = (content: Content) =>
    replaceTextsAt(
      content,
      references.map(({ path }) => [path, ""] as const)
    )
  return differingParts(blank(wanted), blank(current))
}

/** The part of a workflow that has to be known to undo a change of it: the parts that the change is about. */
export const partsBefore = (after: Content, current: Content): Parts => {
  const differing = differingParts(after, current)
  const lost = Object.keys(current.settings).some((name) => after.settings[name] === undefined)
  return {
    ...(differing.includes("name") ? { name: current.name } : {}),
    ...(differing.includes("nodes") ? { nodes: current.nodes } : {}),
    ...(differing.includes("connections") ? { connections: current.connections } : {}),
    ...(differing.includes("settings") || lost ? { settings: current.settings } : {}),
    ...(differing.includes("nodeGroups") ? { nodeGroups: current.nodeGroups ?? [] } : {}),
    ...(differing.includes("pinData") ? { pinData: current.pinData ?? {} } : {}),
    ...(differing.includes("description") ? { description: current.description ?? "" } : {})
  }
}
