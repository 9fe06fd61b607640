import { useEffect, useState } from "preact/hooks"

import { type JsonObject, listOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { callTool } from "../client.ts"
import { type Args, numberOf, textOf } from "../json.ts"
import { Answer, Empty, Problem, State, useTool, When } from "../parts.tsx"
import { go, href } from "../route.ts"
import { useServer } from "../server.ts"
import type { Head } from "./Overview.tsx"

export const Workflows = ({ head, query }: { readonly head: Head; readonly query: URLSearchParams }) => {
  const { has, instances } = useServer()
  const filters = {
    text: query.get("text") ?? "",
    instance: query.get("instance") ?? "",
    active: query.get("active") ?? ""
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = new FormData(event.currentTarget)
    const field = (name: string) => textOf(given.get(name)).trim()
    go(href(["workflows"], { text: field("text"), instance: field("instance"), active: field("active") }))
  }
  const canSearch = has("search_workflows")
  const names = filters.instance === "" ? instances : [filters.instance]
  return (
    <>
      {head("Workflows")}
      <form key={query.toString()} class="row search" role="search" onSubmit={submit}>
        <label class="grow">
          {canSearch ? "Names, notes, parameters, code" : "Name"}
          <input type="search" name="text" defaultValue={filters.text} />
        </label>
        <label>
          Instance
          <select name="instance">
            <option value="">All</option>
            {instances.map((name) => (
              <option key={name} value={name} selected={name === filters.instance}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          State
          <select name="active">
            {[
              ["", "Any"],
              ["true", "Active"],
              ["false", "Inactive"]
            ].map(([value, name]) => (
              <option key={value} value={value} selected={value === filters.active}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="main">
          Search
        </button>
      </form>
      {canSearch && filters.text !== "" ? (
        <List
          key={query.toString()}
          tool="search_workflows"
          args={{ instances: names, ...given(filters.text, filters.active, "text") }}
        />
      ) : (
        names.map((instance) => (
          <List
            key={`${instance} ${query.toString()}`}
            tool="list_workflows"
            instance={instance}
            isHeaded={names.length > 1}
            args={{ instance, limit: 100, ...given(filters.text, filters.active, "name") }}
          />
        ))
      )}
    </>
  )
}

const given = (text: string, active: string, field: string): Args => ({
  ...(text === "" ? {} : { [field]: text }),
  ...(active === "" ? {} : { active: active === "true" })
})

/** Rows page after page; the pages behind the first are fetched when somebody wants them. */
const List = (props: {
  readonly tool: string
  readonly args: Args
  readonly instance?: string
  readonly isHeaded?: boolean
}) => {
  const { args, instance, isHeaded = false, tool } = props
  const { outcome } = useTool(tool, args)
  const [later, setLater] = useState<ReadonlyArray<JsonObject>>([])
  const [cursor, setCursor] = useState<unknown>()
  const [problem, setProblem] = useState("")
  useEffect(() => setCursor(outcome?.ok === true ? outcome.value.nextCursor : undefined), [outcome])
  const fetchMore = () => {
    const place = instance === undefined ? { instances: args.instances } : { instance }
    void callTool(tool, { ...place, cursor }).then((next) => {
      setProblem(next.ok ? "" : next.problem)
      if (!next.ok) return
      setLater((before) => [...before, ...objectsOf(next.value.data)])
      setCursor(next.value.nextCursor)
    })
  }
  return (
    <>
      {isHeaded ? <h2>{instance}</h2> : null}
      <Answer outcome={outcome} what="workflows">
        {(value) => {
          // Further pages come below: what is read already must not move.
          const isWhole = later.length === 0 && value.nextCursor === undefined
          const rows = isWhole ? objectsOf(value.data).toSorted(byName) : [...objectsOf(value.data), ...later]
          return (
            <>
              {objectsOf(value.failed ?? value.unusable).map((failed) => (
                <Problem key={textOf(failed.instance)}>
                  {textOf(failed.instance)}: {textOf(failed.error)}
                </Problem>
              ))}
              <p role="status" class="soft">
                {rows.length === 1 ? "1 workflow" : `${rows.length} workflows`}
                {cursor === undefined ? "" : ", and more"}
              </p>
              {rows.length === 0 ? <Empty>Nothing fits. Try fewer words.</Empty> : <Table rows={rows} of={instance} />}
              {problem === "" ? null : <Problem>{problem}</Problem>}
              {cursor === undefined ? null : (
                <button type="button" onClick={fetchMore}>
                  Show more
                </button>
              )}
            </>
          )
        }}
      </Answer>
    </>
  )
}

const { compare } = new Intl.Collator(undefined, { numeric: true })
const byName = (a: JsonObject, b: JsonObject) => compare(textOf(a.name), textOf(b.name))

const Table = ({ of, rows }: { readonly rows: ReadonlyArray<JsonObject>; readonly of: string | undefined }) => (
  <ul class="list">
    {rows.map((row) => {
      const instance = of ?? textOf(row.instance)
      const id = textOf(row.id)
      return (
        <li key={`${instance} ${id}`} class="card">
          <div class="row">
            <a class="title" href={href(["workflow", instance, id])}>
              {textOf(row.name) || id}
            </a>
            <State active={row.active} archived={row.archived ?? row.isArchived} />
            {listOf(row.tags).map((tag: unknown) => {
              const name = textOf(tag) || textOf(objectsOf([tag])[0]?.name)
              return (
                <span key={name} class="tag">
                  {name}
                </span>
              )
            })}
            <span class="soft push">
              {of === undefined ? instance : numberOf(row.nodes) === 1 ? "1 node" : `${numberOf(row.nodes)} nodes`}
              {row.updatedAt === undefined ? null : (
                <>
                  {" · "}
                  <When at={row.updatedAt} />
                </>
              )}
            </span>
          </div>
          <Matches matches={objectsOf(row.matches)} more={numberOf(row.more)} />
        </li>
      )
    })}
  </ul>
)

const Matches = ({ matches, more }: { readonly matches: ReadonlyArray<JsonObject>; readonly more: number }) => {
  const nodeMatches = matches.filter(({ node }) => node !== undefined)
  return nodeMatches.length === 0 ? null : (
    <ul class="plain said">
      {nodeMatches.map((match, at) => (
        <li key={at}>
          <strong>{textOf(match.node)}</strong> <span class="soft">{textOf(match.field)}</span> {textOf(match.snippet)}
        </li>
      ))}
      {more === 0 ? null : <li class="soft">and {more} more</li>}
    </ul>
  )
}
