import { Data, Effect, Result } from "effect"

import { listed } from "../../../internal/foreignText.ts"
import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { edgesOf } from "../../workflow/wires.ts"
import { statusOf } from "../explain/describeExecution.ts"
import { failureOf, wordsOf } from "../explain/failure.ts"
import { jsonOf, type NodeRun, type RunData, runDataOf } from "../explain/runData.ts"
import { type Mock, mockable, type Mocks } from "../run/mocks.ts"
import { partOf, runningOf, unmockable } from "../run/Part.ts"
import { runPart } from "../run/runTemporaryCopy.ts"
import { sideEffectsOf } from "../run/sideEffects.ts"
import { recordedOutputOf } from "../tests/NodeOutput.ts"
import { mockOf, readWhole, withOriginalName } from "../tests/runTest.ts"
import type { RecordedRun } from "./recordedRuns.ts"

/** A recorded run cannot be repeated with a changed workflow, or not to its end. */
export class NotReplayed extends Data.TaggedError("NotReplayed")<{ readonly message: string }> {}

/** A changed workflow, in which recorded outputs stand in for some nodes. */
export interface Replay {
  readonly workflow: Workflow
  /** The node that the recorded items of the trigger go to: the trigger, whatever it is called now. */
  readonly start: string
  /** Whether the recorded output of a node stands in for it. */
  readonly isMocked: (node: JsonObject) => boolean
  /** The items that it begins with, in place of the recorded ones. */
  readonly items?: ReadonlyArray<JsonObject> | undefined
  /** Nodes that were called once for all items and are now called for each. */
  readonly calledForEach?: ReadonlySet<string>
  /** The part of a recorded value that is handed over; the whole where this is left out. */
  readonly clean?: (value: JsonObject) => JsonObject
}

/** Seconds that a repeated run may take. */
const seconds = 30

/** Repeats a recorded run with a changed workflow, in a temporary copy; nothing in it acts outside. */
export const replay = Effect.fnUntraced(function* (
  { data, execution, start: recordedStart }: RecordedRun,
  { calledForEach = new Set(), clean = (value) => value, isMocked, items: otherItems, start, workflow }: Replay
): Effect.fn.Return<RunData, NotReplayed, EngineClient> {
  const parts = new Set(edgesOf(workflow.connections).flatMap(({ source, type }) => (type === "main" ? [] : [source])))
  const mocked = workflow.nodes
    .filter((node) => nameOf(node) !== start && isMocked(node) && !parts.has(nameOf(node)))
    .map(nameOf)
    .filter((name) => Result.isSuccess(mockable(workflow, name)))
  const mocks: Mocks = new Map(
    mocked.map((name): readonly [string, Mock] => [
      name,
      calledForEach.has(name) ? forEach(data, name) : mockOf(recordedOutputOf(data, name))
    ])
  )
  const problem = unmockable(workflow, mocks)
  if (problem !== undefined) return yield* new NotReplayed({ message: problem })
  const part = partOf(workflow, mocks, { from: start })
  if (Result.isFailure(part)) return yield* new NotReplayed({ message: part.failure.problem })
  const outside = sideEffectsOf(runningOf(part.success, mocks), yield* parser).map(({ node }) => node)
  if (outside.length > 0) {
    return yield* new NotReplayed({ message: `${listed(outside, 3)} would act outside` })
  }
  const given = new Set([recordedStart, ...part.success.nodes.map(nameOf).filter((name) => mocks.has(name))])
  const withFiles = data.runs.find(({ node, outputs }) => given.has(node) && outputs.flat().some(hasFiles))
  if (withFiles !== undefined) {
    return yield* new NotReplayed({
      message: `${withFiles.node} gives out files, which cannot be handed over to a run`
    })
  }
  const recorded = data.runs.find(({ node }) => node === recordedStart)?.outputs[0] ?? []
  const options = { items: (otherItems ?? recorded.map(jsonOf)).map(clean), mocks: cleaned(mocks, clean), seconds }
  const {
    copy,
    execution: ended,
    left
  } = yield* Effect.mapError(
    runPart(workflow, part.success, options, readWhole),
    ({ message }) => new NotReplayed({ message })
  )
  if (left !== undefined) return yield* new NotReplayed({ message: left.message })
  if (ended === undefined) return yield* new NotReplayed({ message: `it had not ended after ${seconds} s` })
  const original = { id: String(execution.workflowId), name: String(objectOf(execution.workflowData).name) }
  const after = runDataOf(withOriginalName(ended, copy.creation.name, original))
  if (after === undefined) return yield* new NotReplayed({ message: "the engine keeps no data of the run" })
  if (statusOf(ended) === "success") return after
  const failure = failureOf(after)
  const words = failure === undefined ? statusOf(ended) : String(wordsOf(failure.error, 200).message)
  return yield* new NotReplayed({ message: `${failure?.at?.node ?? "the run"} failed: ${words}` })
})

export const hasFiles = (item: unknown): boolean => Object.keys(objectOf(objectOf(item).binary)).length > 0

const cleaned = (mocks: Mocks, clean: (value: JsonObject) => JsonObject): Mocks =>
  new Map(
    [...mocks].map(([name, mock]) => [
      name,
      { ...mock, runs: mock.runs.map((outputs) => outputs.map((items) => items.map(clean))) }
    ])
  )

/** The items of each input item as a run of its own. */
const forEach = ({ runs }: RunData, name: string): Mock => {
  const items = runs.filter(({ node }) => node === name).flatMap(({ outputs }) => outputs.flat())
  const sources = items.map((item) => pairsOf(item)[0]?.item ?? 0)
  const count = Math.max(-1, ...sources) + 1
  return {
    runs: Array.from({ length: count }, (_, source) => [
      items.filter((_item, place) => sources[place] === source).map(jsonOf)
    ]),
    repeats: false
  }
}

interface Pair {
  readonly item: number
  readonly input: number
}

/** The input items that an item comes from. */
export const pairsOf = (item: unknown): ReadonlyArray<Pair> => {
  const { pairedItem } = objectOf(item)
  const all: ReadonlyArray<unknown> = Array.isArray(pairedItem)
    ? pairedItem
    : pairedItem === undefined
      ? []
      : [pairedItem]
  return all.map((one) => {
    const { input = 0, item: index = one } = objectOf(one)
    return { item: Number(index), input: Number(input) }
  })
}

/** The runs of a node, in their order. */
export const runsOfNode = ({ runs }: RunData, name: string): ReadonlyArray<NodeRun> =>
  runs.filter(({ node }) => node === name)
