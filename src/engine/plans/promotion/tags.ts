import type { Change, Ref } from "../Change.ts"
import { type Step, stepOf } from "../Step.ts"
import type { Built } from "./Built.ts"
import type { Input } from "./Input.ts"
import { changedRef, sourceOf } from "./steps.ts"

/**
 * The steps that give workflows of the target the tags of those that they come from, and take those away that a promotion
 * brought and their source has no more; what they have besides, they keep.
 */
export const tagSteps = (input: Input, built: ReadonlyArray<Built>): { readonly steps: ReadonlyArray<Step> } => {
  const { from, tags, to } = input
  const idByName = new Map(tags.map(({ id, name }) => [name, id]))
  const created = new Map<string, Step>()

  const refOf = (name: string): Ref => {
    const id = idByName.get(name)
    if (id !== undefined) return id
    const change: Change = { kind: "create-tag", instance: to, name }
    const step = created.get(name) ?? stepOf(change, `not on ${to} yet`)
    created.set(name, step)
    return { created_by: step.id }
  }

  const steps = built.flatMap((one): ReadonlyArray<Step> => {
    const present = one.counterpart?.tags ?? []
    const gone = present.filter(({ name }) => one.brought?.tags.includes(name) === true && !one.tags.includes(name))
    const before = present.map(({ id }) => id)
    const stay = before.filter((id) => !gone.some((tag) => tag.id === id))
    const lacking = one.tags.filter((name) => !present.some((tag) => tag.name === name))
    const more = lacking.map(refOf)
    if (more.length === 0 && gone.length === 0) return []
    const change: Change = {
      kind: "tags",
      instance: to,
      workflow: changedRef(one, to),
      name: one.content.name,
      before,
      after: [...stay, ...more],
      source: sourceOf(input, one, true)
    }
    const names = gone.map(({ name }) => name).join(", ")
    const reasons = [
      ...(more.length === 0 ? [] : [`tagged ${lacking.join(", ")} on ${from}`]),
      ...(gone.length === 0 ? [] : [`no more tagged ${names} on ${from}`])
    ]
    // The tags of a workflow that is created go with it.
    const step = stepOf(change, reasons.join("; "))
    return [one.counterpart === undefined ? { ...step, undo: [] } : step]
  })
  return { steps: [...created.values(), ...steps] }
}
