import { Effect, Option, Predicate, Result, Schema } from "effect"

import { quotedName } from "../../../internal/foreignText.ts"
import { JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { agreedTo } from "../../../mcp/agreement.ts"
import { runs } from "../../../mcp/annotations.ts"
import { callSeconds, Progress } from "../../../mcp/callContext.ts"
import { shownNumber } from "../../../mcp/parameters.ts"
import { BriefAnswers } from "../../../mcp/selection.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { within } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { flag, optional, refuseUnknownNodes, workflowId } from "../../tools/parameters.ts"
import { nameOf, type Workflow, WorkflowId } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { errorWorkflowOf, subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { operationsArgument, workflowWithOperations } from "../edit/edited.ts"
import { statusOf } from "../explain/describeExecution.ts"
import { holdsFiles, itemsIn, mocksOf, noFiles, pinnedItems, pinsFiles } from "./mocks.ts"
import { type Part, partOf, runningOf, unmockable } from "./Part.ts"
import { type Reported, runReport } from "./runReport.ts"
import { runPart } from "./runTemporaryCopy.ts"
import { onlyAsks, runQuestion, type SideEffect, sideEffectsOf } from "./sideEffects.ts"
import { type TemporaryCopy, temporaryCopyOf } from "./temporaryCopy.ts"

/** Longest time of a run, in seconds. */
const longestRun = 300

/** Seconds for what is before and after a run, and between two reports of how long it has taken. */
const aroundRun = 15
const reportInterval = 5

/** Gives a run its time, which may be more than that of other calls, and reports that it goes on: clients wait for longer then. */
const whileTelling = <A, E, R>(seconds: number, run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const report = yield* Progress
    let elapsed = 0
    const telling = Effect.forever(
      Effect.delay(
        Effect.suspend(() => {
          elapsed += reportInterval
          return report({ progress: Math.min(elapsed, seconds), total: seconds, message: `running for ${elapsed} s` })
        }),
        `${reportInterval} seconds`
      )
    )
    const whole = seconds + aroundRun > callSeconds ? within(`${seconds + aroundRun} seconds`)(run) : run
    return yield* Effect.raceFirst(whole, telling)
  })

const nodeName = (description: string) => Schema.String.annotate({ description })

export const runWorkflow = EngineTool.make("run_workflow", {
  title: "Run workflow",
  description:
    "Run a workflow once, active or not, saved or with operations, as a temporary copy. Answers errors, the response and items " +
    "of nodes",
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
    mocks: optional(
      JsonObject.annotate({ description: 'Nodes not to run: {"<node>": [items], "pinned" or {"error": "text"}}' })
    ),
    operations: optional(
      operationsArgument.annotate({
        inputSchema: { type: "array", items: { type: "object" }, description: "As in edit_workflow, not saved" }
      })
    ),
    from: optional(nodeName("Node that gets the items")),
    to: optional(nodeName("Last node")),
    timeout: optional(
      Schema.Int.check(
        Schema.isBetween({ minimum: 1, maximum: longestRun }, { message: `must be between 1 and ${longestRun}` })
      ).annotate(shownNumber(`Seconds, at most ${longestRun}; default 30`))
    ),
    dry_run: optional(flag("Only list what acts outside")),
    confirm: optional(
      Schema.Union([Schema.Boolean, Schema.String, Schema.Array(Schema.String)]).annotate({
        inputSchema: { type: "array", items: { type: "string" }, description: "Nodes that may act outside" }
      })
    )
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
    const isBrief = yield* BriefAnswers
    const { input: started, ...withoutFiles } = input.description
    const isStartShort = isBrief && !("pinned" in started)
    const head = { id, name: workflow.name, ...(isStartShort ? {} : { input: started }), ...withoutFiles }
    const running = runningOf(part, mocked)
    const outside = yield* actingOutside(running)
    const confirmed = yield* confirmedNodes(confirm, workflow)
    const open = outside.filter(({ node }) => !confirmed.has(node))
    if (dry_run || open.length > 0) {
      return {
        ...head,
        ran: false,
        ...guidanceFor(dry_run ? outside : open, running, dry_run),
        ...(isBrief && !dry_run ? {} : { nodes: part.nodes.map(nameOf) })
      }
    }

    const options = { items: input.items, mocks: mocked, to, seconds: timeout, previews: true }
    if (outside.length > 0) {
      const sent = temporaryCopyOf(workflow, part, { ...options, name: "", path: "", secret: { text: "", digest: "" } })
      yield* agreedToRun(workflow, outside, { nodes: running, items: input.items, sent })
    }
    const outcome = yield* whileTelling(timeout, runPart(workflow, part, options))
    const form = { isBrief, isStartShort }
    return { ...head, ...(isBrief ? {} : { ran: true }), ...shownOutcome(outcome, { form, part, running, timeout }) }
  })
})

type GivenItems = ReadonlyArray<JsonObject>

/** The nodes that act outside, but for those that only call workflows in which nothing does. */
const actingOutside = Effect.fnUntraced(function* (nodes: ReadonlyArray<JsonObject>) {
  const outside = sideEffectsOf(nodes, yield* parser)
  const acting = new Set(outside.map(({ node }) => node))
  const harmless = yield* Effect.filter(
    nodes.filter((node) => acting.has(nameOf(node))),
    (node) => callsHarmlessly(node, [])
  )
  const names = new Set(harmless.map(nameOf))
  return outside.filter(({ node }) => !names.has(node))
})

/** Levels of workflows that call each other, and calls of one, that are looked through. */
const mostLevels = 3
const mostCalls = 10

/** Whether a node calls a workflow that can be read, and in which no node acts outside. */
const callsHarmlessly = Effect.fnUntraced(function* (
  node: JsonObject,
  above: ReadonlyArray<string>
): Effect.fn.Return<boolean, never, EngineClient> {
  const id = Option.getOrUndefined(asId(subWorkflowOf(node)?.id))
  if (id === undefined || above.includes(id) || above.length >= mostLevels) return false
  const read = yield* Effect.option(EngineClient.use((engine) => engine.getWorkflow(id)))
  if (Option.isNone(read) || errorWorkflowOf(read.value) !== undefined) return false
  // The engine runs the version that is active.
  const nodes = [read.value, objectOf(read.value.activeVersion)].flatMap(nodesOf).filter((one) => !isTrigger(one))
  const parse = yield* parser
  const acting = nodes.filter((one) => sideEffectsOf([one], parse).length > 0)
  if (acting.length > mostCalls) return false
  const harmless = yield* Effect.forEach(acting, (one) => callsHarmlessly(one, [...above, id]))
  return harmless.every(Boolean)
})

const asId = Schema.decodeUnknownOption(WorkflowId)

/** The nodes that may act outside, as far as the caller says. */
const confirmedNodes = Effect.fnUntraced(function* (
  given: boolean | string | ReadonlyArray<string>,
  { id, nodes }: Workflow
) {
  const all = nodes.map(nameOf)
  if (given === true || given === "true") return new Set(all)
  const names = Array.isArray(given) ? given : Predicate.isString(given) && given !== "false" ? [given] : []
  yield* refuseUnknownNodes(`workflow ${id}`, names, all, "confirm")
  return new Set(names)
})

/** The ways to deal with nodes that act outside; those that only ask for something there stand apart. */
const guidanceFor = (acting: ReadonlyArray<SideEffect>, running: ReadonlyArray<JsonObject>, isDry: boolean) => {
  const asking = new Set(running.filter(onlyAsks).map(nameOf))
  const [outside, reads] = [
    acting.filter(({ node }) => !asking.has(node)),
    acting.filter(({ node }) => asking.has(node))
  ]
  const names = JSON.stringify(acting.map(({ node }) => node))
  return {
    guidance: isDry
      ? "Dry run: nothing was sent."
      : `Nothing ran: these nodes really act outside. Mock them, end before them with to, or name those that may in confirm: ${names}`,
    outside,
    ...(reads.length === 0 ? {} : { reads })
  }
}

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
  { copy, execution, left, response }: Effect.Success<ReturnType<typeof runPart>>,
  {
    running,
    timeout,
    ...reported
  }: Omit<Reported, "copy"> & { readonly running: ReadonlyArray<JsonObject>; readonly timeout: number }
): JsonObject => ({
  ...(execution === undefined
    ? {
        status: "unknown",
        note:
          `The run did not end within ${timeout} s, and left no record: it may have been carried out in part.` +
          waitingAt(running)
      }
    : {
        ...runReport(execution, response, { copy, ...reported }),
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

const orRefuse = <A>(argument: string, result: Result.Result<A, string>) =>
  Effect.fromResult(Result.mapError(result, (problem) => new InvalidArgument({ argument, problem })))
