import { useMemo, useState } from "preact/hooks"

import { sceneOf } from "../engine/workflow/drawing/scene.ts"
import { nodesOf } from "../engine/workflow/nodes.ts"
import { isStickyNote } from "../engine/workflow/placing.ts"
import { edgesOf } from "../engine/workflow/wires.ts"
import { isSameJson } from "../internal/json/digest.ts"
import { isJsonObject, type JsonObject } from "../internal/schema/JsonObject.ts"
import { Drawing } from "./Drawing.tsx"
import { NodeDetails } from "./NodeDetails.tsx"
import { wholeRunsIn } from "./wholeRuns.ts"

interface Props {
  readonly workflow: JsonObject
  readonly execution: JsonObject | undefined
}

/** The workflow of a run as it was then, where the engine keeps that. */
const asItRan = (execution: JsonObject | undefined, workflow: JsonObject): JsonObject =>
  execution !== undefined && isJsonObject(execution.workflowData) && nodesOf(execution.workflowData).length > 0
    ? { ...execution.workflowData, name: workflow.name, pinData: {} }
    : workflow

/** Whether a workflow has other nodes or arrows than when it ran; parameters of runs are filled up by engines. */
const hasChanged = (ran: JsonObject, now: JsonObject): boolean => {
  const shape = (workflow: JsonObject) => [
    nodesOf(workflow).map(({ disabled, name, type }) => ({ disabled: disabled === true, name, type })),
    edgesOf(workflow.connections)
  ]
  return ran !== now && !isSameJson(shape(ran), shape(now))
}

/** A workflow with a run laid over it, and what is in the node that is selected; at first the one that failed. */
export const Graph = ({ execution, workflow }: Props) => {
  const drawn = useMemo(() => asItRan(execution, workflow), [execution, workflow])
  const runs = useMemo(() => (execution === undefined ? undefined : wholeRunsIn(execution)), [execution])
  const scene = useMemo(() => sceneOf(drawn, runs), [drawn, runs])
  const failed = scene.nodes.findIndex(({ fate }) => fate === "failed")
  const [chosen, setChosen] = useState<number>()
  const selected = chosen ?? (failed < 0 ? undefined : failed)
  const nodes = nodesOf(drawn).filter((node) => !isStickyNote(node))
  const node = selected === undefined ? undefined : nodes[selected]
  return (
    <>
      {hasChanged(drawn, workflow) ? <p class="warning">{"Drawn as it ran; the workflow has changed since."}</p> : null}
      <div class={node === undefined ? "alone" : "beside"}>
        <Drawing scene={scene} selected={selected} onSelect={setChosen} />
        <aside aria-label="Selected node" aria-live="polite">
          {node === undefined ? (
            <p class="soft">
              Select a node to see what is in it. With the keyboard: Tab into the drawing, walk with the arrow keys,
              choose with Enter.
            </p>
          ) : (
            <NodeDetails
              node={node}
              drawn={selected === undefined ? undefined : scene.nodes[selected]}
              execution={execution}
            />
          )}
        </aside>
      </div>
    </>
  )
}
