import { Clock, Effect, Semaphore } from "effect"

import { monotonicMillis } from "../internal/time.ts"
import * as Agreement from "./apply/agreements.ts"
import * as Run from "./apply/Run.ts"
import { callerField } from "./apply/Run.ts"
import { type Report, runPlan } from "./apply/runPlan.ts"
import * as WithoutCaller from "./apply/toTheEnd.ts"
import { type Circumstances, complete, type CompleteDriver, type Describing, type Driver } from "./Driver.ts"
import type { ActionEntry, Journal, StoredEntry } from "./Journal.ts"
import { joinEntries, linesOf, measureSteps, entryOutliner, stepCollector, type Subject } from "./largePlans.ts"
import type { Draft, Plan, Step } from "./Plan.ts"
import {
  type ApplyStopped,
  GuardViolation,
  JournalFailed,
  type NotAgreed,
  NothingToRollBack,
  PlanExpired,
  PlanNotFound,
  PlanSpent
} from "./PlanError.ts"
import { fold, isOpen, type PlanState, recordOf, step } from "./PlanState.ts"
import { rebaseSteps } from "./rebasing.ts"
import { type RemoteState } from "./RemoteState.ts"
import { isOutdated, isOvertaken, isRevert, rollbackIn } from "./rollback.ts"

/** Options of one apply. */
export interface ApplyOptions {
  /** No new batch is begun after this time; apply again to go on. Default: until done. */
  readonly maxSeconds?: number
  /** Whether a person has agreed to change what the configuration protects; asked where there is a way to. Default: not. */
  readonly isProtectedConfirmed?: boolean
  /** Called after every batch. */
  readonly onProgress?: (done: number, total: number) => Effect.Effect<void>
}

/** A change that needs no plan, as it is recorded. */
export type Action = Omit<ActionEntry, "at" | "type"> & Pick<ActionEntry, "operation" | "outcome">

type ApplyError<E> =
  | ApplyStopped
  | E
  | GuardViolation
  | JournalFailed
  | NotAgreed
  | PlanExpired
  | PlanNotFound
  | PlanSpent

/**
 * Plans that are kept, applied once, go on after a break, and can be rolled back. `C` is a change of the upstream, `E`
 * what its calls fail with.
 */
export interface Plans<C, E> {
  /** Keeps a draft as a plan; nothing is changed. */
  readonly keep: (draft: Draft<C>) => Effect.Effect<Plan<C>, JournalFailed>
  /** The state of a plan, by the journal. */
  readonly state: (id: string) => Effect.Effect<PlanState<C>, JournalFailed | PlanExpired | PlanNotFound>
  /** The same, with the subjects of changes alone and the steps at the wanted places: a large plan is not held as a whole. */
  readonly outline: (
    id: string,
    isWanted: (place: number) => boolean
  ) => Effect.Effect<
    { readonly state: PlanState<Subject>; readonly steps: ReadonlyMap<string, Step<C>> },
    JournalFailed | PlanExpired | PlanNotFound
  >
  /** Checks and sends what was not done yet, reads it back, and records every step. */
  readonly apply: (id: string, options?: ApplyOptions) => Effect.Effect<Report, ApplyError<E>>
  /** The same, with the state of the plan afterwards. */
  readonly applyWithState: (
    id: string,
    options?: ApplyOptions
  ) => Effect.Effect<{ readonly report: Report; readonly state: PlanState<C> }, ApplyError<E>>
  /** Applies a plan to its end without a caller; ends early where waiting does not settle what has stopped it. */
  readonly goOn: (id: string, isProtectedConfirmed: boolean) => Effect.Effect<void>
  /** The plans that a server has not finished which went on without a caller. */
  readonly goingOn: Effect.Effect<ReturnType<typeof WithoutCaller.goingOn>>
  /** Plans to undo what a plan has done; changes nothing until that plan is applied itself. */
  readonly rollback: (
    id: string
  ) => Effect.Effect<Plan<C>, E | JournalFailed | NothingToRollBack | PlanExpired | PlanNotFound | PlanSpent>
  /** The texts about the changes, for people. */
  readonly describing: Describing<C>
  /** Everything that the journal holds, in the order of writing. */
  readonly entries: Effect.Effect<ReadonlyArray<StoredEntry<C>>>
  /** The results of a function for each line of the journal; steps of a large plan stand in lines before its own. */
  readonly mapEntries: Journal<C>["mapEntries"]
  /** Records a change that needs no plan. */
  readonly record: (action: Action) => Effect.Effect<void, JournalFailed>
}

/** The parts of plans of an upstream. */
export interface Options<C, S extends RemoteState<C>, E> {
  readonly driver: Driver<C, S, E>
  readonly journal: Journal<C>
  /** Minutes for which a plan can wait to be applied. */
  readonly planMinutes: number
}

/** Plans of one upstream over one journal. */
export const make = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>({
  driver: partialDriver,
  journal: storedJournal,
  planMinutes
}: Options<C, S, E>) {
  const driver = complete(partialDriver)
  const journal: Journal<C> = { ...storedJournal, entries: Effect.map(storedJournal.entries, joinEntries) }
  const writing = yield* Semaphore.make(1)
  const oneAtATime = yield* Semaphore.make(1)
  const sentTimes: Run.SentTimes = new Map()
  const append: Journal<C>["append"] = (...entries) => writing.withPermit(journal.append(...entries))
  const now = Clock.currentTimeMillis
  const circumstances = Effect.zipWith(journal.entries, now, (entries, at) => ({ entries, now: at }))

  const write = Effect.fn("Plans.write")(function* (draft: Draft<C>, reversed?: PlanState<C>) {
    const createdAt = yield* now
    const { hash, lengths } = yield* measureSteps(draft.steps)
    const content = (hash >>> 0).toString(36)
    const plan: Plan<C> = {
      ...draft,
      id: `${draft.kind}-${createdAt.toString(36)}-${content}`,
      estimate: driver.estimate(draft.steps),
      createdAt,
      expiresAt: createdAt + planMinutes * 60_000,
      ...(reversed === undefined ? {} : { reverses: reversed.plan.id, reversedProgress: reversed.progress })
    }
    const planned = { type: "planned", at: createdAt, plan_id: plan.id, plan, ...(yield* callerField) } as const
    yield* append(...linesOf(planned, lengths))
    return plan
  })

  /** Leaves out what the guards forbid at this time, which only the journal can tell. */
  const keep = (draft: Draft<C>) => Effect.flatMap(driver.guards.hold(draft, circumstances), (held) => write(held))

  const state = Effect.fn("Plans.state")(function* (id: string) {
    return yield* stateIn(yield* journal.entries, id)
  })

  const outline = Effect.fn("Plans.outline")(function* (id: string, isWanted: (place: number) => boolean) {
    const outlineOf = entryOutliner(driver.subjectOf)
    const { steps, add: take } = stepCollector<C>(id, isWanted)
    const lines = yield* journal.mapEntries((entry) => {
      take(entry)
      return outlineOf(entry)
    })
    return { state: yield* stateIn(joinEntries(lines), id), steps }
  })

  /**
   * The state from which a plan is applied now: on top of what other plans have changed since it was made, which is written before
   * anything is sent. A journal may be large: it is read once, and only what is about this plan is kept.
   */
  const rebaseOntoOthers = Effect.fnUntraced(function* (id: string, isProtectedConfirmed: boolean) {
    const present = yield* circumstances
    const { original, past } = yield* checkApplicable(driver, present, { id, isProtectedConfirmed })
    const { entries, now: at } = present
    const { plan } = past
    const from = entries.findIndex((entry) => entry.type === "planned" && entry.plan_id === plan.id)
    const untouchedSteps = plan.steps.flatMap((one) =>
      recordOf(past, one.id).touchedBy === 0 && isOpen(past)(one) ? [{ step: one, from }] : []
    )
    const besides = new Set([plan.id, ...(plan.reverses === undefined ? [] : [plan.reverses])])
    const { overtaken, steps } = rebaseSteps(driver, entries, untouchedSteps, { besides, now: at })
    if (steps.length === 0) return { original, overtaken, past, state: past }
    const entry = { type: "rebased", at, plan_id: plan.id, of_plan: steps } as const
    yield* append(entry)
    return { original, overtaken, past, state: step(past, entry) }
  })

  const applyWithState = Effect.fn("Plans.apply")(function* (id: string, options: ApplyOptions = {}) {
    const { maxSeconds = Infinity, onProgress = () => Effect.void } = options
    const mayApply = Effect.flatMap(circumstances, (present) =>
      checkApplicable(driver, present, { id, isProtectedConfirmed: true })
    )
    // Nothing is held or begun while a person is asked. Where nobody can be, what the caller says counts.
    const agreement = yield* Agreement.obtain(driver, state(id), mayApply)
    const isProtectedConfirmed = agreement !== undefined || options.isProtectedConfirmed === true
    const until = (yield* monotonicMillis) + maxSeconds * 1000
    const work = Effect.gen(function* () {
      const { past, ...from } = yield* rebaseOntoOthers(id, isProtectedConfirmed)
      const run = yield* Run.make({ driver, journal: { ...journal, append }, sentTimes, until, ...from })
      if (agreement !== undefined && (yield* Agreement.isUnrecorded(driver, past, agreement))) {
        yield* run.record({ type: "agreed", ...agreement })
      }
      const report = yield* runPlan(run, onProgress)
      return { report, state: run.state }
    })
    return yield* oneAtATime.withPermit(journal.hold(work))
  })

  const apply = (id: string, options?: ApplyOptions) => Effect.map(applyWithState(id, options), ({ report }) => report)

  const goOn = (id: string, isProtectedConfirmed: boolean) =>
    WithoutCaller.toTheEnd(
      (maxSeconds) => apply(id, { maxSeconds, isProtectedConfirmed }),
      Effect.flatMap(now, (at) => append(WithoutCaller.markOf(id, at, isProtectedConfirmed)))
    )

  const rollback = Effect.fn("Plans.rollback")(function* (id: string) {
    const at = yield* circumstances
    const { entries } = at
    const past = yield* stateIn(entries, id)
    if (past.isRolledBack) return yield* new PlanSpent({ id, state: "rolled back" })
    const isForward = isRevert(entries, past.plan)
    const draft = yield* rollbackIn(driver, past, at)
    const checked = driver.guards.holdRollback(draft, isForward)
    const gaps = past.unreadable.map((problem) => `${problem}: changes that only it records are not rolled back`)
    const warned = { ...checked, warnings: [...checked.warnings, ...gaps] }
    if (warned.steps.length === 0) return yield* new NothingToRollBack({ id, blocked: warned.blocked })
    return yield* write(isForward ? yield* driver.guards.hold(warned, Effect.succeed(at)) : warned, past)
  })

  return {
    keep,
    state,
    outline,
    apply,
    applyWithState,
    goOn,
    goingOn: Effect.zipWith(journal.mapEntries(WithoutCaller.signOf), now, WithoutCaller.goingOn),
    rollback,
    describing: driver,
    entries: journal.entries,
    mapEntries: journal.mapEntries,
    record: (action) =>
      Effect.flatMap(Effect.zip(now, callerField), ([at, who]) => append({ ...who, ...action, type: "action", at }))
  } satisfies Plans<C, E>
})

/** The state of a plan by these entries. One that is not among them may be in what cannot be read. */
const stateIn = <A>(entries: ReadonlyArray<StoredEntry<A>>, id: string) => {
  const state = fold(entries, id)
  if (state !== undefined) return Effect.succeed(state)
  if (entries.some((entry) => entry.type === "expired" && entry.plan_id === id)) {
    return Effect.fail(new PlanExpired({ id }))
  }
  const unread = entries.filter((entry) => entry.type === "unreadable")
  const lost = unread.find(({ plan_id }) => plan_id === id) ?? unread.find(({ plan_id }) => plan_id === undefined)
  return Effect.fail(lost === undefined ? new PlanNotFound({ id }) : new JournalFailed({ problem: lost.problem }))
}

/** The state of a plan, and of the plan that it rolls back; fails where it may not be applied now. */
const checkApplicable = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  driver: CompleteDriver<C, S, E>,
  circumstances: Circumstances<C>,
  { id, isProtectedConfirmed }: { readonly id: string; readonly isProtectedConfirmed: boolean }
) {
  const { entries, now } = circumstances
  const past = yield* stateIn(entries, id)
  const readOnly = driver.readOnly?.(now)
  if (readOnly?.error !== undefined) return yield* Effect.fail(readOnly.error)
  if (readOnly !== undefined) return yield* new GuardViolation({ id, problems: [readOnly.reason] })
  const [unreadable] = past.unreadable
  if (unreadable !== undefined) {
    return yield* new JournalFailed({ problem: `${unreadable}. It may be about plan ${id}: make a new plan` })
  }
  const { plan } = past
  if (past.isRollbackBegun || past.isRolledBack) return yield* new PlanSpent({ id, state: "rolled back" })
  if (past.isFinished) return yield* new PlanSpent({ id, state: "applied" })
  yield* driver.guards.mayApply(plan)
  const original = plan.reverses === undefined ? undefined : yield* stateIn(entries, plan.reverses)
  if (original !== undefined) {
    if (original.isRolledBack) return yield* new PlanSpent({ id: original.plan.id, state: "rolled back" })
    if (isOutdated(plan, original, driver.idOf) || isOvertaken(entries, plan, original)) {
      return yield* new PlanExpired({ id })
    }
  }
  if (!past.isBegun && (yield* Clock.currentTimeMillis) > plan.expiresAt) return yield* new PlanExpired({ id })
  const problems = driver.guards.problems(plan, {
    ...circumstances,
    isRevert: isRevert(entries, plan),
    isProtectedConfirmed
  })
  return problems.length > 0 ? yield* new GuardViolation({ id, problems }) : { past, original }
})
