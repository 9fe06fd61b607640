import { Result } from "effect"

import { grouped } from "../internal/collections.ts"
import type { CompleteDriver } from "./Driver.ts"
import type { StoredEntry } from "./Journal.ts"
import type { Step } from "./Plan.ts"
import { fold, recordOf } from "./PlanState.ts"
import type { RemoteState } from "./RemoteState.ts"

/** A change that another plan has made meanwhile. */
interface OtherChange<C> {
  /** The thing that it is about. */
  readonly about: string
  readonly plan: string
  readonly at: number
  /** The place of its entry in the journal. */
  readonly index: number
  readonly change: C
}

/** A step, with the place in the journal of what it was made from. */
interface PlacedStep<C> {
  readonly step: Step<C>
  readonly from: number
}

/** Steps as they are on top of what other plans have made, and for others which plan has overtaken them. */
export interface RebasedSteps<C> {
  readonly steps: ReadonlyArray<Step<C>>
  readonly overtaken: ReadonlyMap<string, string>
}

interface RebaseOptions {
  /** Plans whose changes are those of the steps themselves. */
  readonly besides: ReadonlySet<string>
  readonly now: number
}

/** The changes that other plans have made since, by what they are about, the latest last. */
const changesSince = <C, S extends RemoteState<C>, E>(
  driver: CompleteDriver<C, S, E>,
  entries: ReadonlyArray<StoredEntry<C>>,
  { besides, from }: RebaseOptions & { readonly from: number }
): ReadonlyMap<string, ReadonlyArray<OtherChange<C>>> => {
  const { rebase, resolve } = driver
  const done = entries.slice(from).flatMap((entry, place) => {
    const isOther = entry.type === "done" && !entry.found && !besides.has(entry.plan_id)
    return isOther ? [{ ...entry, index: from + place }] : []
  })
  const states = new Map([...new Set(done.map((entry) => entry.plan_id))].map((id) => [id, fold(entries, id)]))
  const changes = new Map(
    [...states].map(([id, state]) => [id, new Map(state?.plan.steps.map((step) => [step.id, step.change]))])
  )
  const made = done.flatMap(({ at, index, plan_id, steps }) =>
    steps.flatMap((id): ReadonlyArray<OtherChange<C>> => {
      const [state, change] = [states.get(plan_id), changes.get(plan_id)?.get(id)]
      if (state === undefined || change === undefined) return []
      const resolved = resolve(change, (step) => recordOf(state, step).created)
      const about = resolved === undefined ? undefined : rebase?.about(resolved)
      return resolved === undefined || about === undefined
        ? []
        : [{ about, plan: plan_id, at, index, change: resolved }]
    })
  )
  return grouped(made, ({ about }) => about)
}

/**
 * Steps on top of what other plans have changed since: merged where they touch other fields. What they cannot be merged with is
 * told, by the plan that has changed it.
 */
export const rebaseSteps = <C, S extends RemoteState<C>, E>(
  driver: CompleteDriver<C, S, E>,
  entries: ReadonlyArray<StoredEntry<C>>,
  steps: ReadonlyArray<PlacedStep<C>>,
  since: RebaseOptions
): RebasedSteps<C> => {
  const { invert, kindOf, rebase } = driver
  const overtaken = new Map<string, string>()
  const first = steps.reduce((least, { from }) => Math.min(least, from), entries.length)
  const made = rebase === undefined ? new Map() : changesSince(driver, entries, { ...since, from: first })
  if (rebase === undefined || made.size === 0) return { steps: [], overtaken }
  const changed = steps.flatMap(({ from, step }): ReadonlyArray<Step<C>> => {
    const about = rebase.about(step.change)
    const all: ReadonlyArray<OtherChange<C>> = about === undefined ? [] : (made.get(about) ?? [])
    const others = all.filter(({ index }) => index > from)
    const other =
      others.findLast(({ change }) => kindOf(change) === kindOf(step.change)) ??
      others.findLast(({ change }) => Result.isFailure(rebase.onto(step.change, change)))
    if (other === undefined) return []
    const { at, change, plan } = other
    const merged = rebase.onto(step.change, change)
    if (Result.isSuccess(merged)) {
      return merged.success === step.change ? [] : [{ ...step, change: merged.success, undo: invert(merged.success) }]
    }
    const place = merged.failure === "" ? "it since" : `the same (${merged.failure})`
    overtaken.set(
      step.id,
      `plan ${plan}, applied ${ago(since.now - at)}, has changed ${place}, and it stays as it is: plan again`
    )
    return []
  })
  return { steps: changed, overtaken }
}

const units = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"]
] as const

/** A time span as people say it. */
const ago = (ms: number): string => {
  const [length, name] = units.find(([one]) => ms >= one) ?? [1000, "second"]
  const count = Math.max(1, Math.floor(ms / length))
  return `${count} ${name}${count === 1 ? "" : "s"} ago`
}
