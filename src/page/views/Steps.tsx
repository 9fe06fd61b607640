import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { textOf } from "../json.ts"
import { Badge, Words } from "../parts.tsx"
import { stepWords } from "../planWords.ts"
import { Change } from "./Change.tsx"

interface Props {
  readonly steps: ReadonlyArray<JsonObject>
  readonly blocked: ReadonlyArray<JsonObject>
}

/** A step by its verb and its thing; its place tells things of the same name apart. */
export const StepName = ({ step }: { readonly step: JsonObject }) => {
  const { name, place, verb } = stepWords(step)
  return (
    <>
      <strong>{`${verb} ${name}`}</strong>
      {place.endsWith(`/${name}`) || name === place ? null : <code class="soft">{placeWords(place)}</code>}
    </>
  )
}

/** A place; of a thing that an earlier step creates, its instance. */
const placeWords = (place: string): string => (place.endsWith(">") ? (place.split("/<", 1)[0] ?? place) : place)

/** The steps of a plan with what they change, and what was asked for and is not among them. */
export const Steps = ({ blocked, steps }: Props) => (
  <>
    <ol class="list">
      {steps.map((step) => (
        <li key={textOf(step.step)} class="card">
          <div class="row">
            {step.done === true ? <Badge tone="good">done</Badge> : null}
            {textOf(step.refused) === "" ? null : <Badge tone="bad">refused</Badge>}
            <StepName step={step} />
            <span class="soft">{textOf(step.reason)}</span>
          </div>
          {textOf(step.refused) === "" ? null : (
            <p class="problem">
              <Words>{textOf(step.refused)}</Words>
            </p>
          )}
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
              <strong>{textOf(what)}</strong>{" "}
              <span class="soft">
                <Words>{textOf(reason)}</Words>
              </span>
            </li>
          ))}
        </ul>
      </>
    )}
  </>
)
