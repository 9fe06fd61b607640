import { Effect } from "effect"

import { changeKey, invert } from "./Change.ts"
import { byWork } from "./draft.ts"
import { estimate } from "./estimate.ts"
import type { History } from "./history.ts"
import { type Ads, locate, look } from "./look.ts"
import type { Draft, Step } from "./Plan.ts"

/** The draft that leads back from what a plan has done, or may have done before a break. */
export const wayBack = Effect.fnUntraced(function* (ads: Ads, { created, done, inDoubt, plan }: History) {
  const touched = plan.steps.filter(({ id }) => done.has(id) || inDoubt.has(id))
  const campaigns = new Map([...(yield* lost(ads, touched, created)), ...created])
  const steps = touched
    .toReversed()
    .flatMap(({ id, undo }) =>
      undo.flatMap((change): ReadonlyArray<Step> => {
        const located = locate(change, campaigns)
        const reason = `takes back: ${id}`
        return located === undefined ? [] : [{ id: changeKey(located), change: located, reason, undo: invert(located) }]
      })
    )
    .toSorted(byWork)
  const blocked = touched
    .filter(({ change, undo }) => undo.length === 0 && "target" in change && typeof change.target === "number")
    .map(({ id }) => ({ what: id, reason: "what was there before is not known" }))
  return { kind: "rollback", steps, warnings: [], blocked, estimate: estimate(steps) } satisfies Draft
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
