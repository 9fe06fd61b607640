import { Effect } from "effect"

import type { DescribedAction, Describing } from "../Driver.ts"
import type { ActionEntry, StoredEntry, PlannedEntry, ProgressEntry } from "../Journal.ts"
import { joinEntries, entryOutliner, type Subject } from "../largePlans.ts"
import type { Step } from "../Plan.ts"
import { detailsOf, type RowFields, type Source, sentKey } from "./auditOutline.ts"
import { moment } from "./summary.ts"

/** An entry of the journal as a row, with what rows are chosen by. */
interface AuditRow {
  readonly at: number
  /** The plan that it is about; `unknown` where that cannot be told. */
  readonly plan: string | undefined
  /** The id of the thing that it is about; `unknown` where that cannot be told. */
  readonly subject: string | undefined
  /** The name of its details, if it has some that are read for the rows that are shown. */
  readonly key?: string | undefined
  readonly row: (details: RowFields) => RowFields
}

/** The plans and changes, in the order of writing. */
export interface AuditTrail {
  /** A row for each event, and one for each step that was sent and its outcome. */
  readonly events: () => ReadonlyArray<AuditRow>
  /** A row for each plan, and for each change without one. */
  readonly changes: () => ReadonlyArray<AuditRow>
  /** The details of the rows that are shown, by their keys: the journal is read once more for them. */
  readonly detailsOf: (rows: ReadonlyArray<AuditRow>) => Effect.Effect<ReadonlyMap<string, RowFields>>
  /** Hours by which the upstream's days begin before those of UTC. */
  readonly hoursAhead: number
}

/** For a line that cannot be read: it may be about any plan and anything. */
export const unknown = "unknown"

type WithSteps = Extract<ProgressEntry, { readonly steps: unknown }>

const outcomes: ReadonlyArray<string> = ["done", "observed", "refused", "unsent"]

const actionKey = ({ group = "", operation, subject }: ActionEntry & DescribedAction): string =>
  `${operation} ${subject} ${group}`

type Made = ReadonlyMap<string, PlannedEntry<Subject>>

/** The rows of a journal in the words of its upstream. Of the changes of all plans only their subjects are kept. */
export const trailOf = <C>({ describing, mapEntries }: Source<C>): Effect.Effect<AuditTrail> =>
  Effect.map(mapEntries(entryOutliner(describing.subjectOf)), (lines) => {
    const entries = joinEntries(lines)
    const made: Made = new Map(
      entries.flatMap((entry) => (entry.type === "planned" ? [[entry.plan_id, entry] as const] : []))
    )
    return {
      events: () => eventRows(describing, entries, made),
      changes: () => changeRows(describing, entries, made),
      detailsOf: (rows) => {
        const keys = rows.flatMap(({ key, plan }) => (plan !== undefined && made.has(plan) && key) || [])
        return keys.length === 0 ? Effect.succeed(new Map()) : detailsOf({ describing, mapEntries }, new Set(keys))
      },
      hoursAhead: describing.hoursAhead ?? 0
    }
  })

const eventRows = <C>(
  describing: Describing<C>,
  entries: ReadonlyArray<StoredEntry<Subject>>,
  made: Made
): ReadonlyArray<AuditRow> => {
  const steps = new Map<string, ReadonlyMap<string, Step<Subject>>>()
  const stepsOf = (plan: string) => {
    const planSteps = steps.get(plan) ?? new Map(made.get(plan)?.plan.steps.map((step) => [step.id, step]))
    steps.set(plan, planSteps)
    return planSteps
  }
  const events: Array<AuditRow | undefined> = []
  /** The place of the row of something that was sent, until its outcome takes it; and who has sent it. */
  const sent = new Map<string, { readonly place: number; readonly who: string | undefined }>()
  const take = (key: string) => {
    const one = sent.get(key)
    sent.delete(key)
    if (one !== undefined) events[one.place] = undefined
    return one?.who
  }
  for (const entry of entries) {
    if (entry.type === "action") {
      const action = describedAction(describing, entry)
      const key = actionKey({ ...entry, ...action })
      const who = take(key) ?? entry.who
      if (entry.outcome === "begun") sent.set(key, { place: events.length, who })
      const row = () => ({ at: moment(entry.at), ...action.row, ...by(who) })
      events.push({ at: entry.at, plan: undefined, subject: action.subject, row })
    } else if ("steps" in entry) {
      for (const id of entry.steps) {
        const key = sentKey(entry.plan_id, id)
        const isOutcome = outcomes.includes(entry.type)
        const who = isOutcome ? take(key) : entry.type === "begun" ? entry.who : undefined
        if (entry.type === "begun") sent.set(key, { place: events.length, who })
        events.push({
          at: entry.at,
          plan: entry.plan_id,
          ...stepEntry(entry, id, stepsOf(entry.plan_id).get(id), who)
        })
      }
    } else events.push(...eventOf(entry))
  }
  return events.filter((row) => row !== undefined)
}

const by = (who: string | undefined) => (who === undefined ? {} : { who })

/** An entry that is about no single step. */
const eventOf = (entry: Exclude<StoredEntry<Subject>, ActionEntry | WithSteps>): ReadonlyArray<AuditRow> => {
  const plan = "plan_id" in entry ? entry.plan_id : undefined
  const about = { at: entry.at, plan, subject: undefined }
  const at = moment(entry.at)
  switch (entry.type) {
    case "planned":
      return [{ ...about, row: () => plannedRow(entry) }]
    case "unreadable": {
      const { at: _, type: what, ...row } = entry
      return [{ ...about, plan: entry.plan_id ?? unknown, subject: unknown, row: () => ({ at, what, ...row }) }]
    }
    case "rebased":
    case "steps":
      return []
    case "expired": {
      const { at: _, step_count: steps, type: __, ...row } = entry
      return [{ ...about, row: () => ({ at, what: "planned", ...row, steps }) }]
    }
    case "asked":
    case "stopped":
      return [{ ...about, row: () => ({ at, what: entry.type, plan_id: entry.plan_id, problem: entry.problem }) }]
    case "agreed":
      return [{ ...about, row: () => ({ at, what: entry.type, plan_id: entry.plan_id, caller: entry.caller }) }]
    default: {
      const what = entry.refused === undefined ? entry.type : `ended, with ${entry.refused} steps refused`
      return [{ ...about, row: () => ({ at, what, plan_id: entry.plan_id }) }]
    }
  }
}

const plannedRow = ({ at, plan, plan_id, who }: PlannedEntry<Subject>) => {
  const { kind, reverses, steps } = plan
  return {
    at: moment(at),
    what: "planned",
    plan_id,
    kind,
    steps: steps.length,
    ...(reverses === undefined ? {} : { reverses }),
    ...by(who)
  }
}

/** The progress of a plan: when it was last worked on, the steps that are done, and who has sent them. */
interface Progress {
  at: number
  who: string | undefined
  readonly done: Set<string>
}

/** A row for each plan with what has become of it, and for each change without one; several of one call are one. */
const changeRows = <C>(
  describing: Describing<C>,
  entries: ReadonlyArray<StoredEntry<Subject>>,
  made: Made
): ReadonlyArray<AuditRow> => {
  const progress = new Map<string, Progress>()
  const groups = new Map<string, { readonly row: AuditRow; readonly done: Set<string> }>()
  const single: Array<AuditRow | undefined> = []
  /** The place of the row of an action whose outcome is not known yet. */
  const open = new Map<string, number>()
  const plans: Array<AuditRow> = []
  for (const entry of entries) {
    if (entry.type === "unreadable" || entry.type === "expired") plans.push(...eventOf(entry))
    if (entry.type === "action") {
      const action = describedAction(describing, entry)
      const { group, row, subject } = action
      const who = by(entry.who)
      if (group === undefined) {
        const key = actionKey({ ...entry, ...action })
        const begun = open.get(key)
        if (begun !== undefined) single[begun] = undefined
        open.delete(key)
        if (entry.outcome === "begun") open.set(key, single.length)
        single.push({ at: entry.at, plan: undefined, subject, row: () => ({ at: moment(entry.at), ...row, ...who }) })
        continue
      }
      const done = groups.get(group)?.done ?? new Set<string>()
      if (entry.outcome === "done") done.add(subject)
      const first = groups.get(group)?.row ?? {
        at: entry.at,
        plan: undefined,
        subject: undefined,
        row: () => ({ at: moment(entry.at), what: row["what"], pause_id: group, done: done.size, ...who })
      }
      groups.set(group, { row: first, done })
      continue
    }
    if (!("steps" in entry)) continue
    const one = progress.get(entry.plan_id) ?? { at: entry.at, who: undefined, done: new Set() }
    progress.set(entry.plan_id, one)
    one.at = entry.at
    if (entry.type === "begun") one.who = entry.who ?? one.who
    if (entry.type === "done") for (const id of entry.steps) one.done.add(id)
  }
  for (const entry of made.values()) {
    const one = progress.get(entry.plan_id)
    plans.push({
      at: one?.at ?? entry.at,
      plan: entry.plan_id,
      subject: undefined,
      key: describing.overview && entry.plan_id,
      row: (details) => ({
        ...plannedRow(entry),
        ...(one === undefined ? {} : { done: one.done.size, changed_at: moment(one.at) }),
        ...(one?.who === undefined ? {} : { changed_by: one.who }),
        ...details
      })
    })
  }
  const actions = single.filter((row) => row !== undefined)
  return [...plans, ...actions, ...[...groups.values()].map(({ row }) => row)].toSorted((a, b) => a.at - b.at)
}

/** A change without a plan; of an upstream that says no more of it, what was done. */
const describedAction = <C>(describing: Describing<C>, entry: ActionEntry): DescribedAction =>
  describing.describeAction?.(entry) ?? { subject: "", row: { what: entry.operation, outcome: entry.outcome } }

const stepEntry = (entry: WithSteps, id: string, step: Step<Subject> | undefined, who: string | undefined) => {
  const created = entry.type === "done" ? entry.created : undefined
  const subject = step?.change ?? created
  return {
    subject: subject === undefined ? undefined : String(subject),
    key: step && sentKey(entry.plan_id, id),
    row: (details: RowFields) => ({
      at: moment(entry.at),
      what: whatOf(entry),
      plan_id: entry.plan_id,
      step: id,
      ...details,
      ...(created === undefined ? {} : { created }),
      ...("problem" in entry ? { problem: entry.problem } : {}),
      ...by(who)
    })
  }
}

const whatOf = (entry: WithSteps): string => {
  if (entry.type === "observed") return entry.word
  return entry.type === "done" && entry.found ? "found as wanted" : entry.type
}
