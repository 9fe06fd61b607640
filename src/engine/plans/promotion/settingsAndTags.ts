import { fits } from "../../../internal/fits.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { bodyForms, removals } from "../../client/body.ts"
import { type Generation, generationOf, type Workflow } from "../../workflow/models.ts"
import type { Brought } from "../Change.ts"
import { isArchived } from "../content.ts"
import type { Keep } from "../settings.ts"
import type { Input } from "./Input.ts"

/** Whether this engine can lose a setting that it has. */
export const canLose = (generation: Generation, name: string): boolean =>
  generation === "1.x" || Object.hasOwn(removals, name)

interface Sides {
  readonly workflow: string
  /** The settings of the source, as they go along. */
  readonly given: JsonObject
  /** Those that the counterpart has, where there is one. */
  readonly current: JsonObject
  /** The tags and settings that promotions are known to have brought to it. */
  readonly brought: Brought | undefined
  readonly keep: ReadonlyArray<Keep>
  readonly generation: Generation
}

/** Settings of a workflow on the target, and what became of those that only one side has. */
export interface Merged {
  readonly settings: JsonObject
  /** The settings that the source has no more, since a promotion brought them: they go. */
  readonly removed: ReadonlyArray<string>
  /** The same, where the engine has no way to lose it. */
  readonly unremovable: ReadonlyArray<string>
  /** The settings that rules keep as they are there, and those that they would keep if they were there. */
  readonly kept: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
}

/** The settings of the source over those of its counterpart; what the source took away goes, what belongs to the place stays. */
export const mergeSettings = ({ brought, generation, given, keep, current, workflow }: Sides): Merged => {
  const ruled = settingsKept(keep, workflow)
  const kept = ruled.filter((name) => current[name] !== undefined)
  const gone = (brought?.settings ?? []).filter(
    (name) => given[name] === undefined && current[name] !== undefined && !kept.includes(name)
  )
  const removed = gone.filter((name) => canLose(generation, name))
  const stays = Object.entries(current).filter(([name]) => !removed.includes(name))
  return {
    settings: {
      ...Object.fromEntries(stays),
      ...given,
      ...Object.fromEntries(kept.map((name) => [name, current[name]]))
    },
    removed,
    unremovable: gone.filter((name) => !canLose(generation, name)),
    kept,
    missing: ruled.filter((name) => current[name] === undefined && given[name] !== undefined)
  }
}

/** The tags that a workflow of the source has, by their names on the target. */
export const wantedTags = ({ mapping, source }: Pick<Input, "mapping" | "source">, id: string): ReadonlyArray<string> =>
  [...new Set((source.get(id)?.tags ?? []).map(({ name }) => mapping.tags[name] ?? name))].toSorted()

/** The tags that a workflow has where it is. */
export const tagsOf = (workflow: Workflow | undefined): ReadonlyArray<string> =>
  (workflow?.tags ?? []).map(({ name }) => name)

/**
 * The tags and settings of a counterpart that its source has not, where nobody knows whether a promotion once brought them.
 */
export const unclaimed = (
  { promoted, source }: Input,
  {
    given,
    id,
    current,
    counterpart,
    wanted
  }: {
    readonly id: string
    readonly counterpart: Workflow
    readonly given: JsonObject
    readonly current: JsonObject
    readonly wanted: ReadonlyArray<string>
  }
): ReadonlyArray<string> => {
  if (promoted.brought.has(counterpart.id)) return []
  // An older engine has only some settings: what else the counterpart has cannot come from there.
  const origin = source.get(id)
  const isOlder = origin === undefined || generationOf(origin) === "1.x"
  const { settings: old } = bodyForms["1.x"]
  const canComeFrom = (name: string) => !isOlder || !("only" in old) || old.only.includes(name)
  return [
    ...tagsOf(counterpart)
      .filter((name) => !wanted.includes(name))
      .map((name) => `tag ${name}`)
      .toSorted(),
    ...Object.keys(current)
      .filter((name) => given[name] === undefined && canComeFrom(name))
      .map((name) => `setting ${name}`)
      .toSorted()
  ]
}

/** Workflows that promotions made or changed and whose source is gone: nobody takes them away but a person. */
export const abandoned = ({ promoted, source, target }: Input): ReadonlyArray<Workflow> => {
  const counterparts = new Set(
    [...promoted.counterparts].flatMap(([id, counterpart]) => (source.has(id) ? [] : [counterpart]))
  )
  return target.filter((workflow) => counterparts.has(workflow.id) && !isArchived(workflow))
}

/** Settings that rules keep as they are in their place: fields like `settings.timezone` of no node. */
const settingsKept = (rules: ReadonlyArray<Keep>, workflow: string): ReadonlyArray<string> =>
  rules
    .filter(
      ({ node, type, workflow: pattern = "*" }) => node === undefined && type === undefined && fits(pattern, workflow)
    )
    .flatMap(({ fields }) => fields.flatMap((field) => (field.startsWith("settings.") ? [field.slice(9)] : [])))
