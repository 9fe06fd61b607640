import { Match } from "effect"

import { lazy } from "../../internal/caching.ts"
import { isCreation } from "./call/CallChange.ts"
import { type Change, type ChangeOf, isRetried } from "./Change.ts"
import type { Step } from "./Step.ts"
import { tablePlace } from "./tables/TableChange.ts"

/** The position of a change in the order of a plan; called workflows are made before their callers, and deleted after them. */
const placeOf: (change: Change) => ReadonlyArray<number> = Match.type<Change>().pipe(
  Match.withReturnType<ReadonlyArray<number>>(),
  Match.discriminatorsExhaustive("kind")({
    "create-tag": () => [0, 0],
    archived: ({ after }) => [after ? 6 : 2],
    create: ({ level }) => [3, level, 0],
    update: ({ level }) => [3, level, 1],
    active: ({ after, isCalled, level }) => (after ? (isCalled ? [3, level, 2] : [5, level]) : [1, -level]),
    tags: () => [4],
    delete: ({ level }) => [7, -level],
    "delete-tag": () => [8],
    "delete-execution": () => [9],
    retry: () => [10],
    "run-anew": () => [10],
    call: (change) => callPlace(change),
    table: tablePlace
  })
)

/** Things that are made for workflows come before them, and go after them; a folder comes before those in it. */
const callPlace = (change: ChangeOf<"call">): ReadonlyArray<number> => {
  const depth = change.made?.split("/").length ?? 0
  return depth > 0 && isCreation(change) ? [0, 3, depth] : [11, -depth]
}

/** Steps of the same group may be read and sent at the same time. */
const groupOf = (change: Change): string => `${change.instance} ${placeOf(change).join(".")}`

/** At the first look: Node takes some milliseconds to make one. */
const natural = lazy(() => new Intl.Collator("en", { numeric: true }))

/** The order of a plan, the same for the same steps however they come. */
export const order = (a: Step, b: Step): number => {
  const [those, these] = [placeOf(a.change), placeOf(b.change)]
  const place = those.map((one, index) => one - (these[index] ?? 0)).find((difference) => difference !== 0) ?? 0
  return place || natural().compare(a.id, b.id) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

/** Steps that are read at once, and sent side by side. */
const batchSize = 20

/** Steps in their order, cut where another instance, kind or level begins. */
export const batchesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<ReadonlyArray<Step>> => {
  const groups: Array<Array<Step>> = []
  for (const step of steps.toSorted(order)) {
    const last = groups.at(-1)
    const isSame = last?.[0] !== undefined && groupOf(last[0].change) === groupOf(step.change)
    const isFull =
      last !== undefined && last.length >= (isRetried(step.change) || step.change.kind === "table" ? 1 : batchSize)
    if (last !== undefined && isSame && !isFull) last.push(step)
    else groups.push([step])
  }
  return groups
}
