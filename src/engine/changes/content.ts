import { digest } from "../../internal/json/digest.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { nameOf, type Workflow } from "../client/models.ts"
import { isSameJson } from "../client/versions.ts"
import type { Content, Parts, Reference } from "./Change.ts"
import { withTexts } from "./references.ts"

/** A setting with this value says nothing: the editor writes it, and the API does not always take it. */
const byDefault = "DEFAULT"

/** What a workflow is, as it was read. */
export const contentOf = ({ connections, name, nodes, settings }: Workflow): Content => ({
  name,
  nodes,
  connections,
  settings: Object.fromEntries(Object.entries(settings ?? {}).filter(([, value]) => value !== byDefault))
})

/** The same with what its runs and its editor have left there, so that nothing is lost with it. */
export const wholeContentOf = (workflow: Workflow): Content => ({
  ...contentOf(workflow),
  ...(workflow.staticData === undefined || workflow.staticData === null ? {} : { staticData: workflow.staticData }),
  ...(Object.keys(pinDataOf(workflow)).length > 0 ? { pinData: pinDataOf(workflow) } : {}),
  ...groupsOf(workflow),
  ...(descriptionOf(workflow) === "" ? {} : { description: descriptionOf(workflow) })
})

/** The groups of its nodes, where it has some. */
export const groupsOf = ({ nodeGroups }: Workflow): Pick<Content, "nodeGroups"> =>
  Array.isArray(nodeGroups) && nodeGroups.length > 0 ? { nodeGroups } : {}

/** The data that its editor has pinned to nodes of a workflow. */
export const pinDataOf = ({ pinData }: Workflow): JsonObject => objectOf(pinData)

/** What people say about a workflow; lists and older engines tell nothing of it. */
export const descriptionOf = ({ description }: Workflow): string => (typeof description === "string" ? description : "")

/** What a workflow is, as far as a change says what it should be. */
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

/** Whether a workflow is put away; older engines know nothing of that. */
export const isArchived = (workflow: Workflow): boolean => workflow["isArchived"] === true

const partNames = ["name", "nodes", "connections", "settings", "nodeGroups", "pinData", "description"] as const
export type PartName = (typeof partNames)[number]

/**
 * The parts in which a workflow that is shown is not what was wanted. What engines add by themselves, such as ids of nodes
 * and defaults of settings, is no difference.
 */
export const differingParts = (wanted: Content, shown: Content): ReadonlyArray<PartName> =>
  partNames.filter((part) => !isSame[part](wanted, shown))

const isSame: { readonly [part in PartName]: (wanted: Content, shown: Content) => boolean } = {
  name: (wanted, shown) => wanted.name === shown.name,
  nodes: (wanted, shown) => {
    const others = new Map(shown.nodes.map((node) => [nameOf(node), node]))
    return (
      wanted.nodes.length === shown.nodes.length &&
      wanted.nodes.every((node) => isSameNode(node, others.get(nameOf(node))))
    )
  },
  connections: (wanted, shown) => isSameJson(wanted.connections, shown.connections),
  settings: (wanted, shown) =>
    Object.entries(wanted.settings).every(([name, value]) => isSameJson(value, shown.settings[name])),
  nodeGroups: (wanted, shown) =>
    wanted.nodeGroups === undefined ||
    shown.nodeGroups === undefined ||
    isSameGroups(wanted.nodeGroups, shown.nodeGroups),
  pinData: (wanted, shown) =>
    wanted.pinData === undefined || shown.pinData === undefined || isSameJson(wanted.pinData, shown.pinData),
  description: (wanted, shown) =>
    wanted.description === undefined || shown.description === undefined || wanted.description === shown.description
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

const isSameNode = (wanted: JsonObject, shown: JsonObject | undefined): boolean =>
  shown !== undefined &&
  [...new Set([...Object.keys(wanted), ...Object.keys(shown)])].every(
    (field) =>
      isSameJson(wanted[field], shown[field]) ||
      (given.includes(field) && wanted[field] === undefined) ||
      (field === "credentials" && isSameJson(idsOf(wanted[field]), idsOf(shown[field])))
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
  shown: Content
): ReadonlyArray<PartName> => {
  const blank = (content: Content) =>
    withTexts(
      content,
      references.map(({ path }) => [path, ""] as const)
    )
  return differingParts(blank(wanted), blank(shown))
}

/** What of a workflow has to be known to undo a change of it: the parts that the change is about. */
export const partsBefore = (after: Content, shown: Content): Parts => {
  const differing = differingParts(after, shown)
  const lost = Object.keys(shown.settings).some((name) => after.settings[name] === undefined)
  return {
    ...(differing.includes("name") ? { name: shown.name } : {}),
    ...(differing.includes("nodes") ? { nodes: shown.nodes } : {}),
    ...(differing.includes("connections") ? { connections: shown.connections } : {}),
    ...(differing.includes("settings") || lost ? { settings: shown.settings } : {}),
    ...(differing.includes("nodeGroups") ? { nodeGroups: shown.nodeGroups ?? [] } : {}),
    ...(differing.includes("pinData") ? { pinData: shown.pinData ?? {} } : {}),
    ...(differing.includes("description") ? { description: shown.description ?? "" } : {})
  }
}
