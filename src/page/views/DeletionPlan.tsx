import { useState } from "preact/hooks"

import { Act } from "../Act.tsx"
import { now } from "../browser.ts"
import { textOf } from "../json.ts"
import { go, href } from "../route.ts"
import { statusWords } from "../status.ts"

interface Props {
  readonly instance: string
  readonly workflow: string
  readonly status: string
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
const weekMs = 7 * 86_400_000

/** A plan that deletes old runs by instance, workflow, status and day, however many they are. */
export const DeletionPlan = ({ instance, status, workflow }: Props) => {
  const [before, setBefore] = useState(day(now() - weekMs))
  const calls = () =>
    before === ""
      ? "Choose a day."
      : [
          {
            tool: "plan_bulk",
            args: {
              instance,
              action: ["delete_executions"],
              before: `${before}T00:00:00Z`,
              ...(status === "" ? {} : { status }),
              ...(workflow === "" ? {} : { where: { ids: [workflow] } })
            }
          }
        ]
  const of = status === "" ? "runs" : `runs with the status ${statusWords[status] ?? status}`
  return (
    <Act
      label="Plan to delete old runs…"
      title={`Plan to delete old runs on ${instance}`}
      action="Make the plan"
      calls={calls}
      onDone={([plan]) => go(href(["plans", textOf(plan?.plan_id)]))}
    >
      <p>
        The plan names all {of} {workflow === "" ? "of all workflows" : "of this workflow"} that started before the day.
        Nothing is deleted until you apply it.
      </p>
      <label>
        Before
        <input type="date" value={before} onInput={(event) => setBefore(event.currentTarget.value)} />
      </label>
    </Act>
  )
}
