import { Effect } from "effect"

import { batchesOf } from "./batches.ts"
import { changeKey, invert } from "./Change.ts"
import { byWork } from "./draft.ts"
import { estimate } from "./estimate.ts"
import type { History } from "./history.ts"
import { type Ads, locate, type Located, look } from "./look.ts"
import type { Draft, Step } from "./Plan.ts"

/**
 * The draft that leads back from what a plan has done, or may have done before a break. What someone else has changed
 * since stays as it is.
 */
export const wayBack = Effect.fnUntraced(function* (ads: Ads, { created, done, inDoubt, plan }: History) {
  const touched = plan.steps.filter(({ id }) => done.has(id) || inDoubt.has(id))
  const campaigns = new Map([...(yield* lost(ads, touched, created)), ...created])
  const wanted = touched
    .toReversed()
    .flatMap(({ id, undo }) =>
      undo.flatMap((change): ReadonlyArray<LocatedStep> => {
        const located = locate(change, campaigns)
        const reason = `takes back: ${id}`
        return located === undefined ? [] : [{ id: changeKey(located), change: located, reason, undo: invert(located) }]
      })
    )
    .toSorted(byWork)
  const changed = yield* foreign(ads, wanted)
  const steps = wanted.filter(({ id }) => !changed.has(id))
  const lasting = touched.filter(
    ({ change, undo }) => undo.length === 0 && "target" in change && typeof change.target === "number"
  )
  const blocked = [
    ...lasting.map(({ id }) => ({ what: id, reason: "what was there before is not known" })),
    ...[...changed].map((what) => ({ what, reason: "it was changed again since, and stays as it is" }))
  ]
  return { kind: "rollback", steps, warnings: [], blocked, estimate: estimate(steps) } satisfies Draft
})

interface LocatedStep extends Step {
  readonly change: Located
}

/** The steps whose place shows neither what the plan has set nor what was there before it. */
const foreign = Effect.fnUntraced(function* (ads: Ads, steps: ReadonlyArray<LocatedStep>) {
  const located = new Map(steps.map(({ change, id }) => [id, change]))
  const changed = new Set<string>()
  for (const batch of batchesOf(steps)) {
    const rows = batch.steps.flatMap(({ id }) => {
      const change = located.get(id)
      return change === undefined ? [] : [{ id, change }]
    })
    const { finding } = yield* look(
      ads,
      rows.map(({ change }) => change)
    )
    for (const { change, id } of rows) if (finding(change) === "stale") changed.add(id)
  }
  return changed
})

/** The campaigns that were created without their ids being written down, found by their names. */
const lost = Effect.fnUntraced(function* (
  ads: Ads,
  touched: ReadonlyArray<Step>,
  created: ReadonlyMap<string, number>
) {
  const unknown = touched.flatMap(({ change, id }) =>
    change.kind === "create" && !created.has(id) ? [{ id, change }] : []
  )
  if (unknown.length === 0) return []
  const seen = yield* look(
    ads,
    unknown.map(({ change }) => change)
  )
  return unknown.flatMap(({ change, id }): ReadonlyArray<readonly [string, number]> => {
    const campaign = seen.named(change.name)
    return campaign === undefined ? [] : [[id, campaign]]
  })
})
