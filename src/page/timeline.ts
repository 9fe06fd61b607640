import { grouped } from "../internal/collections.ts"
import { dayMs, isFailed, type Run, secondsOf } from "./fleet.ts"
import { type Tone, toneOf } from "./status.ts"

/** Runs of one workflow that fall on the same few pixels, shown as the worst of them. */
export interface Mark {
  /** The beginning of the time that those pixels stand for: it stays as time goes on and other runs come. */
  readonly at: number
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
export const marksOf = ({ runs }: Pick<Lane, "runs">, width: number, now: number): ReadonlyArray<Mark> => {
  if (width <= 0) return []
  const markMs = (dayMs * step) / width
  const onScreen = runs.flatMap((run) => {
    const { startedAt = 0 } = run
    return xOf(startedAt, width, now) < 0 ? [] : [{ run, at: Math.floor(startedAt / markMs) * markMs }]
  })
  return [...grouped(onScreen, ({ at }) => at)]
    .map(([at, some]) => {
      const worst = some.reduce((a, b) => (weights[toneOf(b.run.status)] > weights[toneOf(a.run.status)] ? b : a))
      const long = Math.max(...some.map(({ run }) => secondsOf(run, now) ?? 0))
      const x = Math.min(Math.max(0, Math.round(xOf(at, width, now))), width - step + 1)
      return {
        at,
        x,
        width: Math.max(step - 1, Math.min((long * 1000 * width) / dayMs, width - x)),
        tone: toneOf(worst.run.status),
        run: worst.run,
        count: some.length,
        failed: some.filter(({ run }) => isFailed(run)).length
      }
    })
    .toSorted((a, b) => a.at - b.at)
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

/** A lane with its marks. */
export interface MarkedLane extends Pick<Lane, "key"> {
  readonly marks: ReadonlyArray<Mark>
}

/** A mark by its lane and time, which stay as other lanes and marks come before it. */
export interface Stop {
  readonly lane: string
  readonly at: number
}

const stopAt = ({ key, marks }: MarkedLane, place: number): Stop | undefined => {
  const mark = marks[place]
  return mark === undefined ? undefined : { lane: key, at: mark.at }
}

const nearest = (marks: ReadonlyArray<Mark>, at: number): number => {
  const distances = marks.map((mark) => Math.abs(mark.at - at))
  return distances.indexOf(Math.min(...distances))
}

/** The mark at a stop, or the nearest of its lane where the screen has another width since; the first one of all where it has none. */
export const markAt = (lanes: ReadonlyArray<MarkedLane>, stop: Stop | undefined): Stop | undefined => {
  const lane = lanes.find(({ key, marks }) => key === stop?.lane && marks.length > 0)
  if (lane !== undefined && stop !== undefined) return stopAt(lane, nearest(lane.marks, stop.at))
  const first = lanes.find(({ marks }) => marks.length > 0)
  return first === undefined ? undefined : stopAt(first, 0)
}

/** The next mark in the direction of a key: along a lane, or in the next lane above or below that has one. */
export const nextMark = (lanes: ReadonlyArray<MarkedLane>, { at, lane }: Stop, key: string): Stop | undefined => {
  const row = lanes.findIndex((one) => one.key === lane)
  const current = lanes[row]
  if (current === undefined) return undefined
  const place = nearest(current.marks, at)
  switch (key) {
    case "Home":
      return stopAt(current, 0)
    case "End":
      return stopAt(current, current.marks.length - 1)
    case "ArrowLeft":
      return stopAt(current, place - 1)
    case "ArrowRight":
      return stopAt(current, place + 1)
    case "ArrowDown":
    case "ArrowUp": {
      const others = key === "ArrowDown" ? lanes.slice(row + 1) : lanes.slice(0, row).toReversed()
      const other = others.find(({ marks }) => marks.length > 0)
      return other === undefined ? undefined : stopAt(other, nearest(other.marks, at))
    }
    default:
      return undefined
  }
}
