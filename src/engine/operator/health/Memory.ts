import type { ErrorRead, LastChange, Observation, RunUsage, WorkflowRun } from "./Observation.ts"
import { type Counts, countsOf, noCounts, type Run, type Runs } from "./runs.ts"

/** The past of an instance that a watching process keeps from one reading to the next, so that nothing is read twice. */
export interface Memory {
  /** The times between which all runs were read. */
  readonly since: number
  readonly at: number
  readonly runs: ReadonlyMap<string, RememberedRuns>
  /** Runs that had not ended. */
  readonly pending: ReadonlyArray<number>
  /** The error of the first run of each workflow that fails. */
  readonly errors: ReadonlyMap<string, ErrorRead>
  readonly usage: ReadonlyMap<string, ReadonlyArray<RunUsage>>
  /** Workflows that were active, each with the time at which it was switched on, as far as that was seen or asked. */
  readonly active: ReadonlyMap<string, number>
  readonly lastChanges: ReadonlyMap<string, LastChange>
}

interface RememberedRuns extends Runs {
  readonly days: ReadonlyMap<number, Counts>
  /** The newest run that is only counted any more. */
  readonly countedTo: number
}

/** Runs of each workflow, and days of which the counts are kept. */
const mostRuns = 30
const mostDays = 21

const day = 86_400_000

/** The runs of a workflow with newer ones: the same run counts once, in its last state. */
const extended = (before: RememberedRuns | undefined, newer: ReadonlyArray<Run>, since: number): RememberedRuns => {
  const counted = before?.countedTo ?? 0
  const unseen = newer.filter(({ id }) => id > counted)
  const all = new Map([...(before?.runs ?? []), ...unseen].map((run) => [run.id, run]))
  const runs = [...all.values()].toSorted((a, b) => b.startedAt - a.startedAt || b.id - a.id)
  const kept = runs.slice(0, mostRuns)
  const dropped = runs.slice(mostRuns)
  const countedTo = Math.max(counted, ...dropped.map(({ id }) => id))
  const former = new Map(before?.days ?? [])
  for (const [number, counts] of countsByDay(dropped)) former.set(number, sum(former.get(number), counts))
  const newest = Math.floor((runs[0]?.startedAt ?? 0) / day)
  const days = new Map([...former].filter(([number]) => number > newest - mostDays))
  const earlier = [...days.values()].reduce(sum, noCounts)
  const oldest = kept.at(-1)?.startedAt ?? since
  return { since: runs.length > mostRuns ? oldest : (before?.since ?? since), runs: kept, earlier, days, countedTo }
}

const countsByDay = (runs: ReadonlyArray<Run>): ReadonlyMap<number, Counts> => {
  const days = new Map<number, Counts>()
  for (const run of runs) {
    const number = Math.floor(run.startedAt / day)
    days.set(number, sum(days.get(number), countsOf([run])))
  }
  return days
}

const sum = (a: Counts = noCounts, b: Counts): Counts => ({ ended: a.ended + b.ended, failed: a.failed + b.failed })

/** The runs of each day: those that have left the list, and those in it. */
export const daysOf = ({ days, runs }: RememberedRuns): ReadonlyMap<number, Counts> => {
  const all = new Map(days)
  for (const [number, counts] of countsByDay(runs)) all.set(number, sum(all.get(number), counts))
  return all
}

/** The remembered runs with those that were read since; `since` is the time from which they are all. */
export const withRuns = (
  memory: Memory | undefined,
  read: ReadonlyArray<WorkflowRun>,
  since: number
): ReadonlyMap<string, RememberedRuns> => {
  const byWorkflow = new Map<string, Array<Run>>()
  for (const { workflowId, ...run } of read) {
    const group = byWorkflow.get(workflowId)
    if (group === undefined) byWorkflow.set(workflowId, [run])
    else group.push(run)
  }
  const runs = new Map(memory?.runs ?? [])
  for (const [id, newer] of byWorkflow) runs.set(id, extended(runs.get(id), newer, since))
  return runs
}

/** The part of an observation that is remembered: nothing of workflows that are gone. */
export const remembered = (
  observation: Pick<Observation, "isWhole" | "lastChanges" | "workflows">,
  memory: Memory
): Memory => {
  const ids = new Set(observation.workflows.map(({ id }) => id))
  const kept = <A>(map: ReadonlyMap<string, A>) =>
    observation.isWhole ? new Map([...map].filter(([id]) => ids.has(id))) : map
  const { lastChanges } = observation
  return { ...memory, lastChanges, runs: kept(memory.runs), errors: kept(memory.errors), active: kept(memory.active) }
}
