import { tableOf } from "../workflow/resources.ts"
import { type Change, type ChangeOf, idOf, type Reference } from "./Change.ts"
import type { Step } from "./Step.ts"
import { tableChangeId } from "./tables/TableChange.ts"
import { linksOf } from "./workflowLinks.ts"

/**
 * Steps of which some delete tables and workflows: what is made anew gets another id, so that rows and workflows which come back
 * with it name it by the step that makes it.
 */
export const relinkMadeAnew = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const creators = new Map(steps.flatMap(({ change, undo: [anew] }) => creatorOf(change, anew)))
  const relinked = (change: Change): Change => {
    if (change.kind === "create") return withReferences(change, creators)
    if (change.kind !== "table" || change.action === "create" || typeof change.table !== "string") return change
    const creator = creators.get(placeOf(change.instance, change.table))
    return creator === undefined
      ? change
      : { ...change, table: { created_by: creator, later: true, formerly: change.table } }
  }
  return creators.size === 0 ? steps : steps.map((step) => ({ ...step, undo: step.undo.map(relinked) }))
}

const placeOf = (instance: string, id: string): string => JSON.stringify([instance, id])

/** The place of something that is deleted, and the step that makes it anew. */
const creatorOf = (change: Change, anew: Change | undefined): ReadonlyArray<readonly [place: string, step: string]> => {
  if (anew?.kind === "create" && change.kind === "delete" && typeof change.workflow === "string")
    return [[placeOf(change.instance, change.workflow), idOf(anew)]]
  return anew?.kind === "table" &&
    change.kind === "table" &&
    change.action === "drop" &&
    typeof change.table === "string"
    ? [[placeOf(change.instance, change.table), tableChangeId(anew)]]
    : []
}

/** A workflow that is made anew, with references in place of the ids of what is made anew with it. */
const withReferences = (change: ChangeOf<"create">, creators: ReadonlyMap<string, string>): Change => {
  const { content, instance } = change
  const creatorFor = (id: string) => creators.get(placeOf(instance, id))
  const tables = content.nodes.flatMap((node, index): ReadonlyArray<Reference> => {
    const use = tableOf(node)
    const creator = use?.by === "id" ? creatorFor(use.value) : undefined
    return use === undefined || creator === undefined
      ? []
      : [{ path: ["nodes", index, ...use.path], parts: [{ created_by: creator }] }]
  })
  const workflows = linksOf(content).texts.flatMap(({ parts, path }): ReadonlyArray<Reference> => {
    const isOurs = parts.some((part) => typeof part !== "string" && creatorFor(part.workflow) !== undefined)
    const named = parts.map((part) => {
      if (typeof part === "string") return part
      const creator = creatorFor(part.workflow)
      return creator === undefined ? part.workflow : { created_by: creator }
    })
    return isOurs ? [{ path, parts: named, late: true }] : []
  })
  const added = [...tables, ...workflows]
  const isReplaced = ({ path }: Reference) => added.some((one) => one.path.join("\n") === path.join("\n"))
  return added.length === 0
    ? change
    : { ...change, references: [...change.references.filter((one) => !isReplaced(one)), ...added] }
}
