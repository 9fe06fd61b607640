import { Array as Arrays, Clock, Effect, HashMap } from "effect"

import { elapsedSince, monotonicMillis } from "../internal/time.ts"
import { bisectReads } from "./bisectReads.ts"
import { type Circumstances, type CompleteDriver } from "./Driver.ts"
import type { CreatedId, StoredEntry } from "./Journal.ts"
import type { Draft, Plan, Step } from "./Plan.ts"
import { fold, type PlanState, recordOf, type StepRecord, valuesByStep, untouched } from "./PlanState.ts"
import { type RebasedSteps, rebaseSteps } from "./rebasing.ts"
import { driftIn, type Judgement, type RemoteState, type Row } from "./RemoteState.ts"

/** The draft that rolls a plan back, by the journal: on top of what its earlier rollbacks and other plans have changed. */
export const rollbackIn = <C, S extends RemoteState<C>, E>(
  driver: CompleteDriver<C, S, E>,
  past: PlanState<C>,
  { entries, now }: Circumstances<C>
) => {
  const { id } = past.plan
  const places = new Map(
    entries.flatMap((entry, index) =>
      (entry.type === "begun" || entry.type === "done") && entry.plan_id === id
        ? entry.steps.map((one) => [one, index] as const)
        : []
    )
  )
  const rollbacks = [...HashMap.keys(past.rollbacks)]
  const besides = new Set([id, ...rollbacks])
  const standing = rollbacks
    .flatMap((one) => fold(entries, one) ?? [])
    .filter(({ isRollbackBegun }) => !isRollbackBegun)
  return draftRollback(driver, past, standing, (undoing) => {
    const placed = undoing.map(({ step: one, undone }) => ({ step: one, from: places.get(undone) ?? entries.length }))
    return rebaseSteps(driver, entries, placed, { besides, now })
  })
}

/**
 * The draft that leads back from what a plan has done, or may have done before a break. What someone else has changed
 * since stays as it is.
 */
const draftRollback = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  driver: CompleteDriver<C, S, E>,
  past: PlanState<C>,
  /** Other rollbacks of the same plan, some of whose steps are done. */
  earlier: ReadonlyArray<PlanState<C>>,
  onTop: (undoing: ReadonlyArray<{ readonly step: Step<C>; readonly undone: string }>) => RebasedSteps<C>
) {
  const { creations, idOf, invert, order, relations, resolve, rollback, visibleMs } = driver
  const relink = (all: ReadonlyArray<{ readonly step: Step<C>; readonly undone: string }>) => {
    const steps = rollback.relink?.(all.map(({ step }) => step))
    return steps === undefined ? all : Arrays.zipWith(all, steps, (one, step) => ({ ...one, step }))
  }
  const isTouched = ({ doneAt, isForeign, outcomeUnknownSince }: ReturnType<typeof recordOf>) =>
    !isForeign && (doneAt !== undefined || outcomeUnknownSince !== undefined)
  const touched = past.plan.steps.filter(({ id }) => isTouched(recordOf(past, id)))
  const lostCreations = yield* findLostCreations(driver, touched, past)
  const created = new Map<string, CreatedId>([
    ...lostCreations.created,
    ...valuesByStep(past, (record) => record.created)
  ])
  const again = yield* recreations(driver, earlier)
  const undos = touched.flatMap(({ change: done, id, undo }) => undo.map((change) => ({ change, done, undone: id })))
  const makes = new Set(undos.flatMap(({ change }) => (creations.isCreation(change) ? [idOf(change)] : [])))
  /** A change that needs nothing but what this draft makes stays as it is: the ids are known when that is done. */
  const withIds = (change: C, idFor: (step: string) => CreatedId | undefined) =>
    resolve(change, idFor) ??
    (resolve(change, (step) => idFor(step) ?? (makes.has(step) ? step : undefined)) === undefined ? undefined : change)
  const undoing = relink(
    undos.flatMap(({ change, done, undone }) => {
      const first = withIds(change, (step) => created.get(step))
      if (first === undefined || again.steps.has(idOf(first))) return []
      const resolved = withIds(change, (step) => created.get(step) ?? again.created.get(step))
      if (resolved === undefined) return []
      const reason = rollback.undoes?.(done) ?? `undoes: ${undone}`
      return [{ undone, step: { id: idOf(resolved), change: resolved, reason, undo: invert(resolved) } }]
    })
  )
  const { overtaken, steps: merged } = onTop(undoing)
  const mergedById = new Map(merged.map((step) => [step.id, step]))
  const undone = undoing.map(({ step }) => mergedById.get(step.id) ?? step)
  const wanted = order === undefined ? undone.toReversed() : undone.toSorted(order)
  const { adjusted, changed, notYet, read } = yield* readDrift(driver, wanted, past)
  const { irreversible, later, premise } = rollback.limits(touched, wanted, read, past.plan)
  for (const { reason, what } of later) notYet.set(what, reason)
  for (const [step, reason] of overtaken) if (changed.has(step)) changed.set(step, reason)
  const [now, millis] = [yield* Clock.currentTimeMillis, yield* monotonicMillis]
  const isRecent = ({ outcomeUnknownSince: at = 0, sentUptime }: StepRecord) =>
    elapsedSince(at, sentUptime, { now, millis }) < visibleMs
  for (const state of earlier) {
    for (const { change, id } of state.plan.steps) {
      const record = recordOf(state, id)
      if (!creations.isCreation(change) || record.outcomeUnknownSince === undefined || !isRecent(record)) continue
      if (!again.steps.has(id))
        notYet.set(id, "it does not show yet whether another rollback has made it: plan again later")
    }
  }
  const stays = new Map(irreversible.map(({ reason, what }) => [what, reason]))
  for (const { id } of wanted.filter((step) => stays.has(step.id))) {
    changed.delete(id)
    notYet.delete(id)
  }
  const isLeft = (id: string) => stays.has(id) || changed.has(id) || notYet.has(id)
  // What would belong to a thing that is not made anew cannot be done.
  const creating = new Set(wanted.filter(({ change }) => creations.isCreation(change)).map(({ id }) => id))
  for (const { change, id } of wanted.filter((step) => !isLeft(step.id))) {
    const leader = relations(change).follows
    if (leader !== undefined && creating.has(leader) && isLeft(leader)) {
      notYet.set(id, `${creations.missing} (${leader})`)
    }
  }
  const steps = wanted
    .filter(({ id }) => !isLeft(id))
    .map((step) => ({ ...step, change: adjusted.get(step.id) ?? step.change }))
  const mayShow = (step: string) => isRecent(recordOf(past, step))
  const uncertain = touched
    .filter(({ change, id }) => creations.isCreation(change) && !created.has(id) && mayShow(id))
    .map(({ id }) => [id, "it does not show yet whether it was created: plan this again later"] as const)
  const strangers = [...lostCreations.others].filter(([id]) => !mayShow(id))
  return {
    kind: "rollback",
    steps,
    warnings: [
      ...(yield* rollback.warnings(steps, read)),
      ...new Set(read.flatMap(({ caveat }) => (caveat === undefined ? [] : [caveat])))
    ],
    blocked: [
      ...[...stays, ...changed, ...strangers].map(([what, reason]) => ({ what, reason })),
      ...[...new Map([...notYet, ...uncertain])].map(([what, reason]) => ({ what, reason, later: true }))
    ],
    ...(premise === undefined ? {} : { premise })
  } satisfies Draft<C>
})

/**
 * The steps whose place shows neither what the plan has set nor what was there before it, does not show at all, or must
 * not be touched, and what that means; but what the upstream has made of the plan's own change is the plan's own. What belongs to a thing that itself only comes back cannot be read yet.
 */
const readDrift = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  driver: CompleteDriver<C, S, E>,
  steps: ReadonlyArray<Step<C>>,
  past: PlanState<C>
) {
  const { batches, explain, holdBack, readRemoteState, rollback } = driver
  const { containing } = rollback
  const changed = new Map<string, string>()
  const notYet = new Map<string, string>()
  const adjusted = new Map<string, C>()
  const absent = new Set<string>()
  const read: Array<S> = []
  const judged: Array<Row<C> & { readonly judgement: Judgement }> = []
  for (const batch of batches(steps)) {
    const rows = batch
      .map(({ change, id }) => ({ step: id, change }))
      .filter(({ change }) => containing === undefined || !absent.has(containing.belongsTo(change)))
    const changes = rows.map(({ change }) => change)
    const { answers, refused } = yield* bisectReads(
      rows,
      (some) =>
        readRemoteState(
          some.map(({ change }) => change),
          { ...past.plan, kind: "rollback", steps }
        ),
      (error) => {
        const failure = explain(error, changes)
        return failure._tag === "Refused" ? failure.problem : undefined
      }
    )
    for (const { item, reason } of refused) notYet.set(item.step, reason)
    for (const { answer, items } of answers) {
      const seen = items.map((row) => ({ ...row, judgement: answer.judge(row.change, { record: untouched }) }))
      const describe = seen.some(({ judgement }) => judgement === "drift") ? yield* driftIn(answer) : () => ""
      judged.push(...seen)
      read.push(answer)
      for (const { change, judgement, step } of seen) {
        const follower =
          judgement === "drift" ? answer.fromAdjusted?.(change, recordOf(past, step)) : answer.withPresent?.(change)
        if (follower !== undefined) adjusted.set(step, follower)
        else if (judgement === "drift") changed.set(step, describe(change))
        const restored = judgement === "pending" ? containing?.bringsBack(change) : undefined
        if (restored !== undefined) absent.add(restored)
      }
    }
  }
  for (const [step, reason] of holdBack === undefined ? [] : yield* holdBack(judged)) notYet.set(step, reason)
  return { adjusted, changed, notYet, read }
})

/** The steps of other rollbacks that have made something anew, which must not be made twice, and its ids. */
const recreations = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  driver: CompleteDriver<C, S, E>,
  earlier: ReadonlyArray<PlanState<C>>
) {
  const steps = new Set<string>()
  const created = new Map<string, CreatedId>()
  for (const state of earlier) {
    const making = state.plan.steps.filter(({ change }) => driver.creations.isCreation(change))
    const isOpen = ({ id }: Step<C>) => recordOf(state, id).outcomeUnknownSince !== undefined
    const late = yield* findLostCreations(driver, making.filter(isOpen), state)
    for (const { id } of making) {
      const { created: made = late.created.get(id), doneAt } = recordOf(state, id)
      if (made !== undefined) created.set(id, made)
      if (made !== undefined || doneAt !== undefined) steps.add(id)
    }
  }
  return { steps, created }
})

/** The ids of creations that were not recorded, and why other things in their place are not these. */
const findLostCreations = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  { creations, readRemoteState, resolve }: CompleteDriver<C, S, E>,
  touched: ReadonlyArray<Step<C>>,
  past: PlanState<C>
) {
  const created = new Map<string, CreatedId>()
  const others = new Map<string, string>()
  const unknown = touched.flatMap(({ change, id }) => {
    const isUnknown = creations.isCreation(change) && recordOf(past, id).created === undefined
    const resolved = isUnknown ? resolve(change, (step) => recordOf(past, step).created) : undefined
    return resolved === undefined ? [] : [{ id, change: resolved }]
  })
  if (unknown.length === 0) return { created, others }
  const state = yield* readRemoteState(
    unknown.map(({ change }) => change),
    past.plan
  )
  for (const { change, id } of unknown) {
    const creation = state.findLostCreation?.(change, recordOf(past, id)) ?? {}
    if (creation.created !== undefined) created.set(id, creation.created)
    if (creation.others !== undefined) others.set(id, `${creation.others}, and it stays as it is`)
  }
  return { created, others }
})

/** Whether a plan reverts another: a rollback does, and a rollback of that goes forward again. */
export const isRevert = <C>(entries: ReadonlyArray<StoredEntry<C>>, { reverses }: Plan<C>): boolean => {
  if (reverses === undefined) return false
  const original = entries.find((entry) => entry.type === "planned" && entry.plan_id === reverses)
  return original?.type !== "planned" || !isRevert(entries, original.plan)
}

/** Whether a plan has done something since its rollback was planned, which the rollback therefore leaves out. */
export const isOutdated = <C>(rollback: Plan<C>, state: PlanState<C>, idOf: (change: C) => string): boolean => {
  const covered = new Set(rollback.steps.map(({ id }) => id))
  const isLater = (id: string) => {
    const { doneAt, isForeign, outcomeUnknownSince, touchedBy } = recordOf(state, id)
    const at = doneAt ?? outcomeUnknownSince
    if (at === undefined || isForeign) return false
    // Plans of earlier versions tell only the time, which may have been set back meanwhile.
    return rollback.reversedProgress === undefined ? at > rollback.createdAt : touchedBy > rollback.reversedProgress
  }
  return state.plan.steps.some(({ id, undo }) => isLater(id) && undo.some((change) => !covered.has(idOf(change))))
}

/** Whether another rollback of the same plan has begun since a rollback was planned, which may have undone the same. */
export const isOvertaken = <C>(
  entries: ReadonlyArray<StoredEntry<C>>,
  { id }: Plan<C>,
  { rollbacks }: PlanState<C>
): boolean => {
  const from = entries.findIndex((entry) => entry.type === "planned" && entry.plan_id === id)
  return entries
    .slice(from)
    .some(
      (entry) =>
        entry.type === "begun" &&
        entry.steps.length > 0 &&
        entry.plan_id !== id &&
        HashMap.has(rollbacks, entry.plan_id)
    )
}
