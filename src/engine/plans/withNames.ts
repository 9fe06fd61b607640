import type { Change, ChangeOf, Content, Names, Ref } from "./Change.ts"
import type { Step } from "./Step.ts"

/** The tags and workflows of the instance, to show names in plans, which only contain ids. */
interface Named {
  readonly tags: ReadonlyArray<NamedThing>
  readonly workflows: ReadonlyArray<NamedThing>
}
interface NamedThing {
  readonly id: string
  readonly name: string
}

/** Adds to steps the current names of the tags and error workflows in them. */
export const withNames = (steps: ReadonlyArray<Step>, { tags, workflows }: Named): ReadonlyArray<Step> => {
  const [tagNames, workflowNames] = [namesOf(tags), namesOf(workflows)]
  const named = (change: Change): Change => {
    if (change.kind === "tags") return { ...change, ...chosen(tagNames, [...change.before, ...change.after]) }
    if (change.kind !== "update") return change
    return { ...change, ...chosen(workflowNames, [errorIn(change.after), errorIn(change.before)]) }
  }
  return steps.map((step) => ({ ...step, change: named(step.change), undo: step.undo.map(named) }))
}

const namesOf = (things: ReadonlyArray<NamedThing>): ReadonlyMap<unknown, string> =>
  new Map(things.map(({ id, name }) => [id, name]))

const chosen = (nameById: ReadonlyMap<unknown, string>, ids: ReadonlyArray<unknown>): { readonly names?: Names } => {
  const named = ids.flatMap((id) => {
    const name = nameById.get(id)
    return typeof id === "string" && name !== undefined ? [[id, name] as const] : []
  })
  return named.length === 0 ? {} : { names: Object.fromEntries(named) }
}

const errorIn = ({ settings }: Partial<Pick<Content, "settings">>): unknown => settings?.["errorWorkflow"]

/** The name of a tag, if it is known; else its id. */
export const tagText = (tag: Ref, names: Names = {}): string =>
  typeof tag === "string" ? ((Object.hasOwn(names, tag) ? names[tag] : undefined) ?? tag) : `new tag ${newTagName(tag)}`

/** The name of a tag that another step of the plan creates. */
export const newTagName = ({ created_by }: Exclude<Ref, string>): string =>
  created_by.replace(/^create tag [^/]*\//, "")

/** A content whose error workflow is shown by name and id, if the name is known. */
export const withErrorNamed = (content: Content, { names = {} }: Pick<ChangeOf<"update">, "names">): Content => {
  const id = errorIn(content)
  const name = typeof id === "string" && Object.hasOwn(names, id) ? names[id] : undefined
  return name === undefined
    ? content
    : { ...content, settings: { ...content.settings, errorWorkflow: `${name} (${String(id)})` } }
}
