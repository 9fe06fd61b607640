import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"

import { now } from "../browser.ts"
import { countOf, type InstanceState, useFleet } from "../fleet.ts"
import { href } from "../route.ts"
import { statusWords } from "../status.ts"
import { type Lane, lanesOf, type Mark, markAt, marksOf, nextMark, type Stop, xOf } from "../timeline.ts"

const laneHeight = 24
const markHeight = 14
/** Lanes that are there at first: the others come when somebody wants them. */
const firstLanes = 16

const hourMs = 3_600_000

interface Props {
  /** Keys of workflows whose schedule did not run, each with how often it did. */
  readonly missed: ReadonlyMap<string, string>
}

/** Every run of the last day over all instances, one lane a workflow; what failed comes first. */
export const Timeline = ({ missed }: Props) => {
  const { instances, nameOf } = useFleet()
  const runs = useMemo(() => instances.flatMap((one) => one.runs), [instances])
  const [isAll, setAll] = useState(false)
  const [width, setWidth] = useState(0)
  const track = useRef<HTMLDivElement>(null)
  const lanes = useMemo(() => {
    const ran = lanesOf(runs)
    const keys = new Set(ran.map(({ key }) => key))
    const silent = [...missed.keys()].filter((key) => !keys.has(key)).map(emptyLane)
    return [...silent, ...ran]
  }, [runs, missed])
  const time = now()
  const visibleLanes = useMemo(
    () =>
      lanes.slice(0, isAll ? undefined : firstLanes).map((lane) => ({ ...lane, marks: marksOf(lane, width, time) })),
    [lanes, width, isAll]
  )
  useLayoutEffect(() => {
    const element = track.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    setWidth(element.clientWidth)
    return () => observer.disconnect()
  }, [lanes.length === 0])
  const [stop, setStop] = useState<Stop>()
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (stop === undefined) return
    const mark = frame.current?.querySelector(`[data-lane="${CSS.escape(stop.lane)}"] [data-at="${stop.at}"]`)
    if (mark instanceof SVGElement) mark.focus()
  }, [stop])
  const walk = (event: KeyboardEvent) => {
    if (!(event.target instanceof SVGElement)) return
    const lane = event.target.closest("[data-lane]")?.getAttribute("data-lane") ?? ""
    const next = nextMark(visibleLanes, { lane, at: Number(event.target.getAttribute("data-at")) }, event.key)
    if (next === undefined) return
    event.preventDefault()
    setStop(next)
  }
  if (lanes.length === 0) {
    const isRead = instances.every(({ isRunsRead, silence }) => isRunsRead || silence !== undefined)
    return <p class="empty">{isRead ? "Nothing has run in the last 24 hours." : "Reading the runs of the last day…"}</p>
  }
  const tabStop = markAt(visibleLanes, stop)
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- what is walked through are the marks inside
    <div class="timeline" ref={frame} onKeyDown={walk}>
      <div class="lane axis" aria-hidden="true">
        <span />
        <div ref={track} class="track">
          <Axis width={width} now={time} />
        </div>
      </div>
      {visibleLanes.map((lane) => {
        const name = nameOf(lane.instance, lane.workflowId)
        const words = missed.get(lane.key)
        const summary = `${countOf(lane.runs.length, "run")}, ${lane.failed} failed${words === undefined ? "" : `, ${words}`}`
        return (
          <div key={lane.key} class="lane" data-lane={lane.key}>
            <span class="lane-name">
              <a dir="auto" title={name} href={href(["workflow", lane.instance, lane.workflowId])}>
                {name}
              </a>
              {instances.length > 1 ? <span class="soft">{lane.instance}</span> : null}
            </span>
            <svg class="track" width={width} height={laneHeight} role="group" aria-label={`${name}: ${summary}`}>
              <Unread state={instances.find((one) => one.name === lane.instance)} width={width} now={time} />
              <line x1={0} x2={width} y1={laneHeight / 2} y2={laneHeight / 2} class="base" />
              {words === undefined ? null : (
                <rect
                  class="missed"
                  x={0.5}
                  y={(laneHeight - markHeight) / 2}
                  width={Math.max(0, width - 1)}
                  height={markHeight}
                  rx={3}
                />
              )}
              {lane.marks.map((mark) => (
                <MarkLink key={mark.at} mark={mark} isStop={tabStop?.lane === lane.key && tabStop.at === mark.at} />
              ))}
            </svg>
          </div>
        )
      })}
      <div class="row legend">
        <span class="soft">Each line is a workflow, each bar a run.</span>
        {legend.map(([tone, word]) => (
          <span key={tone} class="row soft">
            <i class={`swatch ${tone}`} />
            {word}
          </span>
        ))}
        {lanes.length > firstLanes ? (
          <button type="button" class="quiet push" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? "Show fewer" : `Show all ${lanes.length} workflows that ran`}
          </button>
        ) : null}
      </div>
    </div>
  )
}

/** The hours of which not all runs were read, as there are too many. */
const Unread = (props: { readonly state: InstanceState | undefined; readonly width: number; readonly now: number }) => {
  const { now, state, width } = props
  const oldest = state?.isMore === true ? state.runs.at(-1)?.startedAt : undefined
  const x = oldest === undefined ? 0 : xOf(oldest, width, now)
  return x <= 0 ? null : (
    <rect class="unread" x={0} y={3} width={x} height={laneHeight - 6} rx={3}>
      <title>Earlier runs were not read: there are too many.</title>
    </rect>
  )
}

const legend = [
  ["good", "succeeded"],
  ["bad", "failed"],
  ["warn", "running or waiting"],
  ["missed", "schedule did not run"]
] as const

const emptyLane = (key: string): Lane => {
  const [instance = "", workflowId = ""] = key.split(" ")
  return { key, instance, workflowId, runs: [], failed: 0 }
}

const timeOf = (at: number) => new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })

const MarkLink = (props: { readonly mark: Mark; readonly isStop: boolean }) => {
  const { at, count, failed, run, tone, width, x } = props.mark
  const words =
    count === 1
      ? `Run ${run.id}, ${statusWords[run.status] ?? run.status}`
      : `${countOf(count, "run")}, ${failed} failed; run ${run.id}`
  const label = `${words}, ${timeOf(run.startedAt ?? 0)}`
  return (
    <a
      href={href(["workflow", run.instance, run.workflowId], { execution: run.id })}
      class={`mark ${tone}`}
      data-at={at}
      tabindex={props.isStop ? 0 : -1}
      aria-label={label}
    >
      <title>{label}</title>
      <rect x={x} y={(laneHeight - markHeight) / 2} width={width} height={markHeight} rx={1.5} />
    </a>
  )
}

/** The hours of the day, every third, or fewer where there is little room. */
const Axis = ({ now, width }: { readonly width: number; readonly now: number }) => {
  const every = width < 240 ? 12 : width < 560 ? 6 : 3
  const zone = new Date(now).getTimezoneOffset() * 60_000
  const end = Math.floor((now - zone) / (every * hourMs)) * every * hourMs + zone
  const ticks = Array.from({ length: 24 / every }, (_, at) => end - at * every * hourMs)
  return (
    <svg width={width} height={18}>
      {ticks.map((at) => {
        const x = xOf(at, width, now)
        return x < 18 || x > width - 40 ? null : (
          <text key={at} x={x} y={12} text-anchor="middle">
            {timeOf(at)}
          </text>
        )
      })}
      <text x={width} y={12} text-anchor="end">
        now
      </text>
    </svg>
  )
}
