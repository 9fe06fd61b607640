import { Effect, Result, Schema } from "effect"

import { quotedName } from "../../../internal/foreignText.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { agreedTo } from "../../../mcp/agreement.ts"
import { runs } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { flag, optional, workflowId } from "../../tools/parameters.ts"
import { nameOf, type Workflow, type WorkflowId } from "../../workflow/models.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import { editedBy, operationsArgument, readOperations } from "../edit/edited.ts"
import { statusOf } from "../explain/describeExecution.ts"
import { holdsFiles, itemsIn, mocksOf, noFiles, pinnedItems, pinsFiles } from "./mocks.ts"
import { type Part, partOf, runningOf, unmockable } from "./Part.ts"
import { runReport } from "./runReport.ts"
import { runPart } from "./runTemporaryCopy.ts"
import { runQuestion, type SideEffect, sideEffectsOf } from "./sideEffects.ts"
import { type TemporaryCopy, temporaryCopyOf } from "./temporaryCopy.ts"

const nodeName = (description: string) => Schema.String.annotate({ description })

export const runWorkflow = EngineTool.make("run_workflow", {
  title: "Run workflow",
  description:
    "Run a workflow once, active or not, saved or with operations: a temporary copy runs and is deleted. Answers each node's " +
    "items and errors",
  annotations: runs,
  arguments: {
    id: workflowId,
    items: optional(
      Schema.Array(JsonObject).annotate({
        inputSchema: {
          type: "array",
          items: { type: "object" },
          description: "Output of the trigger; default pinned, or one empty item"
        }
      })
    ),
    mocks: optional(JsonObject.annotate({ description: 'Nodes not to run: {"<node>": [items] or "pinned"}' })),
    operations: optional(
      operationsArgument.annotate({
        inputSchema: { type: "array", items: { type: "object" }, description: "As in edit_workflow, not saved" }
      })
    ),
    from: optional(nodeName("Node that gets the items")),
    to: optional(nodeName("Last node")),
    timeout: optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }, { message: "must be between 1 and 40" })).annotate(
        {
          inputSchema: { type: "integer", minimum: 1, maximum: 40, description: "Seconds, default 30" }
        }
      )
    ),
    dry_run: optional(flag("Only list what acts outside")),
    confirm: optional(flag("Let it act outside"))
  },
  run: Effect.fnUntraced(function* ({
    confirm = false,
    dry_run = false,
    from,
    id,
    items,
    mocks,
    operations,
    timeout = 30,
    to
  }) {
    const workflow = yield* workflowWithOperations(id, operations)
    const mocked = yield* mocksFor(workflow, mocks)
    const part = yield* Effect.fromResult(
      Result.mapError(partOf(workflow, mocked, { from, to }), (problem) => new InvalidArgument(problem))
    )
    const withFile = items?.findIndex(holdsFiles) ?? -1
    if (withFile >= 0) return yield* new InvalidArgument({ argument: `items[${withFile}]`, problem: noFiles })
    const input = inputFor(workflow, part, { items, mocks })
    const head = { id, name: workflow.name, ...input.description }
    const running = runningOf(part, mocked)
    const outside = sideEffectsOf(running)
    if (dry_run || (outside.length > 0 && !confirm)) {
      return {
        ...head,
        ran: false,
        guidance: dry_run
          ? "Dry run: nothing was sent."
          : "Nothing ran: these nodes really act outside. Mock them, end before them with to, or give confirm: true.",
        nodes: part.nodes.map(nameOf),
        outside
      }
    }

    const options = { items: input.items, mocks: mocked, to, seconds: timeout }
    if (outside.length > 0) {
      const sent = temporaryCopyOf(workflow, part, { ...options, name: "", path: "", secret: { text: "", digest: "" } })
      yield* agreedToRun(workflow, outside, { nodes: running, items: input.items, sent })
    }
    const outcome = yield* runPart(workflow, part, options)
    return { ...head, ran: true, ...shownOutcome(outcome, part, running, timeout) }
  })
})

type GivenItems = ReadonlyArray<JsonObject>

const mocksFor = Effect.fnUntraced(function* (workflow: Workflow, given: JsonObject = {}) {
  const mocks = yield* orRefuse("mocks", mocksOf(workflow, given))
  const problem = unmockable(workflow, mocks)
  return problem === undefined ? mocks : yield* new InvalidArgument({ argument: "mocks", problem })
})

/** The items that the run starts with (given, else pinned, else one empty item), and their description. */
const inputFor = (
  workflow: Workflow,
  { start }: Part,
  { items, mocks = {} }: { readonly items: GivenItems | undefined; readonly mocks: JsonObject | undefined }
) => {
  const pinned = pinnedItems(workflow, start)
  const used = itemsIn(items ?? pinned ?? [{}]) ?? [{}]
  const withoutFiles = [
    ...(items === undefined && pinsFiles(workflow, start) ? [start] : []),
    ...Object.entries(mocks).flatMap(([name, value]) => (value === "pinned" && pinsFiles(workflow, name) ? [name] : []))
  ]
  return {
    items: used,
    description: {
      input: {
        at: start,
        items: used.length,
        ...(items === undefined && pinned !== undefined ? { pinned: true } : {})
      },
      ...(withoutFiles.length === 0 ? {} : { withoutFiles })
    }
  }
}

/** The end of the run, and the temporary copy if it could not be deleted. */
const shownOutcome = (
  { copy, execution, left }: Effect.Success<ReturnType<typeof runPart>>,
  part: Part,
  running: ReadonlyArray<JsonObject>,
  timeout: number
): JsonObject => ({
  ...(execution === undefined
    ? {
        status: "unknown",
        note:
          `The run did not end within ${timeout} s, and left no record: it may have been carried out in part.` +
          waitingAt(running)
      }
    : {
        ...runReport(execution, copy, part),
        ...(statusOf(execution) === "canceled"
          ? { note: `The run had not ended after ${timeout} s, and was stopped.${waitingAt(running)}` }
          : {})
      }),
  ...(left === undefined ? {} : { notice: left.message })
})

/** A run that a person decides about. */
interface RunToConfirm {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly items: GivenItems
  /** The temporary copy that is sent, except for the names that cannot be guessed. */
  readonly sent: TemporaryCopy
}

/** Asks the person at the client, if possible, whether nodes may act outside. */
const agreedToRun = Effect.fnUntraced(function* (
  { id, name }: Workflow,
  outside: ReadonlyArray<SideEffect>,
  { items, nodes, sent: { body, creation } }: RunToConfirm
) {
  const { host, instance } = yield* EngineClient
  const message = runQuestion(`Run workflow ${quotedName(name)} (${id}) on ${instance}?`, { items, nodes, outside })
  const covers = { id, instance, host, creation, body }
  yield* agreedTo({ message, subject: `The run of workflow ${id} acts outside`, covers })
})

/** A hint at nodes that wait: engines of generation 1 do not list runs that wait. */
const waitingAt = (nodes: ReadonlyArray<JsonObject>): string => {
  const waits = nodes.filter((node) => isEnabled(node) && kindOf(node) === "wait").map(nameOf)
  return waits.length === 0 ? "" : ` It may have waited at ${waits.join(", ")}: mock what waits.`
}

/** The workflow as it is saved, or as operations would make it. */
export const workflowWithOperations = Effect.fnUntraced(function* (
  id: WorkflowId,
  given: ReadonlyArray<JsonObject> | undefined
) {
  const operations = given === undefined ? [] : yield* readOperations(given)
  const workflow = yield* EngineClient.use((engine) => engine.getWorkflow(id))
  if (operations.length === 0) return workflow
  const { edited } = yield* editedBy(workflow, operations)
  return edited.workflow
})

const orRefuse = <A>(argument: string, result: Result.Result<A, string>) =>
  Effect.fromResult(Result.mapError(result, (problem) => new InvalidArgument({ argument, problem })))
