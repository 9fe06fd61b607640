import { Effect, Predicate, Result, Schema } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { each, fields } from "../../../internal/json/Selection.ts"
import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { isMissing } from "../../client/isMissing.ts"
import { workflowsIn } from "../../client/listAll.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { executionId, refuseUnknownNodes, nodeNames, optional, workflowId } from "../../tools/parameters.ts"
import { changeLines, differencesSliced } from "../../workflow/difference.ts"
import { mermaidOf } from "../../workflow/mermaid.ts"
import type { ExecutionId, Workflow, WorkflowId } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { firstLineOf, runsIn } from "../../workflow/runs.ts"
import { sketchOf } from "../../workflow/sketch.ts"
import { errorWorkflowOf, subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { partVersion } from "../../workflow/versions.ts"
import { namesOf, nodesNamed } from "../../workflow/views.ts"
import { namedVersion, versionArgument } from "../history/namedVersion.ts"
import { namesById } from "../workflowNames.ts"

export const viewWorkflow = EngineTool.make("view_workflow", {
  title: "View workflow",
  description: "Show a workflow: a line for each node, with what it does and where it leads",
  annotations: reads,
  arguments: {
    id: workflowId,
    nodes: optional(nodeNames("Show only these, whole; secrets masked")),
    format: optional(Schema.Literals(["text", "mermaid"]).annotate({ description: "Default text" })),
    execution: optional(executionId.annotate({ description: "Lay this run over it" })),
    version: versionArgument("Of workflow_history: as it was")
  },
  narrow: "Name fewer nodes.",
  isWhole: (input) => Predicate.hasProperty(input, "nodes"),
  run: Effect.fnUntraced(function* ({ execution, format = "text", id, nodes, version }) {
    if (execution !== undefined && version !== undefined) return yield* versionOrRun
    const { head, workflow } = yield* viewedOf(id, version)
    if (nodes !== undefined) {
      yield* refuseUnknownNodes(`workflow ${id}`, nodes, namesOf(workflow.nodes))
      return { ...head, nodes: nodesNamed(workflow.nodes, new Set(nodes)) }
    }
    const run = execution === undefined ? undefined : yield* runOf(execution, id)
    const runs = run === undefined ? undefined : runsIn(run)
    const drawn = isJsonObject(run?.workflowData) ? run.workflowData : workflow
    const workflows = yield* workflowNames(drawn)
    const errorWorkflow = errorWorkflowOf(workflow)
    return {
      ...head,
      ...(errorWorkflow === undefined ? {} : { errorWorkflow: workflows.get(errorWorkflow) ?? errorWorkflow }),
      ...(version === undefined ? yield* unpublished(workflow) : {}),
      ...(run === undefined ? {} : { execution: executionHead(run, workflow) }),
      sketch:
        format === "mermaid"
          ? mermaidOf(drawn, runs)
          : sketchOf(run === undefined ? drawn : { ...drawn, pinData: {} }, { workflows, runs })
    }
  })
})

const versionOrRun = new InvalidArgument({
  argument: "version",
  problem: "cannot be given with execution: a run is drawn over the workflow that it ran"
})

/** The workflow as it is, or as it was in a version, which may be of one that is gone. */
const viewedOf = Effect.fnUntraced(function* (id: WorkflowId, version: string | undefined) {
  const engine = yield* EngineClient
  if (version === undefined || version === "current") {
    const workflow = yield* engine.getWorkflow(id)
    return { workflow, head: { version: partVersion(engine.versions.remember(workflow)), ...headOf(workflow) } }
  }
  const present = yield* Effect.result(engine.getWorkflow(id))
  if (Result.isFailure(present) && !isMissing(present.failure)) return yield* present.failure
  const current = Result.isSuccess(present) ? present.success : undefined
  const former = yield* Effect.catchTag(namedVersion(id, version, current), "Unavailable", ({ guidance }) =>
    Effect.fail(new InvalidArgument({ argument: "version", problem: `cannot be read. ${guidance}` }))
  )
  const [workflow] = workflowsIn([{ ...current, id, ...former.content }])
  // It is no version that a change may build on.
  if (workflow !== undefined) return { workflow, head: { asIn: former.named, ...former.head, ...headOf(workflow) } }
  return yield* new InvalidArgument({ argument: "version", problem: `shows no workflow: ${former.named}` })
})

/** The settings of every new workflow, which are not shown. */
const usual: JsonObject = {
  executionOrder: "v1",
  callerPolicy: "workflowsFromSameOwner",
  availableInMCP: false,
  binaryMode: "separate",
  saveDataErrorExecution: "all",
  saveDataSuccessExecution: "all",
  saveManualExecutions: true,
  saveExecutionProgress: false,
  executionTimeout: -1
}

const headOf = ({ active, description, id, isArchived, name, settings, tags, triggerCount }: Workflow): JsonObject => {
  const odd = Object.entries(settings ?? {}).filter(
    ([field, value]) => value !== usual[field] && field !== "errorWorkflow"
  )
  const isOldOrder = settings?.executionOrder === undefined
  return {
    id,
    name,
    active,
    ...(active && triggerCount === 0 ? { triggerCount } : {}),
    ...(isArchived === true ? { archived: true } : {}),
    ...(Predicate.isString(description) && description !== "" ? { description: firstLineOf(description) } : {}),
    ...(tags === undefined || tags.length === 0 ? {} : { tags: tags.map((tag) => tag.name) }),
    ...(odd.length === 0 && !isOldOrder
      ? {}
      : { settings: { ...Object.fromEntries(odd), ...(isOldOrder ? { executionOrder: "v0" } : {}) } })
  }
}

/** Changes that do not run yet, where the engine keeps a published version beside the draft. */
const unpublished = Effect.fnUntraced(function* ({ activeVersion, connections, nodes }: Workflow) {
  if (!isJsonObject(activeVersion)) return {}
  const published = { nodes: activeVersion.nodes, connections: activeVersion.connections }
  const changes = yield* inSlices(() => differencesSliced(published, { nodes, connections }))
  return changes.length === 0 ? {} : { unpublishedChanges: changeLines(changes, 12) }
})

/** An execution without its items, which are only counted. */
const itemsCounted = fields({
  data: fields({
    executionData: "nothing",
    resultData: fields({
      pinData: "nothing",
      runData: each(each(fields({ data: each(each(each("nothing"))), inputOverride: "nothing" })))
    })
  })
})

/** An execution with the runs of its nodes; it must be one of this workflow. */
const runOf = Effect.fnUntraced(function* (execution: ExecutionId, id: WorkflowId) {
  const run = yield* EngineClient.use((engine) => engine.getExecution(execution, true, itemsCounted))
  if (Predicate.isString(run.workflowId) && run.workflowId !== id) {
    const problem = `is a run of workflow ${run.workflowId}, not of ${id}`
    return yield* new InvalidArgument({ argument: "execution", problem })
  }
  return run
})

const executionHead = (run: JsonObject, workflow: Workflow): JsonObject => {
  const { data, id, mode, startedAt, status, workflowVersionId } = run
  const result = isJsonObject(data) ? data.resultData : undefined
  const error = isJsonObject(result) && isJsonObject(result.error) ? result.error.message : undefined
  return {
    id,
    status,
    mode,
    startedAt,
    ...(Predicate.isString(error) ? { error: firstLineOf(error) } : {}),
    ...(Predicate.isString(workflowVersionId) && workflowVersionId !== workflow.versionId
      ? { note: "Drawn as it ran; the workflow has changed since." }
      : {}),
    ...(isJsonObject(data) ? {} : { note: "The engine keeps no data of this run." })
  }
}

/** The names of the workflows that this one runs; what cannot be read keeps its id. */
const workflowNames = (workflow: JsonObject) => {
  const subWorkflowIds = nodesOf(workflow).flatMap((node) => {
    const called = subWorkflowOf(node)
    return called === undefined || called.name !== undefined ? [] : [called.id]
  })
  return namesById([errorWorkflowOf(workflow), ...subWorkflowIds])
}
