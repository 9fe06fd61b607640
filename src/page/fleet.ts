import { createContext } from "preact"
import { useContext, useEffect, useMemo, useState } from "preact/hooks"

import { type JsonObject, objectOf, objectsOf } from "../internal/schema/JsonObject.ts"
import { after, now, resolved, together } from "./browser.ts"
import { callTool, type Outcome } from "./client.ts"
import { type Args, numberOf, textOf } from "./json.ts"
import { statusOf } from "./status.ts"

/** One run of a workflow, as lists tell of it. */
export interface Run {
  readonly instance: string
  readonly id: string
  readonly workflowId: string
  readonly status: string
  readonly mode: string
  /** Milliseconds; undefined for a run that has not begun. */
  readonly startedAt: number | undefined
  readonly stoppedAt: number | undefined
}

/** The reason why an instance told nothing: a refused key is another matter than a host that cannot be reached. */
export interface Silence {
  readonly word: "Key refused" | "Not reached" | "Error"
  readonly text: string
}

/** An instance as it was last heard. */
export interface InstanceState {
  readonly name: string
  readonly workflows: ReadonlyArray<JsonObject>
  readonly isWorkflowsRead: boolean
  /** The runs of the last day, newest first. */
  readonly runs: ReadonlyArray<Run>
  readonly isRunsRead: boolean
  /** Whether there are more runs of that day than were read. */
  readonly isMore: boolean
  readonly heardAt: number | undefined
  readonly silence: Silence | undefined
}

export const dayMs = 86_400_000

const pageRows = 250
/** Pages of a list that are read at most: 10,000 workflows, and 2,000 runs. */
const mostWorkflowPages = 40
const mostRunPages = 8

/** Milliseconds between two readings of the newest runs, and of an instance that does not answer. */
const runsInterval = 10_000
const silentInterval = 30_000
/** Every so many readings all runs of the day are read again, and all workflows. */
const wholeRunsTurn = 6
const workflowsTurn = 12

const numberAt = (value: unknown): number | undefined => {
  const at = Date.parse(textOf(value))
  return Number.isNaN(at) ? undefined : at
}

export const runOf = (instance: string, row: JsonObject): Run => ({
  instance,
  id: textOf(row.id),
  workflowId: textOf(row.workflowId),
  status: statusOf(row),
  mode: textOf(row.mode),
  startedAt: numberAt(row.startedAt),
  stoppedAt: numberAt(row.stoppedAt)
})

interface Pages {
  readonly rows: ReadonlyArray<JsonObject>
  readonly isMore: boolean
}

/** The rows of a list, page after page, until it ends or there are enough; `onRows` is given those read so far. */
export const readPages = (
  tool: string,
  args: Args,
  most: number,
  onRows: (rows: ReadonlyArray<JsonObject>) => void = () => {}
): Promise<Outcome<Pages>> => {
  const from = (rows: ReadonlyArray<JsonObject>, cursor: unknown, pages: number): Promise<Outcome<Pages>> =>
    callTool(
      tool,
      cursor === undefined ? { ...args, limit: pageRows } : { instance: args.instance, cursor, limit: pageRows }
    ).then((outcome) => {
      if (!outcome.ok) return outcome
      const all = [...rows, ...objectsOf(outcome.value.data)]
      const next = outcome.value.nextCursor
      if (next === undefined || pages + 1 >= most) return { ok: true, value: { rows: all, isMore: next !== undefined } }
      onRows(all)
      return from(all, next, pages + 1)
    })
  return from([], undefined, 0)
}

const silenceOf = (problem: string, details: unknown): Silence => {
  const { code, httpStatus } = objectOf(details)
  if (code === "AUTHENTICATION_ERROR" || httpStatus === 401 || httpStatus === 403)
    return { word: "Key refused", text: problem }
  return { word: httpStatus === undefined ? "Not reached" : "Error", text: problem }
}

const emptyState = (name: string): InstanceState => ({
  name,
  workflows: [],
  isWorkflowsRead: false,
  runs: [],
  isRunsRead: false,
  isMore: false,
  heardAt: undefined,
  silence: undefined
})

/**
 * The runs read so far with a newer page of them: what the page covers is as the page says, deletions included. Runs that
 * are under way stand in a list of their own, and come first.
 */
export const withNewest = (
  before: ReadonlyArray<Run>,
  page: ReadonlyArray<Run>,
  underWay: ReadonlyArray<Run>,
  isWhole: boolean
): ReadonlyArray<Run> => {
  const oldest = Number(page.at(-1)?.id)
  const ended = isWhole
    ? page
    : [...page, ...before.filter(({ id, stoppedAt }) => stoppedAt !== undefined && Number(id) < oldest)]
  const ids = new Set(ended.map(({ id }) => id))
  return [...underWay.filter(({ id }) => !ids.has(id)), ...ended]
}

/** Reads an instance again and again while the tab is looked at; each answer is handed on. */
const follow = (name: string, onState: (change: (before: InstanceState) => InstanceState) => void) => {
  let isStopped = false
  let turn = 0
  let cancel: (() => void) | undefined
  let hasRunning = true

  const readRuns = (isWhole: boolean): Promise<boolean> => {
    const since = new Date(now() - dayMs).toISOString()
    const args = { instance: name, startedAfter: since }
    const running = hasRunning
      ? callTool("list_executions", { instance: name, status: "running", limit: pageRows })
      : resolved(undefined)
    const isFirst = turn === 1
    const onRows = (rows: ReadonlyArray<JsonObject>) => {
      if (isFirst && !isStopped) onState((before) => ({ ...before, runs: rows.map((row) => runOf(name, row)) }))
    }
    return readPages("list_executions", args, isWhole ? mostRunPages : 1, onRows).then((listed) =>
      running.then((unended) => {
        if (isStopped) return false
        if (!listed.ok) {
          onState((before) => ({ ...before, silence: silenceOf(listed.problem, listed.details) }))
          return false
        }
        // Engines that do not list what is running say so once.
        if (unended?.ok === false) hasRunning = false
        const page = listed.value.rows.map((row) => runOf(name, row))
        const unfinished = unended?.ok === true ? objectsOf(unended.value.data).map((row) => runOf(name, row)) : []
        onState((before) => ({
          ...before,
          runs: withNewest(before.runs, page, unfinished, isWhole || !listed.value.isMore),
          isRunsRead: true,
          isMore: isWhole ? listed.value.isMore : before.isMore,
          heardAt: now(),
          silence: undefined
        }))
        return true
      })
    )
  }
  const readWorkflows = () => {
    const onRows = (rows: ReadonlyArray<JsonObject>) => {
      if (!isStopped) onState((before) => (before.isWorkflowsRead ? before : { ...before, workflows: rows }))
    }
    return readPages("list_workflows", { instance: name }, mostWorkflowPages, onRows).then((listed) => {
      if (isStopped || !listed.ok) return
      onState((before) => ({ ...before, workflows: listed.value.rows, isWorkflowsRead: true }))
    })
  }

  const read = () => {
    cancel = undefined
    const [isWhole, hasWorkflows] = [turn % wholeRunsTurn === 0, turn % workflowsTurn === 0]
    turn += 1
    void together([readRuns(isWhole), hasWorkflows ? readWorkflows() : undefined]).then(([isHeard]) => {
      if (!isHeard) turn = 0
      if (!isStopped) cancel = after(isHeard ? runsInterval : silentInterval, whenSeen)
    })
  }
  /** A tab that nobody looks at asks for nothing, until somebody does. */
  const whenSeen = () => {
    if (document.hidden) document.addEventListener("visibilitychange", whenSeen, { once: true })
    else if (!isStopped) read()
  }
  read()
  return {
    again: () => {
      turn = 0
      if (cancel === undefined) return
      cancel()
      read()
    },
    stop: () => {
      isStopped = true
      cancel?.()
      document.removeEventListener("visibilitychange", whenSeen)
    }
  }
}

export interface Fleet {
  readonly instances: ReadonlyArray<InstanceState>
  /** Reads everything anew, for whoever has just changed something. */
  readonly again: () => void
  readonly nameOf: (instance: string, workflowId: string) => string
}

export const FleetContext = createContext<Fleet>({ instances: [], again: () => {}, nameOf: (_, id) => id })

export const useFleet = () => useContext(FleetContext)

/** All instances as they were last heard, kept up to date while the page is looked at. */
export const useFollowed = (names: ReadonlyArray<string>): Fleet => {
  const [states, setStates] = useState<ReadonlyMap<string, InstanceState>>(
    () => new Map(names.map((name) => [name, emptyState(name)]))
  )
  const [again, setAgain] = useState<() => void>(() => () => {})
  useEffect(() => {
    const followed = names.map((name) =>
      follow(name, (change) =>
        setStates((before) => new Map(before).set(name, change(before.get(name) ?? emptyState(name))))
      )
    )
    setAgain(() => () => {
      for (const one of followed) one.again()
    })
    return () => {
      for (const one of followed) one.stop()
    }
  }, [names])
  return useMemo(() => {
    const workflowNames = new Map<string, string>()
    for (const { name, workflows } of states.values()) {
      for (const row of workflows) workflowNames.set(`${name} ${textOf(row.id)}`, textOf(row.name))
    }
    return {
      instances: [...states.values()],
      again,
      nameOf: (instance, id) => workflowNames.get(`${instance} ${id}`) || id
    }
  }, [states, again])
}

/** Seconds that a run took, or has taken until now. */
export const secondsOf = ({ startedAt, status, stoppedAt }: Run, time = now()): number | undefined => {
  if (startedAt === undefined) return undefined
  const end = stoppedAt ?? (status === "running" ? time : undefined)
  return end === undefined ? undefined : Math.max(0, (end - startedAt) / 1000)
}

export const failedStatuses: ReadonlyArray<string> = ["error", "crashed"]

export const isFailed = ({ status }: Pick<Run, "status">): boolean => failedStatuses.includes(status)

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${numberOf(count).toLocaleString()} ${count === 1 ? one : many}`
