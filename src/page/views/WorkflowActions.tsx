import { useState } from "preact/hooks"

import { Act } from "../Act.tsx"
import { textOf } from "../json.ts"
import { Choice, type Place } from "../parts.tsx"
import { go, href } from "../route.ts"
import { useServer } from "../server.ts"
import { RunWorkflow } from "./RunWorkflow.tsx"

/** The actions on a workflow: each names the version it was read at, so that nobody's change is run over. */
export const WorkflowActions = (place: Place) => {
  const { again, id, instance, workflow } = place
  const { canChange, has, infoOf, instances } = useServer()
  const name = textOf(workflow.name) || id
  const [active, archived] = [workflow.active === true, workflow.isArchived === true]
  const ifVersion = textOf(workflow.version)
  const seen = { instance, id, ...(ifVersion === "" ? {} : { ifVersion }) }
  const url = infoOf(instance)?.url
  const canDo = (tool: string) => canChange(tool, instance)
  const others = instances.filter((one) => one !== instance && infoOf(one)?.isReadOnly !== true)
  return (
    <span class="row push">
      {archived || !canDo(active ? "deactivate_workflow" : "activate_workflow") ? null : (
        <Act
          label={active ? "Deactivate…" : "Activate…"}
          title={active ? `Deactivate “${name}” on ${instance}?` : `Activate “${name}” on ${instance}?`}
          action={active ? "Deactivate" : "Activate"}
          calls={() => [
            active ? { tool: "deactivate_workflow", args: { instance, id } } : { tool: "activate_workflow", args: seen }
          ]}
          onDone={again}
        >
          <p>
            {active
              ? "Its triggers stop. Runs that are under way go on."
              : "Its triggers listen from now on, as they are saved."}
          </p>
        </Act>
      )}
      {canDo("run_workflow") ? <RunWorkflow {...place} /> : null}
      {has("plan_promotion") && others.length > 0 ? <Promote {...place} others={others} /> : null}
      {canDo("archive_workflow") ? (
        <Act
          label={archived ? "Bring back…" : "Archive…"}
          title={archived ? `Bring “${name}” back on ${instance}?` : `Archive “${name}” on ${instance}?`}
          action={archived ? "Bring back" : "Archive"}
          calls={() => [{ tool: "archive_workflow", args: { ...seen, archived: !archived } }]}
          onDone={again}
        >
          <p>
            {archived
              ? "It can be changed and activated again. It stays inactive."
              : "It is switched off and can be brought back."}
          </p>
        </Act>
      ) : null}
      {canDo("delete_workflow") ? (
        <Act
          label="Delete…"
          title={`Delete “${name}” on ${instance}?`}
          action="Delete"
          isDangerous
          calls={() => [{ tool: "delete_workflow", args: seen }]}
          onDone={() => go(href(["workflows"], { instance }))}
        >
          <p>The workflow and all its runs are deleted for good.</p>
          {has("workflow_history") ? <p>If the history is kept, its content can be restored from there.</p> : null}
        </Act>
      ) : null}
      {url === undefined ? null : (
        <a class="button" href={`${url}/workflow/${encodeURIComponent(id)}`} target="_blank" rel="noreferrer">
          Open in the engine
        </a>
      )}
    </span>
  )
}

const activations = [
  ["keep", "As it is there; a new one as it is here"],
  ["activate", "Active"],
  ["inactive", "Inactive"]
] as const

const Promote = (props: Place & { readonly others: ReadonlyArray<string> }) => {
  const { id, instance, others, workflow } = props
  const [to, setTo] = useState(others[0] ?? "")
  const [activation, setActivation] = useState("keep")
  return (
    <Act
      label="Promote…"
      title={`Bring “${textOf(workflow.name)}” from ${instance} to another instance`}
      action="Make the plan"
      calls={() => [{ tool: "plan_promotion", args: { from: instance, to, ids: [id], activation } }]}
      onDone={([plan]) => go(href(["plans", textOf(plan?.plan_id)]))}
    >
      <p>The plan shows what would be created or changed there. Nothing is changed until you apply it.</p>
      <div class="row">
        <Choice label="To" value={to} choices={others.map((name) => [name, name] as const)} onChoice={setTo} />
        <Choice label="There it is" value={activation} choices={activations} onChoice={setActivation} />
      </div>
    </Act>
  )
}
