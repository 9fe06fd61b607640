import { Effect, Hash } from "effect"

import { inSlices } from "../internal/effects.ts"
import { weightOfJson } from "../internal/json/values.ts"
import { mapSliced } from "../internal/Sliced.ts"
import type { CreatedId, Entry, StoredEntry, PlannedEntry } from "./Journal.ts"
import type { Step } from "./Plan.ts"

/** Characters of steps that one line holds: some milliseconds of writing or reading. */
const longestLine = 256 * 1024

/** Steps with how long they are, and a hash of all of them. */
export const measureSteps = Effect.fnUntraced(function* <C>(steps: ReadonlyArray<Step<C>>) {
  const texts = yield* inSlices(function* () {
    return yield* mapSliced(
      steps,
      (step) => {
        const text = JSON.stringify(step)
        return { length: text.length, hash: Hash.string(text) }
      },
      weightOfJson
    )
  })
  return {
    lengths: texts.map(({ length }) => length),
    hash: Hash.array(texts.map(({ hash }) => hash))
  }
})

/**
 * The lines of a new plan: the last one is its own, and steps that are too long for it stand in lines before it, so that
 * none takes long to write or read.
 */
export const linesOf = <C>(entry: PlannedEntry<C>, lengths: ReadonlyArray<number>): ReadonlyArray<Entry<C>> => {
  const { at, plan, plan_id } = entry
  const parts: Array<ReadonlyArray<Step<C>>> = []
  let [from, characters] = [0, 0]
  for (const [place, length] of lengths.entries()) {
    if (characters > 0 && characters + length > longestLine) {
      parts.push(plan.steps.slice(from, place))
      from = place
      characters = 0
    }
    characters += length
  }
  if (parts.length === 0) return [entry]
  return [
    ...parts.map((of_plan) => ({ type: "steps", at, plan_id, of_plan }) as const),
    { ...entry, plan: { ...plan, steps: plan.steps.slice(from) }, steps_before: from }
  ]
}

/** Entries with each plan whole again. One of which lines are missing counts as unreadable. */
export const joinEntries = <C>(entries: ReadonlyArray<StoredEntry<C>>): ReadonlyArray<StoredEntry<C>> => {
  const before = new Map<string, Array<Step<C>>>()
  return entries.flatMap((entry): ReadonlyArray<StoredEntry<C>> => {
    if (entry.type === "steps") {
      const steps = before.get(entry.plan_id) ?? []
      before.set(entry.plan_id, steps)
      for (const step of entry.of_plan) steps.push(step)
      return []
    }
    if (entry.type !== "planned" || entry.steps_before === undefined) return [entry]
    const { at, plan, plan_id, steps_before, ...rest } = entry
    const steps = before.get(plan_id) ?? []
    before.delete(plan_id)
    if (steps.length === steps_before)
      return [{ ...rest, at, plan_id, plan: { ...plan, steps: [...steps, ...plan.steps] } }]
    const problem = `${steps_before - steps.length} steps of plan ${plan_id} are missing before its line: make a new plan`
    return [{ type: "unreadable", at, plan_id, problem }]
  })
}

/** In place of a change: the id of the thing that it is about. */
export type Subject = CreatedId | undefined

/** The function from an entry to one that has only the subjects of the changes of plans, which may be large. */
export const entryOutliner = <C>(subjectOf: (change: C) => Subject) => {
  const outline = ({ change, id }: Step<C>): Step<Subject> => ({ id, change: subjectOf(change), reason: "", undo: [] })
  return (entry: StoredEntry<C>): StoredEntry<Subject> => {
    switch (entry.type) {
      case "planned":
        return { ...entry, plan: { ...entry.plan, steps: entry.plan.steps.map(outline) } }
      case "rebased":
      case "steps":
        return { ...entry, of_plan: entry.of_plan.map(outline) }
      default:
        return entry
    }
  }
}

export const stepsIn = <C>(entry: StoredEntry<C>): ReadonlyArray<Step<C>> => {
  if (entry.type === "steps") return entry.of_plan
  return entry.type === "planned" ? entry.plan.steps : []
}

/** Keeps the steps of one plan at the wanted places while entries are gone through in their order, as they are in the end. */
export const stepCollector = <C>(id: string, isWanted: (place: number) => boolean) => {
  const steps = new Map<string, Step<C>>()
  let place = 0
  return {
    steps,
    add: (entry: StoredEntry<C>) => {
      if (!("plan_id" in entry) || entry.plan_id !== id) return
      for (const step of stepsIn(entry)) if (isWanted(place++)) steps.set(step.id, step)
      if (entry.type === "rebased") for (const step of entry.of_plan) if (steps.has(step.id)) steps.set(step.id, step)
    }
  }
}
