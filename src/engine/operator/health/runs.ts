import { Predicate } from "effect"

import type { Execution } from "../../workflow/models.ts"
import { secondsOf, statusOf } from "../explain/describeExecution.ts"

/** A run as lists tell of it; times in milliseconds since 1970. */
export interface Run {
  readonly id: number
  readonly status: string
  readonly mode: string
  readonly startedAt: number
  readonly seconds: number | undefined
  /** The time at which a waiting run goes on. */
  readonly waitTill?: number
}

/** The runs of a workflow, newest first: all that the engine has kept since a moment, and perhaps some from before. */
export interface Runs {
  readonly since: number
  readonly runs: ReadonlyArray<Run>
  /** Runs from before these, and how many of them failed. */
  readonly earlier: Counts
  /** The runs of each day, by its number since 1970; only who remembers them has them. */
  readonly daysOf?: () => ReadonlyMap<number, Counts>
}

/** Ended runs, and the failed ones among them. */
export interface Counts {
  readonly ended: number
  readonly failed: number
}

export const noCounts: Counts = { ended: 0, failed: 0 }

/** Nothing is known of a workflow. */
export const noRuns: Runs = { since: Infinity, runs: [], earlier: noCounts }

/** A run of a list; undefined for one that has not begun. */
export const runOf = (execution: Execution): Run | undefined => {
  const startedAt = Date.parse(String(execution.startedAt))
  const waitTill = Date.parse(String(execution.waitTill))
  return Number.isNaN(startedAt)
    ? undefined
    : {
        id: execution.id,
        status: statusOf(execution),
        mode: Predicate.isString(execution.mode) ? execution.mode : "",
        startedAt,
        seconds: secondsOf(execution),
        ...(Number.isNaN(waitTill) ? {} : { waitTill })
      }
}

/** Whether a run was started by its trigger as the schedule asks. */
export const isScheduled = ({ mode }: Run): boolean => mode === "trigger"

export const isFailed = ({ status }: Pick<Run, "status">): boolean => status === "error" || status === "crashed"

/** Runs that people start while they build a workflow say nothing about it. */
const isJudged = (run: Run): boolean => run.mode !== "manual" && (isFailed(run) || run.status === "success")

/** The ended runs and the failed ones among them. */
export const countsOf = (runs: ReadonlyArray<Run>): Counts => {
  const judged = runs.filter(isJudged)
  return { ended: judged.length, failed: judged.filter(isFailed).length }
}

/** The probability of one failure by what is known, which is never quite 0 or 1. */
const rateOf = ({ ended, failed }: Counts): number => (failed + 0.5) / (ended + 1)

const together = (a: Counts, b: Counts): Counts => ({ ended: a.ended + b.ended, failed: a.failed + b.failed })

/** Runs at the end of which a changed rate shows. */
const recentRuns = 20

/** Runs before them by which the former rate is known well enough. */
const leastFormer = 10

/** The probability below which failures are no chance; of a workflow that has never failed, a single one is told. */
const improbable = 0.001
const improbableFirst = 0.1

/** Failures at the last runs, without a success between them. */
export const inARow = (runs: ReadonlyArray<Run>): number => {
  const judged = runs.filter(isJudged)
  const firstOther = judged.findIndex((run) => !isFailed(run))
  return firstOther < 0 ? judged.length : firstOther
}

/** Whether a workflow fails more than it did: at its last runs in a row, or in a share of the last ones that is no chance. */
export const failsMore = ({ earlier, runs }: Pick<Runs, "earlier" | "runs">): boolean => {
  const judged = runs.filter(isJudged)
  const last = inARow(judged)
  const before = together(countsOf(judged.slice(last)), earlier)
  const limit = before.failed === 0 ? improbableFirst : improbable
  if (last > 0 && rateOf(before) ** last < limit) return true
  const recent = countsOf(judged.slice(0, recentRuns))
  const former = together(countsOf(judged.slice(recentRuns)), earlier)
  return former.ended >= leastFormer && atLeast(recent.failed, recent.ended, rateOf(former)) < improbable
}

/** The probability of at least so many failures among so many runs. */
const atLeast = (failed: number, ended: number, rate: number): number => {
  let term = (1 - rate) ** ended
  let below = 0
  for (let count = 0; count < failed; count++) {
    below += term
    term *= ((ended - count) / (count + 1)) * (rate / (1 - rate))
  }
  return 1 - below
}

/** The middle of some numbers; undefined if there are none. */
export const median = (values: ReadonlyArray<number>): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Milliseconds between two scheduled runs, usually; undefined where there are too few. */
export const usualGap = (runs: ReadonlyArray<Run>): number | undefined => {
  const starts = runs.filter(isScheduled).map(({ startedAt }) => startedAt)
  return starts.length < fewestStarts
    ? undefined
    : median(starts.slice(1).map((start, place) => (starts[place] ?? start) - start))
}

const fewestStarts = 4

/** Whether a run succeeded that nobody has started by hand. */
export const isUsualSuccess = ({ mode, status }: Run): boolean => status === "success" && mode !== "manual"

/** Seconds that the successful runs took which people have not started by hand, the newest first. */
export const durationsOf = (runs: ReadonlyArray<Run>): ReadonlyArray<number> =>
  runs.flatMap((run) => (isUsualSuccess(run) && run.seconds !== undefined ? [run.seconds] : []))

/** The last values that have to be high, and the values before by which high is judged. */
const highValues = 3
const fewestUsual = 8

/** The last of some values, the newest first, and the usual one, where each of the last is above twice the highest tenth of those before and some slack, or above `most`. */
export const rise = (
  values: ReadonlyArray<number>,
  slack: number,
  most?: number
): { readonly last: number; readonly usual: number } | undefined => {
  // High values are judged by the older half, or they would soon be usual themselves.
  const former = Math.max(highValues, Math.min(values.length - fewestUsual, Math.floor(values.length / 2)))
  const [last, before] = [values.slice(0, highValues), values.slice(former)]
  if (last.length < highValues || (before.length < fewestUsual && most === undefined)) return undefined
  const highest = before.toSorted((a, b) => a - b)[Math.floor(before.length * 0.9)] ?? 0
  return Math.min(...last) > (most ?? 2 * highest + slack)
    ? { last: median(last) ?? 0, usual: median(before) ?? 0 }
    : undefined
}

/** Seconds by which runs have to take longer, beside twice as long. */
const slackSeconds = 5

/** The seconds that the last runs of a workflow took, where each took far longer than usual, or longer than allowed. */
export const slowness = (runs: ReadonlyArray<Run>, maxSeconds: number | undefined) =>
  rise(durationsOf(runs), slackSeconds, maxSeconds)
