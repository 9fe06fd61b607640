import { useState } from "preact/hooks"

import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { Act } from "../Act.tsx"
import { callTool } from "../client.ts"
import { type Args, textOf, textsOf } from "../json.ts"
import { Answer, Empty, momentWords, type Place, Problem, useTool, Warning, When } from "../parts.tsx"
import { href } from "../route.ts"
import { useServer } from "../server.ts"
import { Lines, Preview } from "./Preview.tsx"

/** The versions of a workflow, the newest first: when, by whom, and what differs from the one before. */
export const History = ({ again, id, instance }: Place) => {
  const history = useTool("workflow_history", { instance, id, limit: 50 })
  const onDone = () => {
    again()
    history.again()
  }
  return (
    <Answer outcome={history.outcome} what="the history">
      {(value) => {
        const rows = objectsOf(value.data)
        return (
          <>
            <Warning text={value.notice} />
            {rows.length === 0 ? <Empty>No former version is kept.</Empty> : null}
            <ol class="list">
              {rows.map((row, at) => (
                <ChangeRow
                  key={textOf(row.version)}
                  row={{ ...row, instance, id }}
                  isNewest={at === 0}
                  before={textOf(rows[at + 1]?.version) || undefined}
                  onDone={onDone}
                />
              ))}
            </ol>
          </>
        )
      }}
    </Answer>
  )
}

/** One change of a workflow: who made it, when and what, its difference, and the ways back. */
export const ChangeRow = (props: {
  /** With instance and id; the name of the workflow where rows are of several. */
  readonly row: JsonObject
  readonly isNewest?: boolean
  /** The version before, where it is at hand. */
  readonly before: string | undefined
  readonly onDone: () => void
}) => {
  const { before, isNewest = false, onDone, row } = props
  const { canChange, has } = useServer()
  const [instance = "", id, version, name] = [row.instance, row.id, row.version, row.name].map(textOf)
  const isFirst = /^first (?:version|seen)/.test(textOf(row.change))
  const by = [row.by, row.tool].map(textOf).filter((text) => text !== "")
  const changes = textOf(row.change)
    .split("; ")
    .filter((line) => line !== "")
  const args = { instance, id, version }
  const label = name === "" ? `version ${version}` : `“${name}”`
  return (
    <li class="card change-row">
      <div class="row">
        {name === "" ? null : (
          <a class="title" dir="auto" href={href(["workflow", instance, id ?? ""], { tab: "history" })}>
            {name}
          </a>
        )}
        <strong>{by[0] ?? "unknown"}</strong>
        <span class="soft">
          {by.length > 1 ? `with ${by.slice(1).join(", ")} · ` : ""}
          {name === "" ? "" : `on ${instance} · `}
          <When at={row.when} />
        </span>
        <code class="soft">{version}</code>
        {canChange("restore_workflow", instance) ? (
          <span class="row push actions">
            {isFirst ? null : (
              <Restore
                label="Undo…"
                title={`Undo this change of ${label} on ${instance}?`}
                text="Only this change is taken back. What came later stays."
                args={
                  // The engine's own versions say what was, and not what was changed.
                  isNewest && row.from === "engine"
                    ? { instance, id, version: before ?? "previous" }
                    : { ...args, undo: true }
                }
                onDone={onDone}
              />
            )}
            {isNewest ? null : (
              <Restore
                label="Restore…"
                title={`Bring back ${label} of ${momentWords(new Date(textOf(row.when)))} on ${instance}?`}
                text="The whole workflow becomes as it was then. The change can be undone."
                args={args}
                onDone={onDone}
              />
            )}
          </span>
        ) : null}
      </div>
      {textOf(row.reason) === "" ? null : <div class="soft">{textOf(row.reason)}</div>}
      <Lines lines={changes} />
      {isFirst || !has("compare_workflows") ? null : (
        <Difference args={{ a: id, versionA: before ?? `${version}^`, versionB: version, instances: [instance] }} />
      )}
    </li>
  )
}

const Restore = (props: {
  readonly label: string
  readonly title: string
  readonly text: string
  readonly args: Args
  readonly onDone: () => void
}) => (
  <Act
    label={props.label}
    title={props.title}
    action={props.label.replace("…", "")}
    calls={() => [{ tool: "restore_workflow", args: props.args }]}
    onDone={props.onDone}
  >
    <p>{props.text} It would change:</p>
    <Preview tool="restore_workflow" args={props.args} />
  </Act>
)

/** The whole difference of a change, read when somebody opens it. */
const Difference = ({ args }: { readonly args: Args }) => {
  const [lines, setLines] = useState<ReadonlyArray<string>>()
  const [problem, setProblem] = useState("")
  const read = (event: Event) => {
    if (!(event.currentTarget instanceof HTMLDetailsElement) || !event.currentTarget.open || lines !== undefined) return
    void callTool("compare_workflows", args).then((outcome) => {
      setProblem(outcome.ok ? textOf(outcome.value.guidance) : outcome.problem)
      setLines(outcome.ok ? textsOf(outcome.value.differences) : undefined)
    })
  }
  return (
    <details onToggle={read}>
      <summary>Whole difference</summary>
      {problem === "" ? (
        lines === undefined ? (
          <p class="loading">Loading the difference…</p>
        ) : (
          <Lines lines={lines} />
        )
      ) : (
        <Problem>{problem}</Problem>
      )}
    </details>
  )
}
