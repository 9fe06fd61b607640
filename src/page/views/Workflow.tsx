import { useMemo } from "preact/hooks"

import { publishedOf } from "../../engine/workflow/views.ts"
import { isJsonObject, type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { runOf, secondsOf } from "../fleet.ts"
import { Graph } from "../Graph.tsx"
import { tagNames, textOf } from "../json.ts"
import {
  Answer,
  Badge,
  type Head,
  Loading,
  momentWords,
  Problem,
  State,
  Status,
  Tags,
  useTool,
  When
} from "../parts.tsx"
import { go, href } from "../route.ts"
import { useServer } from "../server.ts"
import { durationWords, statusOf, statusWords } from "../status.ts"
import { wholeRunsIn } from "../wholeRuns.ts"
import { Explanation } from "./Explanation.tsx"
import { History } from "./History.tsx"
import { RunActions } from "./RunActions.tsx"
import { WorkflowActions } from "./WorkflowActions.tsx"
import { Checks, Comparison, Tests } from "./WorkflowChecks.tsx"

interface Props {
  readonly head: Head
  readonly instance: string
  readonly id: string
  readonly query: URLSearchParams
}

export const Workflow = ({ head, id, instance, query }: Props) => {
  const { again, outcome } = useTool("get_workflow", { instance, id })
  return (
    <>
      <p class="crumbs">
        <a href={href(["workflows"])}>Workflows</a> / <a href={href(["workflows"], { instance })}>{instance}</a>
      </p>
      {outcome?.ok === true ? null : head("Workflow")}
      <Answer outcome={outcome} what="the workflow">
        {(workflow) => (
          <WorkflowView head={head} id={id} instance={instance} query={query} workflow={workflow} again={again} />
        )}
      </Answer>
    </>
  )
}

/** The views of a workflow, with the tool that each needs. */
const tabs = [
  ["", "Drawing and runs", "get_workflow"],
  ["history", "History", "workflow_history"],
  ["compare", "Compare", "compare_workflows"],
  ["checks", "Checks", "check_workflow"],
  ["tests", "Tests", "run_tests"]
] as const

const WorkflowView = (props: Props & { readonly workflow: JsonObject; readonly again: () => void }) => {
  const { again, head, id, instance, query, workflow } = props
  const { has, infoOf } = useServer()
  const tab = query.get("tab") ?? ""
  const place = { instance, id, workflow, again }
  return (
    <>
      <div class="row">
        {head(textOf(workflow.name) || id)}
        <State active={workflow.active} archived={workflow.isArchived} />
        <Published workflow={workflow} />
        <Tags tags={tagNames(workflow.tags)} />
        {infoOf(instance)?.isReadOnly === true ? <Badge tone="warn">Read only here</Badge> : null}
        <WorkflowActions {...place} />
      </div>
      <p class="soft">
        <code>{id}</code> · {instance} · changed <When at={workflow.updatedAt} />
      </p>
      <nav class="tabs" aria-label="Of this workflow">
        {tabs.map(([word, name, tool]) =>
          has(tool) ? (
            <a
              key={word}
              href={href(["workflow", instance, id], { tab: word })}
              aria-current={tab === word ? "page" : undefined}
            >
              {name}
            </a>
          ) : null
        )}
      </nav>
      {tab === "history" ? (
        <History {...place} />
      ) : tab === "compare" ? (
        <Comparison {...place} />
      ) : tab === "checks" ? (
        <Checks {...place} />
      ) : tab === "tests" ? (
        <Tests {...place} />
      ) : (
        <RunsOnDrawing instance={instance} id={id} query={query} workflow={workflow} again={again} />
      )}
    </>
  )
}

/** Items of each node that are read of a run. */
const items = 3

const RunsOnDrawing = (props: Omit<Props, "head"> & { readonly workflow: JsonObject; readonly again: () => void }) => {
  const { again, id, instance, query, workflow } = props
  const listed = useTool("list_executions", { instance, workflowId: id, limit: 20 })
  const runs = listed.outcome?.ok === true ? objectsOf(listed.outcome.value.data) : []
  const requestedRun = query.get("execution") ?? ""
  const latest = textOf(runs[0]?.id)
  const chosen = requestedRun === "none" ? "" : requestedRun === "" ? latest : requestedRun
  const version = query.get("version") ?? ""
  const published = useMemo(() => publishedOf(workflow), [workflow])
  const ran = useTool(chosen === "" ? undefined : "get_execution", {
    instance,
    id: Number(chosen),
    includeData: true,
    items
  })
  const execution = chosen !== "" && ran.outcome?.ok === true ? ran.outcome.value : undefined
  const choose = (changes: Readonly<Record<string, string>>) =>
    go(href(["workflow", instance, id], { execution: requestedRun, version, ...changes }))
  const refresh = () => {
    again()
    listed.again()
    ran.again()
  }
  return (
    <>
      <div class="row">
        <label>
          Run
          <select
            value={chosen === "" ? "none" : chosen}
            onChange={(event) => choose({ execution: event.currentTarget.value })}
          >
            <option value="none">{requestedRun === "" && listed.outcome === undefined ? "Last run…" : "No run"}</option>
            {requestedRun !== "" && requestedRun !== "none" && !runs.some((run) => textOf(run.id) === requestedRun) ? (
              <option value={requestedRun}>{`Run ${requestedRun}`}</option>
            ) : null}
            {runs.map((run) => (
              <option key={textOf(run.id)} value={textOf(run.id)}>
                {`${textOf(run.id)} · ${statusWords[statusOf(run)] ?? statusOf(run)} · ${momentOf(run.startedAt)}`}
              </option>
            ))}
          </select>
        </label>
        {published === undefined ? null : (
          <label>
            Version
            <select
              value={version}
              onChange={(event) => choose({ version: event.currentTarget.value, execution: "none" })}
            >
              <option value="">Draft</option>
              <option value="published">Published</option>
            </select>
          </label>
        )}
        <a href={href(["runs"], { instance, workflow: id, since: "all" })}>All runs of this workflow</a>
        <button type="button" class="quiet push" onClick={refresh}>
          Refresh
        </button>
      </div>
      {ran.outcome?.ok === false && chosen !== "" ? <Problem>{ran.outcome.problem}</Problem> : null}
      {(chosen !== "" && ran.outcome === undefined) || (requestedRun === "" && listed.outcome === undefined) ? (
        <Loading what="the run" />
      ) : null}
      {execution === undefined ? null : <RunLine execution={execution} instance={instance} onDone={refresh} />}
      <Graph workflow={version === "published" ? (published ?? workflow) : workflow} execution={execution} />
    </>
  )
}

const momentOf = (at: unknown): string => {
  const moment = new Date(textOf(at))
  return Number.isNaN(moment.getTime()) ? "not begun" : momentWords(moment)
}

/** Engines of generation 2 run a published version, which a draft may differ from. */
const Published = ({ workflow }: { readonly workflow: JsonObject }) => {
  if (isJsonObject(workflow.activeVersion)) return <Badge tone="warn">Draft differs from what runs</Badge>
  return workflow.active === true && textOf(workflow.activeVersionId) !== "" ? <Badge>Published</Badge> : null
}

const RunLine = (props: { readonly execution: JsonObject; readonly instance: string; readonly onDone: () => void }) => {
  const { execution, instance, onDone } = props
  const { has } = useServer()
  const run = runOf(instance, execution)
  const failed = [...(wholeRunsIn(execution) ?? [])].filter(([, { error }]) => error !== undefined)
  const isExplained = has("explain_execution") && (run.status === "error" || run.status === "crashed")
  return (
    <div class="run">
      <p class="row">
        <strong>Run {run.id}</strong> <Status status={run.status} />
        <span class="soft">
          <When at={execution.startedAt} /> · took {durationWords(secondsOf(run))} · {run.mode}
        </span>
        <RunActions runs={[run]} onDone={onDone} />
      </p>
      {isExplained ? (
        <Explanation instance={instance} workflowId={run.workflowId} id={run.id} />
      ) : (
        failed.map(([name, { error }]) => (
          <p key={name} class="problem">
            <strong>{name}</strong> failed: {error}
          </p>
        ))
      )}
      {isJsonObject(execution.data) ? null : <p class="soft">The engine keeps no data of this run.</p>}
    </div>
  )
}
