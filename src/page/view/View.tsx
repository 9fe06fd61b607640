import { type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { Graph } from "../Graph.tsx"
import { numberOf, pretty, textOf, textsOf } from "../json.ts"
import { Badge, State, Status, Warning } from "../parts.tsx"
import { Steps } from "../views/Steps.tsx"

export interface ViewProps {
  /** The answer of the tool. */
  readonly answer?: JsonObject
  /** The workflow that belongs to it, where the host fetches it. */
  readonly workflow?: JsonObject
  readonly execution?: JsonObject
}

/** The answer of view_workflow, compare_workflows or a tool that plans. */
export const View = ({ answer, execution, workflow }: ViewProps) => {
  if (answer === undefined) return <p class="loading">Waiting for the answer…</p>
  return (
    <main class="view">
      {answer.plan_id !== undefined ? (
        <Plan plan={answer} />
      ) : answer.a !== undefined ? (
        <Comparison comparison={answer} />
      ) : (
        <Workflow answer={answer} workflow={workflow} execution={execution} />
      )}
    </main>
  )
}

interface Drawn {
  readonly answer: JsonObject
  readonly workflow: JsonObject | undefined
  readonly execution: JsonObject | undefined
}

/** Drawn where the host fetches the workflow, and else the text that the answer is. */
const Workflow = ({ answer, execution, workflow }: Drawn) => {
  const run = objectOf(answer.execution)
  return (
    <>
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
          {textOf(answer.sketch) || pretty(answer)}
        </pre>
      ) : (
        <Graph workflow={workflow} execution={execution} />
      )}
    </>
  )
}

const Plan = ({ plan }: { readonly plan: JsonObject }) => {
  const all = numberOf(plan.steps)
  const firstSteps = objectsOf(plan.first_steps)
  return (
    <>
      <div class="row">
        <h1>{textOf(plan.plan_id)}</h1>
        <Badge>{textOf(plan.kind)}</Badge>
        <span class="soft">{all === 1 ? "1 step" : `${all} steps`}, none of them applied</span>
      </div>
      {textsOf(plan.warnings).map((text) => (
        <Warning key={text} text={text} />
      ))}
      <Steps steps={firstSteps} blocked={objectsOf(plan.blocked)} />
      {all > firstSteps.length ? <p class="soft">and {all - firstSteps.length} more</p> : null}
    </>
  )
}

const Comparison = ({ comparison }: { readonly comparison: JsonObject }) => {
  const side = (value: unknown) => {
    const { instance, name, version } = objectOf(value)
    return [name, instance, version]
      .map(textOf)
      .filter((text) => text !== "")
      .join(" · ")
  }
  return (
    <>
      <h1>What differs</h1>
      <p class="row">
        <span>{side(comparison.a)}</span> <span aria-hidden="true">→</span> <span>{side(comparison.b)}</span>
      </p>
      {comparison.same === true ? <p>Nothing: they are the same.</p> : null}
      <ul class="lines">
        {textsOf(comparison.differences).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {textOf(comparison.note) === "" ? null : <p class="soft">{textOf(comparison.note)}</p>}
    </>
  )
}
