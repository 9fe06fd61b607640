import { useEffect, useRef, useState } from "preact/hooks"

import { objectsOf } from "../../internal/schema/JsonObject.ts"
import { countOf } from "../fleet.ts"
import { textOf } from "../json.ts"
import { Answer, Choice, Empty, type Head, InstanceChoice, Problem, useTool, Warning } from "../parts.tsx"
import { href, keepQuery } from "../route.ts"
import { useServer } from "../server.ts"
import { Entries } from "./Audit.tsx"
import { Calls } from "./Calls.tsx"
import { ChangeRow } from "./History.tsx"

const kinds = [
  ["", "Workflows"],
  ["plans", "Plans"],
  ["calls", "Calls"]
] as const

/** Every change, whoever made it: of workflows with Undo beside each, by plans, and all calls that may have changed something. */
export const Changes = ({ head, query }: { readonly head: Head; readonly query: URLSearchParams }) => {
  const { has, hasCallLog } = useServer()
  const of = query.get("of") ?? ""
  return (
    <>
      {head("What was changed")}
      <nav class="tabs" aria-label="Kinds of changes">
        {kinds.map(([word, name]) => (
          <a key={word} href={href(["changes"], { of: word })} aria-current={of === word ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      {of === "calls" ? (
        hasCallLog ? (
          <Calls />
        ) : (
          <Empty>
            Calls are recorded where the server is started with <code>--audit FILE</code>.
          </Empty>
        )
      ) : of === "plans" ? (
        has("audit_log") ? (
          <Entries query={query} />
        ) : (
          <NeedsOperator what="Plans are recorded" />
        )
      ) : has("workflow_history") ? (
        <OfWorkflows query={query} />
      ) : (
        <NeedsOperator what="Changes of workflows are told" />
      )}
    </>
  )
}

const NeedsOperator = ({ what }: { readonly what: string }) => (
  <Empty>
    {what} where the toolset <code>operator</code> is on: start the server with <code>--toolsets engine,operator</code>.
  </Empty>
)

const sinceChoices = [
  ["today", "Today"],
  ["yesterday", "Yesterday and today"],
  ["monday", "Since Monday"],
  ["", "All that is kept"]
] as const

const mostRows = 100

const OfWorkflows = ({ query }: { readonly query: URLSearchParams }) => {
  const { instances } = useServer()
  const [filters, setFilters] = useState({
    since: query.get("since") ?? "monday",
    by: query.get("by") ?? "",
    instance: query.get("instance") ?? ""
  })
  const [cursors, setCursors] = useState<ReadonlyArray<string>>([])
  const set = (changes: Partial<typeof filters>) => {
    const next = { ...filters, ...changes }
    setFilters(next)
    setCursors([])
    keepQuery(["changes"], next)
  }
  const { again, outcome } = useTool("workflow_history", {
    recorded: true,
    instances: filters.instance === "" ? ["*"] : [filters.instance],
    ...(filters.since === "" ? {} : { since: filters.since }),
    ...(filters.by.trim() === "" ? {} : { by: filters.by.trim() }),
    limit: mostRows,
    ...(cursors.length === 0 ? {} : { cursor: cursors.at(-1) })
  })
  const isFirst = useRef(true)
  isFirst.current &&= outcome === undefined
  // What is recorded comes first; reading the engines, which shows what others have changed, takes longer and would delay it.
  const engines = useTool(isFirst.current ? undefined : "workflow_history", {
    instances: ["*"],
    since: "today",
    limit: 1
  })
  useEffect(() => {
    if (engines.outcome?.ok === true) again()
  }, [engines.outcome])
  return (
    <>
      <form class="row filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <Choice label="Since" value={filters.since} choices={sinceChoices} onChoice={(since) => set({ since })} />
        <InstanceChoice value={filters.instance} names={instances} onChoice={(instance) => set({ instance })} />
        <label>
          By whom
          <input
            type="search"
            placeholder="client or person"
            defaultValue={filters.by}
            onChange={(event) => set({ by: event.currentTarget.value })}
          />
        </label>
        <button type="button" class="quiet push" onClick={engines.again}>
          Refresh
        </button>
      </form>
      {outcome?.ok === false ? (
        <>
          <Problem>{outcome.problem}</Problem>
          <p>
            What plans have changed is told all the same, each with its rollback:{" "}
            <a href={href(["changes"], { of: "plans" })}>Plans</a>.
          </p>
        </>
      ) : (
        <Answer outcome={outcome} what="what was changed">
          {(value) => {
            const all = objectsOf(value.data)
            const rows = all.filter(({ change }) => change !== "first seen")
            const seen = all.length - rows.length
            return (
              <>
                <p role="status" class="soft">
                  {rows.length === 0 ? "Nothing was changed in that time" : countOf(rows.length, "change")}
                  {textOf(value.nextCursor) === "" ? "" : ", and older ones"}
                  {seen === 0 ? "" : `; ${countOf(seen, "workflow")} seen here for the first time`}
                  {engines.outcome === undefined ? ". Reading what others have changed meanwhile…" : ""}
                </p>
                {engines.outcome === undefined ? null : engines.outcome.ok ? (
                  <Warning text={engines.outcome.value.notice} />
                ) : (
                  <Problem>{engines.outcome.problem}</Problem>
                )}
                <ol class="list">
                  {rows.map((row) => (
                    <ChangeRow
                      key={`${textOf(row.instance)} ${textOf(row.id)} ${textOf(row.version)}`}
                      row={row}
                      before={undefined}
                      onDone={again}
                    />
                  ))}
                </ol>
                <nav class="row" aria-label="Pages">
                  {cursors.length === 0 ? null : (
                    <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
                      Newer
                    </button>
                  )}
                  {textOf(value.nextCursor) === "" ? null : (
                    <button type="button" onClick={() => setCursors([...cursors, textOf(value.nextCursor)])}>
                      Older
                    </button>
                  )}
                </nav>
              </>
            )
          }}
        </Answer>
      )}
    </>
  )
}
