import { Clock, Effect } from "effect"

import { pairKey } from "../ids.ts"
import { batchesOf } from "../plan/batches.ts"
import { changeKey, invert } from "../plan/Change.ts"
import { byWork } from "../plan/draft.ts"
import { estimate } from "../plan/estimate.ts"
import { lasting } from "../plan/lasting.ts"
import type { Draft, Step } from "../plan/Plan.ts"
import { readApart } from "../readApart.ts"
import type { Wire } from "../wire.ts"
import type { History, Trial } from "./history.ts"
import { locate, type Located } from "./Located.ts"
import { type Ads, look, type Standing, visibleMs } from "./look.ts"
import { changesOf, type Row } from "./rows.ts"
import { isOfTrial } from "./trialStory.ts"
import { whyKept } from "./whyKept.ts"
import { campaignsOfStale, whyStale } from "./whyStale.ts"

/**
 * The draft that leads back from what a plan has done, or may have done before a break. What someone else has changed
 * since stays as it is.
 */
export const wayBack = Effect.fnUntraced(function* (ads: Ads, past: History, wire: Wire) {
  const { created, done, inDoubt, plan, trial } = past
  const touched = plan.steps.filter(({ id }) => done.has(id) || inDoubt.has(id))
  const { found, others } = yield* lost(ads, touched, past)
  const campaigns = new Map([...found, ...created])
  const stays = new Map(lasting(touched, wire).map(({ reason, what }) => [what, reason]))
  const wanted = touched
    .flatMap(({ id, undo }) =>
      undo.flatMap((change): ReadonlyArray<LocatedStep> => {
        const located = locate(change, campaigns)
        const reason = `takes back: ${id}`
        if (located === undefined) return []
        return [{ id: changeKey(located), change: located, reason, undo: invert(located) }]
      })
    )
    .filter(({ id }) => !stays.has(id))
    .toSorted(byWork)
  const { changed, notYet, ownBids } = yield* foreign(ads, wanted, trial)
  const steps = wanted
    .filter(({ id }) => !changed.has(id) && !notYet.has(id))
    .map((step) => ownBids.get(step.id) ?? step)
  const now = yield* Clock.currentTimeMillis
  const isOpen = (step: string) => (inDoubt.get(step) ?? 0) + visibleMs > now
  const unknown = touched.filter(({ change, id }) => change.kind === "create" && !campaigns.has(id) && isOpen(id))
  const uncertain = new Map(
    unknown.map(({ id }) => [id, "it does not show yet whether it was created: plan this again later"])
  )
  const strangers = [...others].filter(([id]) => !isOpen(id))
  const blocked = [
    ...[...stays, ...changed, ...strangers].map(([what, reason]) => ({ what, reason })),
    ...[...notYet, ...uncertain].map(([what, reason]) => ({ what, reason, later: true }))
  ]
  const deleted = steps.filter(({ change }) => change.kind === "delete").length
  const warnings =
    deleted === 0
      ? []
      : [`Campaigns that the plan created are deleted (${deleted}), with all that was changed in them since`]
  return { kind: "rollback", steps, warnings, blocked, estimate: estimate(steps) } satisfies Draft
})

interface LocatedStep extends Step {
  readonly change: Located
}

/**
 * The steps whose place shows neither what the plan has set nor what was there before it, does not show at all, or holds
 * money by now, and what that means; but a cluster bid that came out a hundred times too high, or that of a trial, is the
 * plan's own (D2). What belongs to an article that itself only comes back cannot be looked at yet.
 */
const foreign = Effect.fnUntraced(function* (ads: Ads, steps: ReadonlyArray<LocatedStep>, trial?: Trial) {
  const located = new Map(steps.map((step) => [step.id, step]))
  const changed = new Map<string, string>()
  const notYet = new Map<string, string>()
  const ownBids = new Map<string, LocatedStep>()
  const absent = new Set<string>()
  const all: Array<Row & { readonly standing: Standing }> = []
  for (const batch of batchesOf(steps)) {
    const rows = batch.steps.flatMap(({ id }) => located.get(id) ?? [])
    const shown = rows.filter(({ change }) => !absent.has(articleOf(change)))
    const { found, refused } = yield* readApart(shown, (some) => look(ads, changesOf(some)))
    for (const { item, reason } of refused) notYet.set(item.id, reason)
    for (const { answer, items } of found) {
      const looked = items.map((step) => ({ ...step, step: step.id, standing: answer.standing(step.change) }))
      const campaigns = yield* campaignsOfStale(answer, looked)
      all.push(...looked)
      for (const { standing, step: id, ...step } of looked) {
        const { change } = step
        const before = change.kind === "cluster" ? answer.clusterBid(change) : null
        const isTrial = trial?.step === id && isOfTrial(trial, before)
        const isHigh = change.kind === "cluster" && change.before !== null && before === change.before * 100
        const isOwn = change.kind === "cluster" && (isHigh || isTrial)
        if (isOwn && standing === "stale") ownBids.set(id, { ...step, change: { ...change, before } })
        else if (standing === "stale") changed.set(id, whyStale(change, campaigns))
        if (standing === "pending" && change.kind === "product" && change.after) absent.add(articleOf(change))
      }
    }
  }
  for (const [id, reason] of yield* whyKept(ads, all)) notYet.set(id, reason)
  return { changed, notYet, ownBids }
})

const articleOf = (change: Located): string =>
  "nm_id" in change ? pairKey({ advert_id: change.target, nm_id: change.nm_id }) : changeKey(change)

/** The campaigns that were created without their ids being written down, and why others of their names are none of them. */
const lost = Effect.fnUntraced(function* (ads: Ads, touched: ReadonlyArray<Step>, { created, inDoubt }: History) {
  const unknown = touched.flatMap(({ change, id }) =>
    change.kind === "create" && !created.has(id) ? [{ id, change }] : []
  )
  const found = new Map<string, number>()
  const others = new Map<string, string>()
  if (unknown.length === 0) return { found, others }
  const seen = yield* look(ads, changesOf(unknown))
  for (const { change, id } of unknown) {
    const one = seen.lost(change, inDoubt.get(id) ?? 0)
    if (one.campaign !== undefined) found.set(id, one.campaign)
    if (one.others !== undefined) others.set(id, `${one.others}, and it stays as it is`)
  }
  return { found, others }
})
