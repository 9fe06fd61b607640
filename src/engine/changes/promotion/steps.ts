import { versionOf } from "../../client/versions.ts"
import { type Change, type ChangeOf, type Content, idOf, type Ref } from "../Change.ts"
import { contentOf, differingParts, partsBefore } from "../content.ts"
import { type Step, stepOf } from "../guards.ts"
import type { Built } from "./build.ts"
import type { Input } from "./Input.ts"

/** The workflow of the target that a change is about. */
export const changedRef = ({ content, key, twin }: Built, to: string): Ref =>
  twin === undefined ? { created_by: idOf(creation({ to, key, content })) } : twin.id

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

/** The step that makes or changes a workflow, and the one that closes circles of calls. */
export const contentSteps = (input: Input, one: Built, caller: string | undefined): ReadonlyArray<Step> => {
  const { from, promoted, source: all, target, to } = input
  const { content, id, key, level, linkLevel, references, twin } = one
  const own = all.get(id)
  const source = { instance: from, id, version: own === undefined ? "" : versionOf(own) }
  const along = caller === undefined ? "" : `, and ${caller} calls it`
  if (twin !== undefined) {
    const shown = contentOf(twin)
    if (references.length === 0 && differingParts(content, shown).length === 0) return []
    const before = partsBefore(content, shown)
    const last = promoted.written.get(twin.id)
    const isOver = last !== undefined && differingParts(last, shown).length > 0
    const why = isOver ? `; what was changed on ${to} since the last promotion is overwritten` : ""
    const change: Change = {
      kind: "update",
      instance: to,
      workflow: twin.id,
      name: content.name,
      before: references.length === 0 ? before : { ...before, nodes: shown.nodes, settings: shown.settings },
      after: content,
      references: references.map(({ parts, path }) => ({ parts, path })),
      level: linkLevel,
      source
    }
    return [stepOf(change, `differs from ${from}${along}${why}`)]
  }
  const namesakes = target.flatMap((other) => (other.name === content.name ? [String(other.id)] : []))
  const create: Change = { ...creation({ to, key, content }), references, level, source, namesakes }
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
