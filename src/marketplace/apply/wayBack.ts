import { Clock, Effect, Result } from "effect"

import type { BidUnit, Wire } from "../client/Bids.ts"
import { pairKey } from "../client/ids.ts"
import type { Kopecks } from "../client/money.ts"
import { bisectRead } from "../client/partialReads.ts"
import { batchesOf } from "../plan/batches.ts"
import { changeKey, invert, workOf } from "../plan/Change.ts"
import { clusterUnit } from "../plan/clusterUnit.ts"
import { byWork } from "../plan/draft.ts"
import { estimate } from "../plan/estimate.ts"
import { lasting } from "../plan/lasting.ts"
import type { Draft, Step } from "../plan/Plan.ts"
import { explain } from "./advice.ts"
import type { History } from "./history.ts"
import { locate, type Located } from "./Located.ts"
import { type Ads, look, type Standing, visibleMs } from "./look.ts"
import { isMisread, isProbe, isRounded } from "./ownBid.ts"
import { changesOf, type Row } from "./rows.ts"
import { whyKept } from "./whyKept.ts"
import { campaignsOfStale, whyStale } from "./whyStale.ts"

/**
 * The draft that leads back from what a plan has done, or may have done before a break. What someone else has changed
 * since stays as it is.
 */
export const wayBack = Effect.fnUntraced(function* (ads: Ads, past: History, wire: Wire | undefined) {
  const { created, done, inDoubt, plan } = past
  const touched = plan.steps.filter(({ id }) => done.has(id) || inDoubt.has(id))
  const { found, others } = yield* lost(ads, touched, past)
  const campaigns = new Map([...found, ...created])
  const wanted = touched
    .flatMap(({ id, undo }) =>
      undo.flatMap((change): ReadonlyArray<LocatedStep> => {
        const located = locate(change, campaigns)
        const reason = `takes back: ${id}`
        if (located === undefined) return []
        return [{ id: changeKey(located), change: located, reason, undo: invert(located) }]
      })
    )
    .toSorted(byWork)
  const { changed, notYet, ownBids, proofs } = yield* foreign(ads, wanted, past)
  const certain = clusterUnit(wire, [...proofs, ...(plan.provenUnit === undefined ? [] : [plan.provenUnit])])
  const unit = Result.getOrUndefined(certain)
  const stays = new Map(lasting(touched, unit?.unit).map(({ reason, what }) => [what, reason]))
  for (const { change, id } of wanted) {
    if (workOf(change) === "cluster" && Result.isFailure(certain)) notYet.set(id, certain.failure)
    if (!stays.has(id)) continue
    changed.delete(id)
    notYet.delete(id)
  }
  const steps = wanted
    .filter(({ id }) => !stays.has(id) && !changed.has(id) && !notYet.has(id))
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
  const proven = unit?.isProven === true ? { provenUnit: unit.unit } : {}
  return { kind: "rollback", steps, warnings, blocked, ...proven, estimate: estimate(steps) } satisfies Draft
})

interface LocatedStep extends Step {
  readonly change: Located
}

/**
 * The steps whose place shows neither what the plan has set nor what was there before it, does not show at all, or holds
 * money by now, and what that means; but a bid that the marketplace has rounded or read in the other unit is the plan's own.
 * What belongs to an article that itself only comes back cannot be looked at yet.
 */
const foreign = Effect.fnUntraced(function* (ads: Ads, steps: ReadonlyArray<LocatedStep>, past: History) {
  const located = new Map(steps.map((step) => [step.id, step]))
  const changed = new Map<string, string>()
  const notYet = new Map<string, string>()
  const ownBids = new Map<string, LocatedStep>()
  const absent = new Set<string>()
  const proofs = new Set<BidUnit>()
  const all: Array<Row & { readonly standing: Standing }> = []
  for (const batch of batchesOf(steps)) {
    const rows = batch.steps.flatMap(({ id }) => located.get(id) ?? [])
    const shown = rows.filter(({ change }) => !absent.has(articleOf(change)))
    const { found, refused } = yield* bisectRead(shown, (some) => look(ads, changesOf(some)))
    for (const { error, item } of refused) notYet.set(item.id, explain(error))
    for (const { answer, items } of found) {
      const looked = items.map((step) => ({ ...step, step: step.id, standing: answer.standing(step.change) }))
      const campaigns = yield* campaignsOfStale(answer, looked)
      all.push(...looked)
      for (const unit of answer.provenUnits) proofs.add(unit)
      for (const { standing, step: id, ...step } of looked) {
        const { change } = step
        const own = standing === "stale" ? ownBid(change, answer.bidShown(change), past, id) : undefined
        if (own !== undefined) ownBids.set(id, { ...step, id, change: own })
        else if (standing === "stale") changed.set(id, whyStale(change, campaigns))
        if (standing === "pending" && change.kind === "product" && change.after) absent.add(articleOf(change))
      }
    }
  }
  for (const [id, reason] of yield* whyKept(ads, all)) notYet.set(id, reason)
  return { changed, notYet, ownBids, proofs }
})

/** The change from the bid that shows, where that is what the plan's own bid has become. */
const ownBid = (change: Located, shown: Kopecks | null, past: History, step: string): Located | undefined => {
  if ((change.kind !== "bid" && change.kind !== "cluster") || shown === null) return undefined
  const { before } = change
  const { inDoubt, probes, rounded, unconfirmed } = past
  const mayBeRounded = !rounded.has(step) && (inDoubt.has(step) || unconfirmed.has(step))
  const isOwn =
    rounded.get(step) === shown ||
    (mayBeRounded && before !== null && isRounded(shown, before)) ||
    (change.kind === "cluster" && ((before !== null && isMisread(shown, before)) || isProbe(shown, probes.get(step))))
  return isOwn ? { ...change, before: shown } : undefined
}

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
