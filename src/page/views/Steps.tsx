import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { textOf } from "../json.ts"
import { Badge } from "../parts.tsx"
import { Change } from "./Change.tsx"

interface Props {
  readonly steps: ReadonlyArray<JsonObject>
  readonly blocked: ReadonlyArray<JsonObject>
}

/** The steps of a plan with what they change, and what was asked for and is not among them. */
export const Steps = ({ blocked, steps }: Props) => (
  <>
    <ol class="list">
      {steps.map((step) => (
        <li key={textOf(step.step)} class="card">
          <div class="row">
            {step.done === true ? <Badge tone="good">done</Badge> : null}
            {textOf(step.refused) === "" ? null : <Badge tone="bad">refused</Badge>}
            <strong>{textOf(step.step)}</strong>
            <span class="soft">{textOf(step.reason)}</span>
          </div>
          {textOf(step.refused) === "" ? null : <p class="problem">{textOf(step.refused)}</p>}
          <Change before={step.before} after={step.after} />
        </li>
      ))}
    </ol>
    {blocked.length === 0 ? null : (
      <>
        <h2>Not in the plan</h2>
        <ul class="list">
          {blocked.map(({ reason, what }, at) => (
            <li key={at} class="card">
              <strong>{textOf(what)}</strong> <span class="soft">{textOf(reason)}</span>
            </li>
          ))}
        </ul>
      </>
    )}
  </>
)
