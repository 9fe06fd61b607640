import { useEffect, useState } from "preact/hooks"

import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { callTool } from "../client.ts"
import { countOf } from "../fleet.ts"
import { numberOf, tagNames, textOf } from "../json.ts"
import { Answer, Problem, State, Tags, useTool } from "../parts.tsx"
import { href } from "../route.ts"
import { useServer } from "../server.ts"

interface Props {
  readonly text: string
  readonly instance: string
  readonly active: string
}

/** Workflows in whose names, notes, parameters or code a text stands, each with the places. */
export const ContentSearch = ({ active, instance, text }: Props) => {
  const { instances } = useServer()
  const names = instance === "" ? instances : [instance]
  const { outcome } = useTool("search_workflows", {
    instances: names,
    text,
    ...(active === "true" || active === "false" ? { active: active === "true" } : {})
  })
  const [later, setLater] = useState<ReadonlyArray<JsonObject>>([])
  const [cursor, setCursor] = useState<unknown>()
  const [problem, setProblem] = useState("")
  useEffect(() => setCursor(outcome?.ok === true ? outcome.value.nextCursor : undefined), [outcome])
  const fetchMore = () =>
    void callTool("search_workflows", { instances: names, cursor }).then((next) => {
      setProblem(next.ok ? "" : next.problem)
      if (!next.ok) return
      setLater((before) => [...before, ...objectsOf(next.value.data)])
      setCursor(next.value.nextCursor)
    })
  return (
    <Answer outcome={outcome} what="what is inside">
      {(value) => {
        const rows = [...objectsOf(value.data), ...later]
        return (
          <>
            {objectsOf(value.failed ?? value.unusable).map((failed) => (
              <Problem key={textOf(failed.instance)}>
                {textOf(failed.instance)}: {textOf(failed.error)}
              </Problem>
            ))}
            <p role="status" class="soft">
              {rows.length === 0
                ? "No workflow has this inside. Try fewer words."
                : `${countOf(rows.length, "workflow")}${cursor === undefined ? "" : ", and more"} with “${text}” inside`}
            </p>
            <ul class="list">
              {rows.map((row) => (
                <Match key={`${textOf(row.instance)} ${textOf(row.id)}`} row={row} />
              ))}
            </ul>
            {problem === "" ? null : <Problem>{problem}</Problem>}
            {cursor === undefined ? null : (
              <button type="button" onClick={fetchMore}>
                Search further
              </button>
            )}
          </>
        )
      }}
    </Answer>
  )
}

const Match = ({ row }: { readonly row: JsonObject }) => {
  const places = objectsOf(row.matches).filter(({ node }) => node !== undefined)
  return (
    <li class="card">
      <div class="row">
        <a class="title" dir="auto" href={href(["workflow", textOf(row.instance), textOf(row.id)])}>
          {textOf(row.name) || textOf(row.id)}
        </a>
        <State active={row.active} archived={row.archived ?? row.isArchived} />
        <Tags tags={tagNames(row.tags)} />
        <span class="soft push">{textOf(row.instance)}</span>
      </div>
      {places.length === 0 ? null : (
        <ul class="plain notes">
          {places.map((match, at) => (
            <li key={at}>
              <strong>{textOf(match.node)}</strong> <span class="soft">{textOf(match.field)}</span>{" "}
              {textOf(match.snippet)}
            </li>
          ))}
          {numberOf(row.more) === 0 ? null : <li class="soft">and {numberOf(row.more)} more</li>}
        </ul>
      )}
    </li>
  )
}
