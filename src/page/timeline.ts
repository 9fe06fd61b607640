import { grouped } from "../internal/collections.ts"
import { dayMs, isFailed, type Run, secondsOf } from "./fleet.ts"
import { type Tone, toneOf } from "./status.ts"

/** Runs of one workflow that fall on the same few pixels, shown as the worst of them. */
export interface Mark {
  readonly x: number
  readonly width: number
  readonly tone: Tone
  /** The worst run, and of those the newest. */
  readonly run: Run
  readonly count: number
  readonly failed: number
}

/** The runs of one workflow in the last day. */
export interface Lane {
  readonly key: string
  readonly instance: string
  readonly workflowId: string
  readonly runs: ReadonlyArray<Run>
  readonly failed: number
}

/** A lane for each workflow that ran, those that failed most recently first, then by the last run. */
export const lanesOf = (runs: ReadonlyArray<Run>): ReadonlyArray<Lane> =>
  [...grouped(runs, ({ instance, workflowId }) => `${instance} ${workflowId}`)]
    .flatMap(([key, ofLane]): ReadonlyArray<Lane> => {
      const [run] = ofLane
      if (run === undefined) return []
      const { instance, workflowId } = run
      return [{ key, instance, workflowId, runs: ofLane, failed: ofLane.filter(isFailed).length }]
    })
    .toSorted((a, b) => lastFailure(b) - lastFailure(a) || lastStart(b) - lastStart(a))

const lastFailure = ({ runs }: Lane): number => runs.find(isFailed)?.startedAt ?? 0
const lastStart = ({ runs: [run] }: Lane): number => run?.startedAt ?? 0

const weights: Readonly<Record<Tone, number>> = { bad: 3, warn: 2, calm: 1, good: 0 }
const step = 5

/** The place of a time on a day that ends now, on so many pixels; below zero for one that is longer ago. */
export const xOf = (at: number, width: number, now: number): number => ((at - (now - dayMs)) / dayMs) * width

/** The marks of a lane on so many pixels, from left to right; a run that takes longer than a mark is as long as it took. */
export const marksOf = ({ runs }: Lane, width: number, now: number): ReadonlyArray<Mark> => {
  const starts = runs.flatMap((run) =>
    run.startedAt === undefined ? [] : [{ run, x: xOf(run.startedAt, width, now) }]
  )
  const onScreen = starts.filter(({ x }) => x >= 0)
  return [...grouped(onScreen, ({ x }) => Math.floor(x / step))]
    .map(([place, some]) => {
      const worst = some.reduce((a, b) => (weights[toneOf(b.run.status)] > weights[toneOf(a.run.status)] ? b : a))
      const long = Math.max(...some.map(({ run }) => secondsOf(run, now) ?? 0))
      return {
        x: Math.min(place * step, width - step + 1),
        width: Math.max(step - 1, Math.min((long * 1000 * width) / dayMs, width - place * step)),
        tone: toneOf(worst.run.status),
        run: worst.run,
        count: some.length,
        failed: some.filter(({ run }) => isFailed(run)).length
      }
    })
    .toSorted((a, b) => a.x - b.x)
}

/** The last run of a workflow where it took far longer than its runs before, with what is usual. */
export const slowRunOf = ({
  runs
}: Lane): { readonly run: Run; readonly seconds: number; readonly usual: number } | undefined => {
  const succeeded = runs.filter(({ status }) => status === "success")
  const [run, ...earlier] = succeeded
  const past = earlier.flatMap((one) => secondsOf(one) ?? []).toSorted((a, b) => a - b)
  const [seconds, usual] = [run === undefined ? undefined : secondsOf(run), past[Math.floor(past.length / 2)]]
  if (run === undefined || seconds === undefined || usual === undefined || past.length < 4) return undefined
  return seconds > 2 && seconds > 3 * usual ? { run, seconds, usual } : undefined
}

/** The place of the next mark in the direction of a key: along a lane, or in the lane above or below. */
export const nextMark = (
  lanes: ReadonlyArray<ReadonlyArray<Pick<Mark, "x">>>,
  [lane, place]: readonly [number, number],
  key: string
): readonly [lane: number, place: number] | undefined => {
  const marks = lanes[lane] ?? []
  if (key === "Home" || key === "End") return [lane, key === "Home" ? 0 : marks.length - 1]
  if (key === "ArrowRight" || key === "ArrowLeft") {
    const next = place + (key === "ArrowRight" ? 1 : -1)
    return marks[next] === undefined ? undefined : [lane, next]
  }
  const to = key === "ArrowDown" ? lane + 1 : key === "ArrowUp" ? lane - 1 : -1
  const others = lanes[to] ?? []
  const x = marks[place]?.x ?? 0
  const distances = others.map((mark) => Math.abs(mark.x - x))
  return others.length === 0 ? undefined : [to, distances.indexOf(Math.min(...distances))]
}
