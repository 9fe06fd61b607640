import type { ComponentChildren } from "preact"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"

import type { JsonObject } from "../internal/schema/JsonObject.ts"
import { callTool, type Outcome } from "./client.ts"
import type { Args } from "./json.ts"

/** The answer of a tool, asked for anew when its arguments change; no answer as long as it is under way. */
export const useTool = (name: string | undefined, args: Args) => {
  const [outcome, setOutcome] = useState<Outcome<JsonObject>>()
  const [turn, setTurn] = useState(0)
  const lastKey = useRef("")
  const key = name === undefined ? "" : JSON.stringify([name, args])
  useEffect(() => {
    if (name === undefined) return undefined
    const asking = new AbortController()
    // What is only asked again stays to be seen meanwhile.
    if (lastKey.current !== key) setOutcome(undefined)
    lastKey.current = key
    void callTool(name, args, { signal: asking.signal }).then((answer) => {
      if (!asking.signal.aborted) setOutcome(answer)
    })
    return () => asking.abort()
  }, [key, turn])
  const again = useCallback(() => setTurn((before) => before + 1), [])
  return { outcome, again }
}

export const Problem = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="problem" role="alert">
    {children}
  </p>
)

export const Loading = ({ what }: { readonly what: string }) => (
  <p class="loading" role="status">
    Loading {what}…
  </p>
)

/** The answer to a request, or the reason why it is not there yet. */
export const Answer = (props: {
  readonly outcome: Outcome<JsonObject> | undefined
  readonly what: string
  readonly children: (value: JsonObject) => ComponentChildren
}) => {
  if (props.outcome === undefined) return <Loading what={props.what} />
  return props.outcome.ok ? <>{props.children(props.outcome.value)}</> : <Problem>{props.outcome.problem}</Problem>
}

type Tone = "good" | "bad" | "warn" | "calm"

export const Badge = ({ children, tone = "calm" }: { readonly tone?: Tone; readonly children: ComponentChildren }) => (
  <span class={`pill ${tone}`}>{children}</span>
)

/** Whether a workflow runs by itself, in a word. */
export const State = ({ active, archived = false }: { readonly active: unknown; readonly archived?: unknown }) => {
  if (archived === true) return <Badge>Archived</Badge>
  return active === true ? <Badge tone="good">Active</Badge> : <Badge>Inactive</Badge>
}

const statusTones: Readonly<Record<string, Tone>> = {
  success: "good",
  error: "bad",
  crashed: "bad",
  running: "warn",
  waiting: "warn",
  new: "warn"
}

/** The state of an execution; older engines only say whether it came to its end. */
export const statusOf = ({ finished, status, stoppedAt }: JsonObject): string => {
  if (typeof status === "string") return status
  if (finished === true) return "success"
  return typeof stoppedAt === "string" ? "error" : "running"
}

export const Status = ({ status }: { readonly status: string }) => (
  <Badge tone={statusTones[status] ?? "calm"}>{status}</Badge>
)

/** A moment as people here write it, to the second. */
export const When = ({ at }: { readonly at: unknown }) => {
  const moment = new Date(typeof at === "string" || typeof at === "number" ? at : Number.NaN)
  if (Number.isNaN(moment.getTime())) return <span class="soft">–</span>
  return (
    <time dateTime={moment.toISOString()} title={moment.toISOString()}>
      {moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
    </time>
  )
}

/** Asks before something is changed; nothing happens unless a person says so here. */
export const Confirm = (props: {
  readonly title: string
  readonly action: string
  readonly children: ComponentChildren
  readonly onYes: () => void
  readonly onNo: () => void
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onCancel={props.onNo} onClose={props.onNo}>
      <h2 id="confirm-title">{props.title}</h2>
      {props.children}
      <div class="row end">
        <button type="button" onClick={props.onNo}>
          Cancel
        </button>
        <button type="button" class="main" onClick={props.onYes}>
          {props.action}
        </button>
      </div>
    </dialog>
  )
}

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>
