import type { Tag, Workflow } from "../../client/models.ts"
import { type Change, idOf, type Ref } from "../Change.ts"
import { contentOf, differingParts, isArchived, partsBefore, wholeContentOf } from "../content.ts"
import { type Draft, type Step, stepOf } from "../guards.ts"
import { order } from "../order.ts"
import { levels } from "../promotion/levels.ts"
import { idsIn, linksOf } from "../promotion/links.ts"

/** An instance as it was, and as it is. */
export interface Wish {
  readonly instance: string
  /** What names the moment, for the reasons of the steps. */
  readonly version: string
  readonly records: ReadonlyArray<Workflow>
  readonly all: ReadonlyArray<Workflow>
  readonly tags: ReadonlyArray<Tag>
}

/** What brings the workflows of an instance back to what they were; what was made since stays as it is. */
export const planRestore = (wish: Wish): Omit<Draft, "estimate"> & { readonly unchanged: number } => {
  const { all, instance, records, version } = wish
  const current = new Map<string, Workflow>(all.map((workflow) => [workflow.id, workflow]))
  const { newTags, refsOf } = tagsFor(wish)
  const calls = new Map<string, ReadonlyArray<string>>(records.map((record) => [record.id, callsOf(record)]))
  const called = new Set([...calls.values()].flat())
  const { levelOf } = levels(calls)
  const found = records.map((record) =>
    stepsOf(record, current.get(record.id), {
      instance,
      version,
      refsOf,
      level: levelOf(record.id),
      isCalled: called.has(record.id)
    })
  )
  const steps = found.flat()
  const recorded = new Set<string>(records.map(({ id }) => id))
  const since = all.filter(({ id }) => !recorded.has(id))
  const gone = records.filter(({ id }) => !current.has(id))
  return {
    kind: "restore",
    steps: [...newTags, ...steps].toSorted(order),
    warnings: [
      ...(gone.length === 0
        ? []
        : [
            `${gone.length} deleted workflows are made anew, with new ids: what calls them by the old ones has to be changed`
          ]),
      ...(since.length === 0 ? [] : [`${since.length} workflows that were made since ${version} are left as they are`])
    ],
    blocked: [],
    unchanged: found.filter((own) => own.length === 0).length
  }
}

/** The ids of the workflows that a workflow calls. */
const callsOf = (workflow: Workflow) => idsIn(linksOf(contentOf(workflow)).texts.filter(({ use }) => use !== "caller"))

interface Circumstances {
  readonly level: number
  readonly isCalled: boolean
  readonly instance: string
  readonly version: string
  readonly refsOf: (record: Workflow) => ReadonlyArray<Ref>
}

const stepsOf = (
  record: Workflow,
  current: Workflow | undefined,
  { instance, isCalled, level, refsOf, version }: Circumstances
): ReadonlyArray<Step> => {
  const content = wholeContentOf(record)
  const labels = (current ?? record).tags?.map(({ name }) => name) ?? []
  const created: Change = { kind: "create", instance, key: record.id, content, references: [], level, labels }
  const workflow: Ref = current === undefined ? { created_by: idOf(created) } : current.id
  const on = { instance, workflow, name: record.name, labels }
  const reason = `as in ${version}`
  const steps: Array<Change> = []

  if (current === undefined) steps.push(created)
  else {
    const shown = contentOf(current)
    const before = partsBefore(content, shown)
    if (differingParts(content, shown).length > 0 || Object.keys(before).length > 0) {
      steps.push({ kind: "update", ...on, before, after: content, references: [], level })
    }
  }
  const had = (current?.tags ?? []).map(({ id }) => id)
  const wanted = refsOf(record)
  if (wanted.length !== had.length || wanted.some((tag) => typeof tag !== "string" || !had.includes(tag))) {
    steps.push({ kind: "tags", ...on, before: had, after: wanted })
  }
  const wasArchived = current !== undefined && isArchived(current)
  if (wasArchived !== isArchived(record)) {
    steps.push({ kind: "archived", ...on, before: wasArchived, after: isArchived(record) })
  }
  const isActive = current?.active === true
  if (isActive !== record.active && !isArchived(record)) {
    steps.push({ kind: "active", ...on, before: isActive, after: record.active, level, isCalled })
  }
  return steps.map((change) => stepOf(change, current === undefined ? `${reason}; it was deleted` : reason))
}

/** The tags that workflows had, by id or else by name, and steps for those that are gone. */
const tagsFor = ({ instance, records, tags }: Wish) => {
  const made = new Map<string, Change>()
  const refOf = ({ id, name }: Tag): Ref => {
    const known = tags.find((tag) => tag.id === id) ?? tags.find((tag) => tag.name === name)
    if (known !== undefined) return known.id
    const change: Change = made.get(name) ?? { kind: "create-tag", instance, name }
    made.set(name, change)
    return { created_by: idOf(change) }
  }
  const refs = new Map(records.map((record) => [record, (record.tags ?? []).map(refOf)] as const))
  return {
    newTags: [...made.values()].map((change) => stepOf(change, "there is no such tag any more")),
    refsOf: (record: Workflow) => refs.get(record) ?? []
  }
}
