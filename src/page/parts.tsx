import { type ComponentChildren, type JSX, toChildArray } from "preact"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"

import type { JsonObject } from "../internal/schema/JsonObject.ts"
import { callTool, type Outcome } from "./client.ts"
import { type Args, textOf } from "./json.ts"
import { type ToolInfo, useServer } from "./server.ts"
import { agoWords, statusWords, type Tone, toneOf } from "./status.ts"

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

/** The head of a place, by its text. */
export type Head = (text: string) => JSX.Element

/** A workflow on its instance, as it was read. */
export interface Place {
  readonly instance: string
  readonly id: string
  readonly workflow: JsonObject
  readonly again: () => void
}

/** A text of the server, in which tools have the names that people see, and moments are as they write them. Quoted names are the user's. */
export const Words = ({ children }: { readonly children: ComponentChildren }) => {
  const { tools } = useServer()
  return <>{toChildArray(children).map((child) => (typeof child === "string" ? withTitles(child, tools) : child))}</>
}

export const withTitles = (text: string, tools: ReadonlyArray<Pick<ToolInfo, "name" | "title">>): string =>
  text.replaceAll(/"[^"]{0,500}"|“[^”]{0,500}”|\d{4}-\d\d-\d\dT[\d:.]{5,12}Z|\w{1,80}/g, (word) => {
    if (/^\d{4}-\d\d-\d\dT/.test(word)) return momentWords(new Date(word))
    const tool = word.includes("_") ? tools.find(({ name }) => name === word) : undefined
    return tool === undefined ? word : `“${tool.title}”`
  })

export const Problem = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="problem" role="alert">
    <Words>{children}</Words>
  </p>
)

/** A notice of the server, where there is one. */
export const Warning = ({ text }: { readonly text: unknown }) =>
  textOf(text) === "" ? null : (
    <p class="warning">
      <Words>{textOf(text)}</Words>
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

export const Badge = ({ children, tone = "calm" }: { readonly tone?: Tone; readonly children: ComponentChildren }) => (
  <span class={`pill ${tone}`}>{children}</span>
)

/** Whether a workflow runs by itself, in a word. */
export const State = ({ active, archived = false }: { readonly active: unknown; readonly archived?: unknown }) => {
  if (archived === true) return <Badge>Archived</Badge>
  return active === true ? <Badge tone="good">Active</Badge> : <Badge>Inactive</Badge>
}

export const Status = ({ status }: { readonly status: string }) => (
  <Badge tone={toneOf(status)}>{statusWords[status] ?? status}</Badge>
)

/** A moment as people here write it. */
export const momentWords = (moment: Date): string =>
  moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })

/** A moment, to the second in its title. */
export const When = ({ at }: { readonly at: unknown }) => {
  const moment = new Date(typeof at === "string" || typeof at === "number" ? at : Number.NaN)
  if (Number.isNaN(moment.getTime())) return <span class="soft">–</span>
  return (
    <time dateTime={moment.toISOString()} title={moment.toISOString()}>
      {momentWords(moment)}
    </time>
  )
}

/** A moment by its distance from now; the moment itself is its title. */
export const Ago = ({ at }: { readonly at: number | undefined }) =>
  at === undefined ? (
    <span class="soft">–</span>
  ) : (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {agoWords(at)}
    </time>
  )

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>

export const Tags = ({ tags }: { readonly tags: ReadonlyArray<string> }) => (
  <>
    {tags.map((name) => (
      <span key={name} class="tag">
        {name}
      </span>
    ))}
  </>
)

/** One of some values; the empty one stands for all. */
export const Choice = (props: {
  readonly label: string
  readonly value: string
  readonly choices: ReadonlyArray<readonly [value: string, name: string]>
  readonly onChoice: (value: string) => void
}) => (
  <label>
    {props.label}
    <select value={props.value} onChange={(event) => props.onChoice(event.currentTarget.value)}>
      {props.choices.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  </label>
)

/** A choice among instances, all of them at first; none where there is only one. */
export const InstanceChoice = (props: {
  readonly value: string
  readonly names: ReadonlyArray<string>
  readonly onChoice: (instance: string) => void
}) =>
  props.names.length > 1 ? (
    <Choice
      label="Instance"
      value={props.value}
      choices={[["", "All"], ...props.names.map((name) => [name, name] as const)]}
      onChoice={props.onChoice}
    />
  ) : null
