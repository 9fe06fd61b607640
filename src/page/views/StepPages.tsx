import { useEffect, useState } from "preact/hooks"

import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { numberOf } from "../json.ts"
import { Answer, useTool } from "../parts.tsx"
import { Steps } from "./Steps.tsx"

/** As many steps as `show_plan` gives at once. */
export const mostSteps = 500

/** The steps of a plan, and what it leaves out, some hundreds at a time; `first` is the beginning, as it was last read. */
export const StepPages = ({ first, id }: { readonly first: JsonObject; readonly id: string }) => {
  const [offset, setOffset] = useState(0)
  const later = useTool(offset === 0 ? undefined : "show_plan", { plan_id: id, limit: mostSteps, offset })
  // What is applied meanwhile shows on every page.
  useEffect(later.again, [first])
  const rows = Math.max(numberOf(first.total), numberOf(first.blocked_count))
  const pager =
    rows > mostSteps ? (
      <p class="row">
        <span class="soft" role="status">
          {`${offset + 1} to ${Math.min(offset + mostSteps, rows)} of ${rows} are shown; all of them are applied.`}
        </span>
        <button type="button" disabled={offset === 0} onClick={() => setOffset(offset - mostSteps)}>
          Earlier
        </button>
        <button type="button" disabled={offset + mostSteps >= rows} onClick={() => setOffset(offset + mostSteps)}>
          Later
        </button>
      </p>
    ) : null
  const stepsOf = (plan: JsonObject) => <Steps steps={objectsOf(plan.steps)} blocked={objectsOf(plan.blocked)} />
  return (
    <>
      {pager}
      {offset === 0 ? (
        stepsOf(first)
      ) : (
        <Answer outcome={later.outcome} what="the steps">
          {stepsOf}
        </Answer>
      )}
    </>
  )
}
