import { Predicate } from "effect"

import { nameAmongWords } from "../../internal/foreignText.ts"
import { type JsonObject, listOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import type { Change } from "./differenceOfGraph.ts"
import { nameOf } from "./models.ts"
import { type NodePairs, nodesOf, renamesIn } from "./nodePairs.ts"
import { isSameJson } from "./versions.ts"

/** A group of nodes, with the names of its members in place of their ids, which another instance has others of. */
interface Group {
  readonly id: unknown
  readonly name: string
  readonly description: string
  readonly members: ReadonlyArray<string>
}

/** Groups of nodes, the frames on the canvas, that came, went or hold others; engines that know none are not compared. */
export const groupChanges = (before: JsonObject, after: JsonObject, pairs: NodePairs): ReadonlyArray<Change> => {
  if (before.nodeGroups === undefined || after.nodeGroups === undefined) return []
  const renames = renamesIn(pairs)
  const old = groupsIn(before).map((group) => ({
    ...group,
    members: group.members.map((name) => renames.get(name) ?? name).toSorted()
  }))
  const now = groupsIn(after)
  const partners = new Map(
    old.flatMap((group): ReadonlyArray<readonly [Group, Group]> => {
      const one = now.find(({ id }) => id === group.id) ?? now.find(({ name }) => name === group.name)
      return one === undefined ? [] : [[group, one]]
    })
  )
  const known = new Set(partners.values())
  return [
    ...old.flatMap((group): ReadonlyArray<Change> => {
      const one = partners.get(group)
      if (one === undefined) return [told(group.name, `removed (${names(group.members)})`)]
      return [
        ...(one.name === group.name ? [] : [told(one.name, `was called ${nameAmongWords(group.name)}`)]),
        ...(one.description === group.description ? [] : [told(one.name, "description changed")]),
        ...(isSameJson(one.members, group.members) ? [] : [told(one.name, moved(group.members, one.members))])
      ]
    }),
    ...now.flatMap((group) => (known.has(group) ? [] : [told(group.name, `added (${names(group.members)})`)]))
  ]
}

const told = (name: string, text: string): Change => ({
  kind: "group",
  field: "nodeGroups",
  text: `group ${nameAmongWords(name)}: ${text}`
})

const names = (members: ReadonlyArray<string>) => members.map(nameAmongWords).join(", ")

const moved = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): string => {
  const [lost, won] = [before.filter((name) => !after.includes(name)), after.filter((name) => !before.includes(name))]
  return [
    ...(lost.length === 0 ? [] : [`without ${names(lost)}`]),
    ...(won.length === 0 ? [] : [`with ${names(won)}`])
  ].join(", ")
}

/** The groups of nodes that a workflow has. */
export const groupsIn = (workflow: JsonObject): ReadonlyArray<Group> => {
  const names = new Map(nodesOf(workflow).map((node) => [node.id, nameOf(node)]))
  return objectsOf(workflow.nodeGroups).map((group) => ({
    id: group.id,
    name: nameOf(group),
    description: Predicate.isString(group.description) ? group.description : "",
    members: listOf(group.nodeIds)
      .map((member) => names.get(member) ?? "")
      .toSorted()
  }))
}
