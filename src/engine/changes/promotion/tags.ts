import type { Change, Ref } from "../Change.ts"
import { type Step, stepOf } from "../guards.ts"
import type { Built } from "./build.ts"
import type { Input } from "./Input.ts"
import { changedRef } from "./steps.ts"

/** The steps that give workflows of the target the tags of those that they come from; what they have besides, they keep. */
export const tagSteps = (input: Input, built: ReadonlyArray<Built>): { readonly steps: ReadonlyArray<Step> } => {
  const { from, mapping, source, tags, to } = input
  const known = new Map(tags.map(({ id, name }) => [name, id]))
  const created = new Map<string, Step>()

  const refOf = (name: string): Ref => {
    const id = known.get(name)
    if (id !== undefined) return id
    const change: Change = { kind: "create-tag", instance: to, name }
    const step = created.get(name) ?? stepOf(change, `not on ${to} yet`)
    created.set(name, step)
    return { created_by: step.id }
  }

  const steps = built.flatMap((one): ReadonlyArray<Step> => {
    const names = (source.get(one.id)?.tags ?? []).map(({ name }) => mapping.tags[name] ?? name)
    const before = (one.twin?.tags ?? []).map(({ id }) => id)
    const wanted = [...new Set(names)].toSorted().map(refOf)
    const more = wanted.filter((tag) => typeof tag !== "string" || !before.includes(tag))
    if (more.length === 0) return []
    const change: Change = {
      kind: "tags",
      instance: to,
      workflow: changedRef(one, to),
      name: one.content.name,
      before,
      after: [...before, ...more]
    }
    // The tags of a workflow that is created go with it.
    const step = stepOf(change, `tagged so on ${from}`)
    return [one.twin === undefined ? { ...step, undo: [] } : step]
  })
  return { steps: [...created.values(), ...steps] }
}
