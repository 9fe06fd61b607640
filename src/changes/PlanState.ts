import { Array as Arrays, HashMap, Option } from "effect"

import { objectOf } from "../internal/schema/JsonObject.ts"
import type { CreatedId, StoredEntry, ProgressEntry } from "./Journal.ts"
import type { Plan } from "./Plan.ts"

/** The record of one step. Times are milliseconds since 1970. */
export interface StepRecord {
  /** The entry of its plan's progress that began or finished it last; 0 if none has. */
  readonly touchedBy: number
  readonly doneAt: number | undefined
  /** Since when it is sent, or about to be, without a known outcome; the same on the machine's clock that nobody sets. */
  readonly outcomeUnknownSince: number | undefined
  readonly sentUptime: number | undefined
  /** The id of the last thing that was there when it was sent. */
  readonly latest: CreatedId | undefined
  /** The reason for which it was not done: refused by the upstream, or overtaken by someone else. */
  readonly refused: string | undefined
  /** The id of the thing that it has created. */
  readonly created: CreatedId | undefined
  /** Whether it was as wanted before anything was sent, which is not the doing of the plan. */
  readonly isForeign: boolean
  /** Whether it did not show when it was read back. */
  readonly isUnconfirmed: boolean
  /** The value that shows, or may show, in the place of what was sent. */
  readonly observed: Observed | undefined
}

/** Something else than what was sent, as its upstream has put it. */
export interface Observed {
  readonly detail: unknown
  /** Of a step that is open as long as this stands: the entry that says so, and a sentence for a person. */
  readonly open?: { readonly since: number; readonly problem: string }
}

/** The record of a step that nothing is known of. */
export const untouched: StepRecord = {
  doneAt: undefined,
  outcomeUnknownSince: undefined,
  sentUptime: undefined,
  latest: undefined,
  refused: undefined,
  created: undefined,
  isForeign: false,
  touchedBy: 0,
  isUnconfirmed: false,
  observed: undefined
}

/** The state of a plan, from its journal. While a plan is applied it is the only memory of what was done. */
export interface PlanState<C> {
  readonly plan: Plan<C>
  /** The number of entries of the journal about its own progress. */
  readonly progress: number
  readonly steps: HashMap.HashMap<string, StepRecord>
  /** The number of steps that are done. */
  readonly done: number
  /** The steps that are done and, as far as the journal can tell, were not read back. */
  readonly unread: HashMap.HashMap<string, true>
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
  /** Problems of lines that the journal cannot tell any more, and that may have been about this plan. */
  readonly unreadable: ReadonlyArray<string>
  /** The agreements of persons, with the caller and the content of each. */
  readonly agreements: ReadonlyArray<Agreement>
}

/** A person's agreement to a plan, for one caller. */
export type Agreement = Pick<Extract<ProgressEntry, { readonly type: "agreed" }>, "caller" | "digest">

/** The state of a plan that was not begun. */
const initialState = <C>(plan: Plan<C>): PlanState<C> => ({
  plan,
  progress: 0,
  steps: HashMap.empty(),
  done: 0,
  unread: HashMap.empty(),
  isBegun: false,
  isFinished: false,
  isPartly: false,
  rollbacks: HashMap.empty(),
  isRollbackBegun: false,
  isRolledBack: false,
  others: HashMap.empty(),
  unreadable: [],
  agreements: []
})

/** The record of one step of a plan. */
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
export const step = <C>(state: PlanState<C>, entry: StoredEntry<C>): PlanState<C> => {
  switch (entry.type) {
    case "action":
    case "expired":
    case "steps":
      return state
    case "rebased": {
      if (entry.plan_id !== state.plan.id) return state
      const others = new Map(entry.of_plan.map((one) => [one.id, one]))
      return { ...state, plan: { ...state.plan, steps: state.plan.steps.map((one) => others.get(one.id) ?? one) } }
    }
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
      return entry.plan_id === state.plan.id
        ? withOwnEntry({ ...state, progress: state.progress + 1 }, entry)
        : withRollbackEntry(state, entry)
  }
}

/** An entry about another plan, which may be one that rolls this one back. */
const withRollbackEntry = <C>(state: PlanState<C>, entry: ProgressEntry): PlanState<C> => {
  const rollback = Option.getOrUndefined(HashMap.get(state.rollbacks, entry.plan_id))
  if (rollback === undefined) return state
  if (entry.type === "begun" || entry.type === "done") return { ...state, isRollbackBegun: true }
  const isWhole = !rollback.blocked.some(({ later = false }) => later)
  const isEnd = entry.type === "finished" && entry.refused === undefined && isWhole
  return isEnd ? { ...state, isRolledBack: true } : state
}

const withOwnEntry = <C>(state: PlanState<C>, entry: ProgressEntry): PlanState<C> => {
  switch (entry.type) {
    case "begun":
      return updateRecords(beginRound(entry.read_back === true ? allRead(state) : state), entry.steps, (record) => ({
        ...record,
        touchedBy: state.progress,
        outcomeUnknownSince: entry.at,
        sentUptime: entry.uptime,
        latest: entry.latest
      }))
    case "done": {
      const done = updateRecords(beginRound(state), entry.steps, (record) => ({
        ...withKnownOutcome(record),
        touchedBy: state.progress,
        doneAt: entry.at,
        refused: undefined,
        created: entry.created ?? record.created,
        isForeign: entry.found && record.outcomeUnknownSince === undefined
      }))
      return entry.found ? done : { ...done, unread: entry.steps.reduce(withUnread, done.unread) }
    }
    case "refused":
      return updateRecords(beginRound(state), entry.steps, (record) => ({
        ...(entry.outcome_unknown === true ? record : notDone(record)),
        refused: entry.problem
      }))
    case "unsent":
      return updateRecords(state, entry.steps, (record) => {
        const { observed, touchedBy } = record
        // What the call itself was to show is not there either.
        const before = observed?.open?.since === touchedBy ? { ...record, observed: undefined } : record
        return { ...notDone(before), touchedBy: before.observed?.open === undefined ? 0 : touchedBy }
      })
    case "observed":
      return Arrays.zip(entry.steps, entry.details).reduce<PlanState<C>>(
        (before, [id, detail]) =>
          updateRecords(before, [id], (record) => observe(record, detail, entry, state.progress)),
        entry.standing === "open" ? beginRound(state) : state
      )
    case "unconfirmed":
      return updateRecords(state, entry.steps, (record) => ({ ...record, isUnconfirmed: true }))
    case "confirmed":
      return updateRecords(state, entry.steps, (record) => ({ ...record, isUnconfirmed: false }))
    case "agreed": {
      const { caller, digest } = entry
      return { ...state, agreements: [...state.agreements, { caller, digest }] }
    }
    case "finished": {
      const isFinished = entry.refused === undefined
      return { ...allRead(state), isFinished, isPartly: !isFinished }
    }
    default:
      return state
  }
}

const withUnread = (unread: HashMap.HashMap<string, true>, step: string) => HashMap.set(unread, step, true)

/** The state once everything that is done was read back. */
export const allRead = <C>(state: PlanState<C>): PlanState<C> => ({ ...state, unread: HashMap.empty() })

/** A round through the steps begins or goes on; a new one forgets what was refused in the last one. */
const beginRound = <C>(state: PlanState<C>): PlanState<C> => ({
  ...state,
  isBegun: true,
  isPartly: false,
  steps: state.isPartly ? HashMap.map(state.steps, (record) => ({ ...record, refused: undefined })) : state.steps
})

const observe = (
  record: StepRecord,
  detail: unknown,
  { at, problem = "", standing }: Extract<ProgressEntry, { readonly type: "observed" }>,
  since: number
): StepRecord => {
  if (standing === "done") return { ...record, observed: { detail } }
  if (standing === "undone") return { ...withKnownOutcome(record), doneAt: undefined }
  // What still stands from before is known beside it.
  const before = record.observed?.open === undefined ? undefined : record.observed
  const isSaid = before?.open === undefined || before.open.problem === problem
  return {
    ...record,
    touchedBy: since,
    doneAt: undefined,
    isUnconfirmed: false,
    outcomeUnknownSince: at,
    observed: {
      detail: { ...objectOf(before?.detail), ...objectOf(detail) },
      open: { since, problem: isSaid ? problem : `${problem} ${before.open.problem}` }
    }
  }
}

const withKnownOutcome = (record: StepRecord): StepRecord => ({
  ...record,
  outcomeUnknownSince: undefined,
  observed: record.observed?.open === undefined ? record.observed : undefined
})

/** A change that was not sent has a known outcome, unless something else may stand in its place. */
const notDone = (record: StepRecord): StepRecord =>
  record.observed?.open === undefined ? { ...record, outcomeUnknownSince: undefined } : record

const updateRecords = <C>(
  state: PlanState<C>,
  ids: ReadonlyArray<string>,
  change: (record: StepRecord) => StepRecord
): PlanState<C> => {
  let { done, steps } = state
  for (const id of ids) {
    const before = Option.getOrElse(HashMap.get(steps, id), () => untouched)
    const after = change(before)
    done += Number(after.doneAt !== undefined) - Number(before.doneAt !== undefined)
    steps = HashMap.set(steps, id, after)
  }
  return { ...state, done, steps }
}

/** The state of a plan after all entries of the journal; undefined if it was never made. */
export const fold = <C>(entries: ReadonlyArray<StoredEntry<C>>, id: string): PlanState<C> | undefined => {
  const start = entries.findIndex((entry) => entry.type === "planned" && entry.plan_id === id)
  const first = entries[start]
  if (first?.type !== "planned") return undefined
  const begin = entries
    .slice(0, start)
    .filter((entry) => entry.type === "planned")
    .reduce<PlanState<C>>(step, initialState(first.plan))
  return entries.slice(start + 1).reduce<PlanState<C>>(step, begin)
}
