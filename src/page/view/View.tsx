import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { Graph } from "../Graph.tsx"
import { objectOf, textOf } from "../json.ts"
import { State, Status } from "../parts.tsx"

export interface Shown {
  /** What view_workflow answered. */
  readonly answer?: JsonObject
  readonly workflow?: JsonObject
  readonly execution?: JsonObject
}

/** What view_workflow answered, drawn where the host fetches the workflow, and else as the text that it is. */
export const View = ({ answer, execution, workflow }: Shown) => {
  if (answer === undefined) return <p class="loading">Waiting for the workflow…</p>
  const run = objectOf(answer.execution)
  return (
    <main class="view">
      <div class="row">
        <h1>{textOf(answer.name)}</h1>
        <State active={answer.active} archived={answer.archived} />
        {textOf(run.status) === "" ? null : (
          <>
            <span class="soft">Run {textOf(run.id)}</span> <Status status={textOf(run.status)} />
          </>
        )}
      </div>
      {workflow === undefined ? (
        <pre tabIndex={0} aria-label="The workflow in words">
          {textOf(answer.sketch)}
        </pre>
      ) : (
        <Graph workflow={workflow} execution={execution} />
      )}
    </main>
  )
}
