import { Struct } from "effect"

import { versionOf } from "../../workflow/versions.ts"
import { type Change, type ChangeOf, type Content, idOf, type Ref, type Source } from "../Change.ts"
import { differingParts, partsBefore, shownFor } from "../content.ts"
import { type Step, stepOf } from "../Step.ts"
import { type Built, broughtBy } from "./Built.ts"
import { targetFolder } from "./folders.ts"
import type { Input } from "./Input.ts"
import { keptOf } from "./problemsAndWarnings.ts"
import { neededSteps } from "./resources.ts"

/** The workflow of the target that a change is about. */
export const changedRef = ({ content, key, counterpart }: Built, to: string): Ref =>
  counterpart === undefined ? { created_by: idOf(creation({ to, key, content })) } : counterpart.id

interface Creation {
  readonly to: string
  readonly key: string
  readonly content: Content
}

const creation = ({ content, key, to }: Creation): ChangeOf<"create"> => ({
  kind: "create",
  instance: to,
  key,
  content,
  references: [],
  level: 0
})

/** The source of a change of a workflow, and what it brings along. */
export const sourceOf = ({ from, source }: Input, one: Built, areTagsSet: boolean): Source => {
  const { brought, id } = one
  const workflow = source.get(id)
  return {
    instance: from,
    id,
    version: workflow === undefined ? "" : versionOf(workflow),
    brought: broughtBy(one, areTagsSet),
    ...(brought === undefined ? {} : { broughtBefore: brought })
  }
}

/** The step that makes or changes a workflow, and the one that closes circles of calls. */
export const contentSteps = (input: Input, one: Built, caller: string | undefined): ReadonlyArray<Step> => {
  const { from, promoted, target, to } = input
  const { content, isChanged, kept, key, level, linkLevel, references, removed, counterpart } = one
  const source = sourceOf(input, one, false)
  const along = caller === undefined ? "" : `, and ${caller} calls it`
  if (counterpart !== undefined) {
    const current = shownFor(content, counterpart)
    if (references.length === 0 && !isChanged) return []
    const before = partsBefore(content, current)
    const last = promoted.written.get(counterpart.id)
    const isOver = last !== undefined && differingParts(last, current).length > 0
    const gone = removed.length === 0 ? "" : `; loses ${removed.join(", ")}, which ${from} has no more`
    const why = isOver ? `; what was changed on ${to} since the last promotion is overwritten` : ""
    const stays = kept.length === 0 ? "" : `; keeps ${keptOf(kept)}`
    const change: Change = {
      kind: "update",
      instance: to,
      workflow: counterpart.id,
      name: content.name,
      before: references.length === 0 ? before : { ...before, nodes: current.nodes, settings: current.settings },
      after: content,
      references: references.map(({ parts, path }) => ({ parts, path })),
      level: linkLevel,
      ...neededSteps(input, one),
      source
    }
    return [stepOf(change, `differs from ${from}${along}${gone}${why}${stays}`)]
  }
  const namesakes = target.flatMap((other) => (other.name === content.name ? [String(other.id)] : []))
  const create: Change = {
    ...creation({ to, key, content }),
    references,
    level,
    ...neededSteps(input, one),
    source,
    namesakes,
    ...Struct.pick(targetFolder(input), ["folder"])
  }
  const made = stepOf(create, `not on ${to} yet${along}`)
  if (!references.some(({ late }) => late === true)) return [made]
  const link: Change = {
    kind: "update",
    instance: to,
    workflow: { created_by: made.id },
    name: content.name,
    before: {},
    after: content,
    references: [...references],
    level: linkLevel,
    source
  }
  return [made, { ...stepOf(link, "closes a circle of calls"), undo: [] }]
}
