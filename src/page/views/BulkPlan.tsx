import { useState } from "preact/hooks"

import { Act } from "../Act.tsx"
import { countOf } from "../fleet.ts"
import { textOf } from "../json.ts"
import { Choice } from "../parts.tsx"
import { go, href } from "../route.ts"

interface Named {
  readonly instance: string
  readonly id: string
  readonly name: string
}

const actions = [
  ["activate", "Activate"],
  ["deactivate", "Deactivate"],
  ["tag", "Add a tag"],
  ["untag", "Remove a tag"],
  ["archive", "Archive"],
  ["delete", "Delete"]
] as const

/** One action on the chosen workflows: it becomes a plan, which is looked at before anything is changed. */
export const BulkPlan = ({ rows }: { readonly rows: ReadonlyArray<Named> }) => {
  const [action, setAction] = useState("activate")
  const [value, setValue] = useState("")
  const instances = [...new Set(rows.map(({ instance }) => instance))]
  const needsValue = action === "tag" || action === "untag"
  const calls = () => {
    const [instance, ...others] = instances
    if (others.length > 0) return "A plan is for one instance. Choose workflows of one instance."
    if (needsValue && value.trim() === "") return "Name the tag."
    const where = { ids: rows.map(({ id }) => id) }
    return [{ tool: "plan_bulk", args: { instance, where, action: [action], ...(needsValue ? { value } : {}) } }]
  }
  return (
    <Act
      label={`Plan for ${countOf(rows.length, "workflow")}…`}
      class="main push"
      title={`Plan for ${countOf(rows.length, "workflow")} on ${instances.join(", ")}`}
      action="Make the plan"
      calls={calls}
      onDone={([plan]) => go(href(["plans", textOf(plan?.plan_id)]))}
    >
      <p>The plan shows each change. Nothing is changed until you apply it.</p>
      <div class="row">
        <Choice label="Action" value={action} choices={actions} onChoice={setAction} />
        {needsValue ? (
          <label>
            Tag
            <input type="text" value={value} onInput={(event) => setValue(event.currentTarget.value)} />
          </label>
        ) : null}
      </div>
      <ul class="names">
        {rows.slice(0, 8).map(({ id, name }) => (
          <li key={id} dir="auto">
            {name}
          </li>
        ))}
        {rows.length > 8 ? <li class="soft">and {rows.length - 8} more</li> : null}
      </ul>
    </Act>
  )
}
