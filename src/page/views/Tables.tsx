import { useState } from "preact/hooks"

import { type Typed, typedColumns } from "../../engine/workflow/cells.ts"
import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { countOf } from "../fleet.ts"
import { textOf } from "../json.ts"
import { Answer, Empty, type Head, InstanceChoice, useTool, When } from "../parts.tsx"
import { href, keepQuery } from "../route.ts"
import { useServer } from "../server.ts"
import { Download, type TableInfo, Upload } from "./TableCsv.tsx"

/** The data tables of every instance that has some. */
export const Tables = ({ head, query }: { readonly head: Head; readonly query: URLSearchParams }) => {
  const { has, instances } = useServer()
  const [instance, setInstance] = useState(query.get("instance") ?? "")
  const choose = (name: string) => {
    setInstance(name)
    keepQuery(["tables"], { instance: name })
  }
  if (!has("read_data_table")) {
    return (
      <>
        {head("Data tables")}
        <Empty>
          Data tables come with the toolset <code>api</code>: start the server with{" "}
          <code>--toolsets engine,operator,api</code>.
        </Empty>
      </>
    )
  }
  return (
    <>
      {head("Data tables")}
      <div class="row filters">
        <InstanceChoice value={instance} names={instances} onChoice={choose} />
      </div>
      {(instance === "" ? instances : [instance]).map((name) => (
        <OfInstance key={name} instance={name} />
      ))}
    </>
  )
}

/** Pages of a list by its cursors, from the first one on. */
const usePages = () => {
  const [cursors, setCursors] = useState<ReadonlyArray<string>>([])
  const cursor = cursors.at(-1)
  return {
    args: cursor === undefined ? {} : { cursor },
    begin: () => setCursors([]),
    pager: (next: unknown, name: string) =>
      cursor === undefined && textOf(next) === "" ? null : (
        <nav class="row" aria-label={name}>
          <button type="button" disabled={cursor === undefined} onClick={() => setCursors(cursors.slice(0, -1))}>
            Earlier
          </button>
          <button type="button" disabled={textOf(next) === ""} onClick={() => setCursors([...cursors, textOf(next)])}>
            Later
          </button>
        </nav>
      )
  }
}

const OfInstance = ({ instance }: { readonly instance: string }) => {
  const { args, pager } = usePages()
  const { outcome } = useTool("read_data_table", { instance, action: "list", limit: 100, ...args })
  return (
    <section aria-label={instance}>
      <h2>{instance}</h2>
      <Answer outcome={outcome} what={`the tables of ${instance}`}>
        {({ data, guidance, nextCursor }) => {
          const tables = objectsOf(data)
          if (tables.length === 0) return <Empty>{textOf(guidance) || "It has no data tables."}</Empty>
          return (
            <>
              <ul class="list">
                {tables.map(({ columns, id, name }) => (
                  <li key={textOf(id)} class="card row">
                    <a class="title" dir="auto" href={href(["tables", instance, textOf(id)])}>
                      {textOf(name)}
                    </a>
                    <span class="soft">{Object.keys(objectOf(columns)).join(", ")}</span>
                  </li>
                ))}
              </ul>
              {pager(nextCursor, `Pages of the tables of ${instance}`)}
            </>
          )
        }}
      </Answer>
    </section>
  )
}

interface Place {
  readonly instance: string
  readonly id: string
}

/** One data table: its rows page by page, and all of them as a file. */
export const DataTable = ({ head, id, instance }: Place & { readonly head: Head }) => {
  const { outcome } = useTool("read_data_table", { instance, action: "describe", table: id })
  return (
    <>
      <p class="crumbs">
        <a href={href(["tables"])}>Data tables</a>
      </p>
      {head(outcome?.ok === true ? textOf(outcome.value.name) || id : id)}
      <Answer outcome={outcome} what="the table">
        {({ columns, name }) => {
          const table = { instance, id, name: textOf(name), columns: typedColumns(objectOf(columns)) }
          return <Rows table={table} />
        }}
      </Answer>
    </>
  )
}

const Rows = ({ table }: { readonly table: TableInfo }) => {
  const { canChange } = useServer()
  const { columns, id, instance } = table
  const [search, setSearch] = useState("")
  const { args, begin, pager } = usePages()
  const { again, outcome } = useTool("read_data_table", {
    instance,
    action: "rows",
    table: id,
    limit: 100,
    ...(search === "" ? {} : { search }),
    ...args
  })
  return (
    <>
      <form class="row filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label class="grow">
          Filter by a text of a row
          <input
            type="search"
            onChange={(event) => {
              begin()
              setSearch(event.currentTarget.value)
            }}
          />
        </label>
        <button type="button" class="quiet" onClick={again}>
          Refresh
        </button>
        <Download table={table} />
        {canChange("change_data_table", instance) ? <Upload table={table} /> : null}
      </form>
      <Answer outcome={outcome} what="the rows">
        {({ data, nextCursor }) => {
          const rows = objectsOf(data)
          return (
            <>
              <p role="status" class="soft">
                {rows.length === 0
                  ? search === ""
                    ? "It has no rows yet."
                    : "No row has this text."
                  : `${countOf(rows.length, "row")}${textOf(nextCursor) === "" ? "" : ", and later ones"}`}
              </p>
              {rows.length === 0 ? null : <Grid label={table.name} columns={columns} rows={rows} />}
              {pager(nextCursor, "Pages")}
            </>
          )
        }}
      </Answer>
    </>
  )
}

interface GridProps {
  readonly label: string
  readonly columns: ReadonlyArray<Typed>
  readonly rows: ReadonlyArray<JsonObject>
}

/** Rows side by side, as wide as their columns need: what has no room is scrolled to. */
const Grid = ({ columns, label, rows }: GridProps) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what is scrolled is reached by keyboard, too
  <div class="scroll" role="region" aria-label={`Rows of ${label}`} tabIndex={0}>
    <table class="cells" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">id</th>
          {columns.map(({ name, type }) => (
            <th key={name} scope="col">
              {name} <span class="soft">{type}</span>
            </th>
          ))}
          <th scope="col">Changed</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={textOf(row.id)}>
            <th scope="row">{textOf(row.id)}</th>
            {columns.map(({ name, type }) => (
              <td key={name} dir="auto">
                <CellText value={row[name]} type={type} />
              </td>
            ))}
            <td>
              <When at={row.updatedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Characters of a cell that are shown. */
const mostShown = 200

const CellText = ({ type, value }: { readonly type: string; readonly value: unknown }) => {
  if (value === null || value === undefined) return <span class="soft">–</span>
  if (type === "date") return <When at={value} />
  const text = typeof value === "boolean" || isJsonObject(value) ? JSON.stringify(value) : textOf(value)
  return <>{text.length > mostShown ? `${text.slice(0, mostShown)}…` : text}</>
}
