import { useMemo, useState } from "preact/hooks"

import { grouped } from "../../internal/collections.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { countOf, type Fleet, type InstanceState, isFailed, type Run, useFleet } from "../fleet.ts"
import { tagNames, textOf } from "../json.ts"
import { Ago, Choice, type Head, InstanceChoice, Loading, State, Status, Tags } from "../parts.tsx"
import { go, href, keepQuery } from "../route.ts"
import { RunBars } from "../RunBars.tsx"
import { useServer } from "../server.ts"
import { type Column, compareNames, instanceColumn, sortedBy, Table } from "../Table.tsx"
import { BulkPlan } from "./BulkPlan.tsx"
import { ContentSearch } from "./ContentSearch.tsx"
import { Silences } from "./Silences.tsx"

/** A workflow as a row: as it is listed, with its runs of the last day. */
interface WorkflowRow {
  readonly instance: string
  readonly id: string
  readonly name: string
  readonly active: boolean
  readonly isArchived: boolean
  readonly tags: ReadonlyArray<string>
  readonly updatedAt: number
  readonly nodes: number
  readonly runs: ReadonlyArray<Run>
  readonly failed: number
  /** Text in which a filter looks. */
  readonly text: string
}

const rowOf = (instance: string, workflow: JsonObject, runs: ReadonlyArray<Run>): WorkflowRow => {
  const [id, name, tags] = [textOf(workflow.id), textOf(workflow.name), tagNames(workflow.tags)]
  return {
    instance,
    id,
    name: name || id,
    active: workflow.active === true,
    isArchived: workflow.isArchived === true || workflow.archived === true,
    tags,
    updatedAt: Date.parse(textOf(workflow.updatedAt)) || 0,
    nodes: Number(workflow.nodes) || 0,
    runs,
    failed: runs.filter(isFailed).length,
    text: [name, id, ...tags].join(" ").toLowerCase()
  }
}

const rowsOf = ({ name, runs, workflows }: InstanceState): ReadonlyArray<WorkflowRow> => {
  const byWorkflow = grouped(runs, ({ workflowId }) => workflowId)
  return workflows.map((workflow) => rowOf(name, workflow, byWorkflow.get(textOf(workflow.id)) ?? []))
}

const lastRun = ({ runs: [run] }: WorkflowRow) => run?.startedAt ?? 0

const columnsFor = (hasInstances: boolean): ReadonlyArray<Column<WorkflowRow>> => [
  {
    id: "name",
    title: "Name",
    kind: "grow",
    compare: (a, b) => compareNames(a.name, b.name),
    cell: ({ id, instance, name }) => (
      <a class="title" dir="auto" title={name} href={href(["workflow", instance, id])}>
        {name}
      </a>
    )
  },
  ...instanceColumn<WorkflowRow>(hasInstances),
  {
    id: "state",
    title: "State",
    kind: "state",
    compare: (a, b) => Number(b.active) - Number(a.active) || Number(a.isArchived) - Number(b.isArchived),
    cell: ({ active, isArchived }) => <State active={active} archived={isArchived} />
  },
  {
    id: "last",
    title: "Last run",
    kind: "medium state",
    isGreatestFirst: true,
    compare: (a, b) => lastRun(a) - lastRun(b),
    cell: ({ runs: [run] }) => (run === undefined ? <span class="soft">–</span> : <Status status={run.status} />)
  },
  { id: "when", title: "When", kind: "wide when", cell: ({ runs: [run] }) => <Ago at={run?.startedAt} /> },
  {
    id: "runs",
    title: "Last runs",
    kind: "medium bars",
    cell: ({ runs }) => <RunBars runs={runs} />
  },
  {
    id: "failed",
    title: "Failed, 24 h",
    kind: "wide number",
    isGreatestFirst: true,
    compare: (a, b) => a.failed - b.failed,
    cell: ({ failed, id, instance }) =>
      failed === 0 ? (
        <span class="soft">0</span>
      ) : (
        <a class="problem" href={href(["runs"], { status: "error", workflow: id, instance })}>
          {failed}
        </a>
      )
  },
  { id: "tags", title: "Tags", kind: "wide tags", cell: ({ tags }) => <Tags tags={tags} /> },
  {
    id: "changed",
    title: "Changed",
    kind: "wide when",
    isGreatestFirst: true,
    compare: (a, b) => a.updatedAt - b.updatedAt,
    cell: ({ updatedAt }) => <Ago at={updatedAt === 0 ? undefined : updatedAt} />
  }
]

export const Workflows = ({ head, query }: { readonly head: Head; readonly query: URLSearchParams }) => {
  const { has } = useServer()
  const isInside = query.get("in") === "content" && has("search_workflows")
  return (
    <>
      {head("Workflows")}
      <Rows key={query.toString()} query={query} isInside={isInside} />
    </>
  )
}

const Rows = ({ isInside, query }: { readonly query: URLSearchParams; readonly isInside: boolean }) => {
  const { has, instances: names } = useServer()
  const fleet = useFleet()
  const [filters, setFilters] = useState({
    text: query.get("text") ?? "",
    instance: query.get("instance") ?? "",
    active: query.get("active") ?? "",
    tag: query.get("tag") ?? "",
    sort: query.get("sort") ?? "name"
  })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const set = (changes: Partial<typeof filters>) => {
    const next = { ...filters, ...changes }
    setFilters(next)
    setSelected(new Set())
    if (isInside) go(href(["workflows"], next))
    else keepQuery(["workflows"], { ...next, sort: next.sort === "name" ? "" : next.sort })
  }
  const all = useMemo(() => fleet.instances.flatMap(rowsOf), [fleet])
  const columns = useMemo(() => columnsFor(names.length > 1), [names])
  const rows = useMemo(() => sortedBy(all.filter(fits(filters)), columns, filters.sort), [all, columns, filters])
  const tags = useMemo(() => [...new Set(all.flatMap(({ tags }) => tags))].toSorted(compareNames), [all])
  const chosen = rows.filter((row) => selected.has(keyOf(row)))
  const canSearch = has("search_workflows")
  const searchInside = (event: Event) => {
    event.preventDefault()
    if (canSearch && filters.text.trim() !== "") go(href(["workflows"], { ...filters, sort: "", in: "content" }))
  }
  return (
    <>
      <form class="row filters" role="search" onSubmit={searchInside}>
        <label class="grow">
          Filter by name, tag or id
          <input type="search" value={filters.text} onInput={(event) => set({ text: event.currentTarget.value })} />
        </label>
        <InstanceChoice value={filters.instance} names={names} onChoice={(instance) => set({ instance })} />
        <Choice label="State" value={filters.active} choices={states} onChoice={(active) => set({ active })} />
        <Choice
          label="Tag"
          value={filters.tag}
          choices={[["", "Any"], ...tags.map((tag) => [tag, tag] as const)]}
          onChoice={(tag) => set({ tag })}
        />
        {canSearch ? (
          <button type="submit" disabled={filters.text.trim() === ""}>
            Search inside workflows
          </button>
        ) : null}
      </form>
      <Silences />
      {isInside ? (
        <ContentSearch text={filters.text} instance={filters.instance} active={filters.active} />
      ) : (
        <>
          <div class="row totals">
            <Totals rows={rows} all={all.length} fleet={fleet} />
            {chosen.length === 0 ? null : <BulkPlan rows={chosen} />}
          </div>
          {rows.length === 0 ? null : (
            <Table
              label="Workflows"
              rows={rows}
              columns={columns}
              keyOf={keyOf}
              nameOf={({ name }) => name}
              sort={filters.sort}
              onSort={(sort) => set({ sort })}
              {...(has("plan_bulk") ? { selected, onSelect: setSelected } : {})}
            />
          )}
        </>
      )}
    </>
  )
}

const states = [
  ["", "Any"],
  ["true", "Active"],
  ["false", "Inactive"],
  ["archived", "Archived"],
  ["failed", "Failed in 24 h"]
] as const

const keyOf = ({ id, instance }: WorkflowRow) => `${instance} ${id}`

const fits = (filters: { text: string; instance: string; active: string; tag: string }) => {
  const words = filters.text.toLowerCase().split(/\s+/)
  return (row: WorkflowRow) =>
    (filters.instance === "" || row.instance === filters.instance) &&
    (filters.tag === "" || row.tags.includes(filters.tag)) &&
    isInState(row, filters.active) &&
    words.every((word) => row.text.includes(word))
}

const isInState = ({ active, failed, isArchived }: WorkflowRow, state: string) => {
  if (state === "archived") return isArchived
  if (state === "failed") return failed > 0
  return state === "" || (active === (state === "true") && !isArchived)
}

/** The number of rows, of which are active and have failed; and whether there are more to come. */
const Totals = (props: { readonly rows: ReadonlyArray<WorkflowRow>; readonly all: number; readonly fleet: Fleet }) => {
  const { all, fleet, rows } = props
  const isLoading = fleet.instances.some(({ isWorkflowsRead, silence }) => !isWorkflowsRead && silence === undefined)
  if (isLoading && all === 0) return <Loading what="workflows" />
  const words = [
    rows.length === all ? countOf(all, "workflow") : `${rows.length.toLocaleString()} of ${countOf(all, "workflow")}`,
    `${rows.filter(({ active }) => active).length.toLocaleString()} active`,
    `${rows.filter(({ failed }) => failed > 0).length} with failed runs in 24 h`
  ]
  return (
    <p role="status" class="soft">
      {rows.length === 0 ? (all === 0 ? "No workflows yet." : "Nothing fits. Try fewer words.") : words.join(" · ")}
    </p>
  )
}
