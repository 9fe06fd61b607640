import { useEffect, useMemo, useState } from "preact/hooks"

import { now, together } from "../browser.ts"
import { countOf, dayMs, type Fleet, isFailed, readPages, type Run, runOf, secondsOf, useFleet } from "../fleet.ts"
import { Ago, Choice, type Head, InstanceChoice, Loading, Problem, Status } from "../parts.tsx"
import { href, keepQuery } from "../route.ts"
import { useServer } from "../server.ts"
import { durationWords, statusWords } from "../status.ts"
import { type Column, compareNames, instanceColumn, sortedBy, Table } from "../Table.tsx"
import { DeletionPlan } from "./DeletionPlan.tsx"
import { RunActions } from "./RunActions.tsx"
import { Silences } from "./Silences.tsx"

const hourMs = 3_600_000

/** The spans of time to choose from. */
const spans: Readonly<Record<string, number>> = { "1h": hourMs, "6h": 6 * hourMs, "": dayMs, "7d": 7 * dayMs }
const spanChoices = [
  ["1h", "Last hour"],
  ["6h", "Last 6 hours"],
  ["", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["all", "All that are kept"]
] as const

export const Runs = ({ head, query }: { readonly head: Head; readonly query: URLSearchParams }) => (
  <>
    {head("Runs")}
    <Rows key={query.toString()} query={query} />
  </>
)

interface Filters {
  readonly instance: string
  readonly workflow: string
  readonly status: string
  readonly since: string
  readonly text: string
  readonly sort: string
}

const queryFilters = (query: URLSearchParams): Filters => ({
  instance: query.get("instance") ?? "",
  workflow: query.get("workflow") ?? "",
  status: query.get("status") ?? "",
  since: query.get("since") ?? "",
  text: query.get("text") ?? "",
  sort: query.get("sort") ?? ""
})

/** Pages of each instance that are read of runs before the last day. */
const mostOlderPages = 8

interface Older {
  readonly runs: ReadonlyArray<Run>
  readonly isMore: boolean
  readonly problems: ReadonlyArray<string>
}

/** Runs of more than the last day, which the page does not follow: they are read when somebody asks for them. */
const useOlder = (filters: Filters, names: ReadonlyArray<string>): Older | undefined => {
  const { instance, since, status, workflow } = filters
  const isOlder = since === "7d" || since === "all"
  const [older, setOlder] = useState<Older>()
  useEffect(() => {
    setOlder(undefined)
    if (!isOlder) return undefined
    let isOver = false
    const span = spans[since]
    const args = {
      ...(status === "" ? {} : { status }),
      ...(workflow === "" ? {} : { workflowId: workflow }),
      ...(span === undefined ? {} : { startedAfter: new Date(now() - span).toISOString() })
    }
    const read = (instance === "" ? names : [instance]).map((name) =>
      readPages("list_executions", { instance: name, ...args }, mostOlderPages).then((listed): Older =>
        listed.ok
          ? { runs: listed.value.rows.map((row) => runOf(name, row)), isMore: listed.value.isMore, problems: [] }
          : { runs: [], isMore: false, problems: [`${name}: ${listed.problem}`] }
      )
    )
    void together(read).then((parts) => {
      if (isOver) return
      setOlder({
        runs: parts.flatMap(({ runs }) => runs),
        isMore: parts.some(({ isMore }) => isMore),
        problems: parts.flatMap(({ problems }) => problems)
      })
    })
    return () => {
      isOver = true
    }
  }, [isOlder, instance, since, status, workflow, names])
  return isOlder ? older : { runs: [], isMore: false, problems: [] }
}

const Rows = ({ query }: { readonly query: URLSearchParams }) => {
  const { canChange, instances: names } = useServer()
  const fleet = useFleet()
  const [filters, setFilters] = useState(() => queryFilters(query))
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const set = (changes: Partial<Filters>) => {
    const next = { ...filters, ...changes }
    setFilters(next)
    setSelected(new Set())
    keepQuery(["runs"], { ...next })
  }
  const older = useOlder(filters, names)
  const isOlder = filters.since === "7d" || filters.since === "all"
  const all = isOlder ? (older?.runs ?? []) : fleet.instances.flatMap(({ runs }) => runs)
  const columns = useMemo(() => columnsFor(fleet, names.length > 1), [fleet, names])
  const rows = useMemo(
    () => sortedBy(all.filter(fits(filters, fleet)).toSorted(newestFirst), columns, filters.sort),
    [fleet, older, columns, filters]
  )
  const chosen = rows.filter((run) => selected.has(keyOf(run)))
  const isLoading = isOlder
    ? older === undefined
    : fleet.instances.some(({ isRunsRead, silence }) => !isRunsRead && silence === undefined)
  const isMore = isOlder ? older?.isMore === true : fleet.instances.some((one) => one.isMore)
  return (
    <>
      <form class="row filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label class="grow">
          Filter by workflow or run
          <input type="search" value={filters.text} onInput={(event) => set({ text: event.currentTarget.value })} />
        </label>
        <InstanceChoice value={filters.instance} names={names} onChoice={(instance) => set({ instance })} />
        <Choice label="Status" value={filters.status} choices={statusChoices} onChoice={(status) => set({ status })} />
        <Choice label="Started" value={filters.since} choices={spanChoices} onChoice={(since) => set({ since })} />
        {filters.workflow === "" ? null : (
          <button type="button" onClick={() => set({ workflow: "" })}>
            {`Only ${nameIn(fleet, filters)} ×`}
          </button>
        )}
        {filters.instance !== "" && canChange("plan_bulk", filters.instance) ? <DeletionPlan {...filters} /> : null}
      </form>
      <Silences />
      {older?.problems.map((problem) => (
        <Problem key={problem}>{problem}</Problem>
      ))}
      <div class="row totals">
        {isLoading && rows.length === 0 ? (
          <Loading what="runs" />
        ) : (
          <p role="status" class="soft">
            {rows.length === 0
              ? "No run fits. Choose a longer time, or another status."
              : `${countOf(rows.length, "run")} · ${rows.filter(isFailed).length} failed · ` +
                `${rows.filter(({ status }) => status === "running").length} running${isMore ? " · there are more" : ""}`}
          </p>
        )}
        {chosen.length === 0 ? null : <RunActions runs={chosen} />}
      </div>
      {rows.length === 0 ? null : (
        <Table
          label="Runs"
          rows={rows}
          columns={columns}
          keyOf={keyOf}
          nameOf={({ id }) => `run ${id}`}
          sort={filters.sort === "" ? "-started" : filters.sort}
          onSort={(sort) => set({ sort })}
          selected={selected}
          onSelect={setSelected}
        />
      )}
    </>
  )
}

const statusChoices: ReadonlyArray<readonly [string, string]> = [["", "Any"], ...Object.entries(statusWords)]

const keyOf = ({ id, instance }: Run) => `${instance} ${id}`

const startOf = ({ startedAt }: Run) => startedAt ?? Number.MAX_SAFE_INTEGER
const newestFirst = (a: Run, b: Run) => startOf(b) - startOf(a)

const nameIn = (fleet: Fleet, { instance, workflow }: Filters): string => {
  const names = instance === "" ? fleet.instances.map(({ name }) => name) : [instance]
  return names.map((name) => fleet.nameOf(name, workflow)).find((name) => name !== workflow) ?? workflow
}

const fits = ({ instance, since, status, text, workflow }: Filters, fleet: Fleet) => {
  const words = text.toLowerCase().split(/\s+/)
  const from = now() - (spans[since] ?? Number.POSITIVE_INFINITY)
  return (run: Run) =>
    (instance === "" || run.instance === instance) &&
    (workflow === "" || run.workflowId === workflow) &&
    (status === "" || run.status === status || (status === "error" && isFailed(run))) &&
    (run.startedAt === undefined || run.startedAt >= from) &&
    (text === "" || isNamed(run, words, fleet))
}

const isNamed = (run: Run, words: ReadonlyArray<string>, fleet: Fleet) => {
  const text = `${fleet.nameOf(run.instance, run.workflowId)} ${run.id} ${run.mode}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

const columnsFor = (fleet: Fleet, hasInstances: boolean): ReadonlyArray<Column<Run>> => [
  {
    id: "status",
    title: "Status",
    kind: "state",
    compare: (a, b) => a.status.localeCompare(b.status),
    cell: ({ status }) => <Status status={status} />
  },
  {
    id: "workflow",
    title: "Workflow",
    kind: "grow",
    compare: (a, b) => compareNames(fleet.nameOf(a.instance, a.workflowId), fleet.nameOf(b.instance, b.workflowId)),
    cell: ({ id, instance, workflowId }) => (
      <a
        class="title"
        dir="auto"
        title={fleet.nameOf(instance, workflowId)}
        href={href(["workflow", instance, workflowId], { execution: id })}
      >
        {fleet.nameOf(instance, workflowId)}
      </a>
    )
  },
  ...instanceColumn<Run>(hasInstances),
  {
    id: "started",
    title: "Started",
    kind: "when",
    isGreatestFirst: true,
    compare: (a, b) => startOf(a) - startOf(b),
    cell: ({ startedAt }) => <Ago at={startedAt} />
  },
  {
    id: "took",
    title: "Took",
    kind: "medium number",
    isGreatestFirst: true,
    compare: (a, b) => (secondsOf(a) ?? -1) - (secondsOf(b) ?? -1),
    cell: (run) => durationWords(secondsOf(run))
  },
  { id: "mode", title: "Started by", kind: "wide", cell: ({ mode }) => <span class="soft">{mode}</span> },
  { id: "id", title: "Run", kind: "wide number", cell: ({ id }) => <span class="soft">{id}</span> }
]
