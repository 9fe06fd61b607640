import { Array as Arrays, HashMap, Option } from "effect"

import type { CreatedId, Kept, ProgressEntry } from "./Journal.ts"
import type { Plan } from "./Plan.ts"

/** What is known of one step. Times are milliseconds since 1970. */
export interface StepRecord {
  readonly doneAt: number | undefined
  /** Since when it is sent, or about to be, without a known outcome. */
  readonly outcomeUnknownSince: number | undefined
  /** Why it was not done: refused by the upstream, or overtaken by someone else. */
  readonly refused: string | undefined
  /** What it has created. */
  readonly created: CreatedId | undefined
  /** Whether it did not show when it was read back. */
  readonly isUnconfirmed: boolean
  /** The amount that shows in place of the sent one, where the upstream has rounded it. */
  readonly rounded: number | undefined
  /** The low amount that an earlier version has sent to see how it is read, and that may stand. */
  readonly probe: number | undefined
  /** Where an amount was read in another unit and may stand like that: what is known of it. */
  readonly misread: string | undefined
}

/** The record of a step that nothing is known of. */
export const untouched: StepRecord = {
  doneAt: undefined,
  outcomeUnknownSince: undefined,
  refused: undefined,
  created: undefined,
  isUnconfirmed: false,
  rounded: undefined,
  probe: undefined,
  misread: undefined
}

/** The state of a plan, from its journal. While a plan is applied it is the only memory of what was done. */
export interface PlanState<C> {
  readonly plan: Plan<C>
  readonly steps: HashMap.HashMap<string, StepRecord>
  /** How many steps are done. */
  readonly done: number
  readonly isBegun: boolean
  /** Whether every step is done. */
  readonly isFinished: boolean
  /** Whether every step has had its turn, and some were refused: the next apply tries those again. */
  readonly isPartly: boolean
  /** The plans that roll this one back. */
  readonly rollbacks: HashMap.HashMap<string, Plan<C>>
  /** Whether such a plan has been begun: from then on this one does not go on. */
  readonly isRollbackBegun: boolean
  /** Whether such a plan has come to its end, and left nothing for later; else another may follow it. */
  readonly isRolledBack: boolean
  /** Plans that are neither this one nor its rollbacks. */
  readonly others: HashMap.HashMap<string, true>
  /** What the journal cannot tell any more, and may have been about this plan. */
  readonly unreadable: ReadonlyArray<string>
  /** The step whose probe is under way: where that was not sent, there is none. */
  readonly probing: string | undefined
}

/** The state of a plan that was not begun. */
const planned = <C>(plan: Plan<C>): PlanState<C> => ({
  plan,
  steps: HashMap.empty(),
  done: 0,
  isBegun: false,
  isFinished: false,
  isPartly: false,
  rollbacks: HashMap.empty(),
  isRollbackBegun: false,
  isRolledBack: false,
  others: HashMap.empty(),
  unreadable: [],
  probing: undefined
})

/** What is known of one step of a plan. */
export const recordOf = <C>({ steps }: PlanState<C>, step: string): StepRecord =>
  Option.getOrElse(HashMap.get(steps, step), () => untouched)

/** Whether a step is still to be tried: once every step was tried, the refused ones are tried again. */
export const isOpen =
  <C>(state: PlanState<C>) =>
  ({ id }: { readonly id: string }): boolean => {
    const { doneAt, refused } = recordOf(state, id)
    return doneAt === undefined && (refused === undefined || state.isPartly)
  }

/** The values of one field of the records, with their steps, in the order of the plan. */
export const valuesByStep = <C, A>(
  state: PlanState<C>,
  field: (record: StepRecord) => A | undefined
): ReadonlyArray<readonly [step: string, value: A]> =>
  state.plan.steps.flatMap(({ id }) => {
    const value = field(recordOf(state, id))
    return value === undefined ? [] : [[id, value] as const]
  })

/** The steps that did not show when they were read back. */
export const unconfirmedOf = <C>(state: PlanState<C>): ReadonlyArray<string> =>
  state.plan.steps.flatMap(({ id }) => (recordOf(state, id).isUnconfirmed ? [id] : []))

/** The state of a plan after one more entry: the only place that knows what an entry means. */
export const step = <C>(state: PlanState<C>, entry: Kept<C>): PlanState<C> => {
  switch (entry.type) {
    case "action":
      return state
    case "unreadable": {
      const isOfAnother = entry.plan_id !== undefined && HashMap.has(state.others, entry.plan_id)
      return isOfAnother ? state : { ...state, unreadable: [...state.unreadable, entry.problem] }
    }
    case "planned": {
      const { plan, plan_id } = entry
      if (plan.reverses === state.plan.id) {
        return { ...state, rollbacks: HashMap.set(state.rollbacks, plan_id, plan) }
      }
      return plan_id === state.plan.id
        ? { ...state, plan }
        : { ...state, others: HashMap.set(state.others, plan_id, true) }
    }
    default:
      return entry.plan_id === state.plan.id ? ofOwn(state, entry) : ofRollback(state, entry)
  }
}

/** An entry about another plan, which may be one that rolls this one back. */
const ofRollback = <C>(state: PlanState<C>, entry: ProgressEntry): PlanState<C> => {
  const rollback = Option.getOrUndefined(HashMap.get(state.rollbacks, entry.plan_id))
  if (rollback === undefined) return state
  if (entry.type === "begun" || entry.type === "done") return { ...state, isRollbackBegun: true }
  const isWhole = !rollback.blocked.some(({ later = false }) => later)
  const isEnd = entry.type === "finished" && entry.refused === undefined && isWhole
  return isEnd ? { ...state, isRolledBack: true } : state
}

const ofOwn = <C>(state: PlanState<C>, entry: ProgressEntry): PlanState<C> => {
  switch (entry.type) {
    case "begun": {
      const { at, steps, trial } = entry
      const begun = { ...beginRound(state), probing: trial === undefined ? undefined : steps[0] }
      return mark(begun, steps, (record) => ({
        ...record,
        outcomeUnknownSince: at,
        probe: trial ?? record.probe
      }))
    }
    case "done":
      return mark(beginRound(state), entry.steps, (record) => ({
        ...withKnownOutcome(record),
        doneAt: entry.at,
        refused: undefined,
        created: entry.created ?? record.created
      }))
    case "refused":
      return mark(beginRound(state), entry.steps, (record) => ({ ...notDone(record), refused: entry.problem }))
    case "unsent":
      return mark(state, entry.steps, (record, id) =>
        notDone(state.probing === id ? { ...record, probe: undefined } : record)
      )
    case "misread":
      return mark(state, entry.steps, (record) => ({
        ...record,
        misread: entry.problem,
        doneAt: undefined,
        isUnconfirmed: false,
        outcomeUnknownSince: entry.at
      }))
    case "undone":
      return mark(state, entry.steps, (record) => ({ ...withKnownOutcome(record), doneAt: undefined }))
    case "rounded":
      return Arrays.zip(entry.steps, entry.bids).reduce<PlanState<C>>(
        (before, [id, rounded]) => mark(before, [id], (record) => ({ ...record, rounded })),
        state
      )
    case "unconfirmed":
      return mark(state, entry.steps, (record) => ({ ...record, isUnconfirmed: true }))
    case "confirmed":
      return mark(state, entry.steps, (record) => ({ ...record, isUnconfirmed: false }))
    case "finished": {
      const isFinished = entry.refused === undefined
      return { ...state, isFinished, isPartly: !isFinished }
    }
    default:
      return state
  }
}

/** A round through the steps begins or goes on; a new one forgets what was refused in the last one. */
const beginRound = <C>(state: PlanState<C>): PlanState<C> => ({
  ...state,
  isBegun: true,
  isPartly: false,
  steps: state.isPartly ? HashMap.map(state.steps, (record) => ({ ...record, refused: undefined })) : state.steps
})

const withKnownOutcome = (record: StepRecord): StepRecord => ({
  ...record,
  outcomeUnknownSince: undefined,
  probe: undefined,
  misread: undefined
})

/** A change that was not sent has a known outcome, unless another amount of its step may be in its place. */
const notDone = (record: StepRecord): StepRecord =>
  record.probe === undefined && record.misread === undefined ? { ...record, outcomeUnknownSince: undefined } : record

const mark = <C>(
  state: PlanState<C>,
  ids: ReadonlyArray<string>,
  change: (record: StepRecord, id: string) => StepRecord
): PlanState<C> => {
  let { done, steps } = state
  for (const id of ids) {
    const before = Option.getOrElse(HashMap.get(steps, id), () => untouched)
    const after = change(before, id)
    done += Number(after.doneAt !== undefined) - Number(before.doneAt !== undefined)
    steps = HashMap.set(steps, id, after)
  }
  return { ...state, done, steps }
}

/** The state of a plan after all entries of the journal; undefined if it was never made. */
export const fold = <C>(entries: ReadonlyArray<Kept<C>>, id: string): PlanState<C> | undefined => {
  const start = entries.findIndex((entry) => entry.type === "planned" && entry.plan_id === id)
  const first = entries[start]
  if (first?.type !== "planned") return undefined
  const begin = entries
    .slice(0, start)
    .filter((entry) => entry.type === "planned")
    .reduce<PlanState<C>>(step, planned(first.plan))
  return entries.slice(start + 1).reduce<PlanState<C>>(step, begin)
}

/** Whether a plan has done something since its rollback was planned, which the rollback therefore leaves out. */
export const isOutdated = <C>(rollback: Plan<C>, state: PlanState<C>, idOf: (change: C) => string): boolean => {
  const covered = new Set(rollback.steps.map(({ id }) => id))
  const isLater = (id: string) => {
    const { doneAt, outcomeUnknownSince } = recordOf(state, id)
    return (doneAt ?? outcomeUnknownSince ?? 0) > rollback.createdAt
  }
  return state.plan.steps.some(({ id, undo }) => isLater(id) && undo.some((change) => !covered.has(idOf(change))))
}

/** Whether a plan reverts another: a rollback does, and a rollback of that goes forward again. */
export const isRevert = <C>(entries: ReadonlyArray<Kept<C>>, { reverses }: Plan<C>): boolean => {
  if (reverses === undefined) return false
  const original = entries.find((entry) => entry.type === "planned" && entry.plan_id === reverses)
  return original?.type !== "planned" || !isRevert(entries, original.plan)
}
