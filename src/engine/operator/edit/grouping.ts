import { Predicate, Result } from "effect"

import { type JsonObject, listOf, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { groupsAmong } from "../../client/refusedGroups.ts"
import { groupProblem } from "../../workflow/nodeGroups.ts"
import { type Apply, type Draft, nodeNamed, withWorkflow } from "./Draft.ts"
import type { Operation } from "./Operation.ts"

/** Makes a group of nodes, says which nodes are in it, gives it another name, or dissolves it. A node is in one group at most. */
export const group: Apply<"group"> = (draft, { name, value }, { webhookIds }, place) =>
  Result.gen(function* () {
    const { nodeGroups } = draft.workflow
    if (!Array.isArray(nodeGroups)) return yield* Result.fail("this engine knows no groups of nodes")
    const groups = objectsOf(nodeGroups)
    const known = groups.find((one) => one.name === name)
    if (value === null) {
      if (known === undefined) return yield* Result.fail(noGroup(name, groups))
      return withWorkflow(draft, { nodeGroups: groups.filter((one) => one !== known) })
    }
    if (name.trim() === "") return yield* Result.fail("the name of a group must not be empty")
    const names = Predicate.isString(value) ? [value] : value
    const members = yield* idsOf(draft, names)
    if (members.length === 0) return yield* Result.fail("value must name the nodes of the group; null dissolves it")
    const before = known ?? groups.find(({ nodeIds }) => isSameSet(listOf(nodeIds), members))
    const own = { id: webhookIds[place], ...before, name, nodeIds: members }
    const others = groups.filter((one) => one !== before).map((one) => withoutMembers(one, members))
    const left = others.filter(({ nodeIds }) => listOf(nodeIds).length > 0)
    return withWorkflow(draft, { nodeGroups: [...left, own] })
  })

const noGroup = (name: string, groups: ReadonlyArray<JsonObject>) => {
  const names = groups.map((one) => String(one.name))
  const guess = nearest(name, names)
  const hint = guess === undefined ? `Its groups: ${names.join(", ") || "none"}` : `Did you mean ${guess}?`
  return `there is no group ${JSON.stringify(name)}. ${hint}`
}

const idsOf = (draft: Draft, names: ReadonlyArray<string>): Result.Result<ReadonlyArray<unknown>, string> =>
  Result.map(Result.all(names.map((name) => nodeNamed(draft, name))), (nodes) => [
    ...new Set(nodes.map(({ id }) => id))
  ])

const isSameSet = (some: ReadonlyArray<unknown>, others: ReadonlyArray<unknown>) =>
  some.length === others.length && some.every((one) => others.includes(one))

const withoutMembers = (one: JsonObject, members: ReadonlyArray<unknown>): JsonObject => ({
  ...one,
  nodeIds: listOf(one.nodeIds).filter((id) => !members.includes(id))
})

/** Why the engine would refuse one of the groups that operations made, as the workflow is after all of them. */
export const problemOfGroups = ({ workflow }: Draft, operations: ReadonlyArray<Operation>): string | undefined => {
  const made = new Set(operations.flatMap((one) => (one.op === "group" ? [one.name] : [])))
  if (made.size === 0) return undefined
  const groups = groupsAmong(listOf(workflow.nodeGroups), workflow.nodes)
  return groupProblem(
    objectsOf(groups).filter(({ name }) => Predicate.isString(name) && made.has(name)),
    workflow
  )
}
