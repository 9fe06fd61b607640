import { Data, Effect, Result } from "effect"

import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { edgesOf } from "../../workflow/wires.ts"
import { failureOf, wordsOf } from "../explain/failure.ts"
import { jsonOf, type RunData, textIn } from "../explain/runData.ts"
import { mockable } from "../run/mocks.ts"
import { type NodeOutput, recordedOutputOf } from "../tests/NodeOutput.ts"
import { runForTest } from "../tests/runTest.ts"
import type { TestFile } from "../tests/TestFile.ts"
import { givingFiles, type RecordedRun } from "../tests/testFromExecution.ts"

/** A recorded run that a changed workflow repeats. */
export interface Replay {
  readonly run: RecordedRun
  readonly workflow: Workflow
  /** The node that the recorded items of the trigger go to: the trigger, whatever it is called now. */
  readonly start: string
  /** Whether a node does not run, and gives what it gave in the record. */
  readonly isMocked: (node: JsonObject) => boolean
  /** The output of a mocked node, where it is not the recorded one. */
  readonly outputOf?: (name: string) => NodeOutput
  /** The items that it begins with, in place of the recorded ones. */
  readonly items?: ReadonlyArray<JsonObject> | undefined
}

/** Seconds that a repeated run may take. */
const seconds = 20

/** The test that repeats a recorded run with a changed workflow, and the nodes whose files it cannot hand over. */
export const replayTest = ({ isMocked, items, outputOf, run, start, workflow }: Replay) => {
  const { data, execution, start: recordedStart } = run
  const parts = new Set(edgesOf(workflow.connections).flatMap(({ source, type }) => (type === "main" ? [] : [source])))
  const mocked = workflow.nodes
    .filter((node) => nameOf(node) !== start && isMocked(node) && !parts.has(nameOf(node)))
    .map(nameOf)
    .filter((name) => Result.isSuccess(mockable(workflow, name)))
  const output = outputOf ?? ((name: string) => recordedOutputOf(data, name))
  const recorded = data.runs.find(({ node }) => node === recordedStart)?.outputs[0] ?? []
  const name = textIn(objectOf(execution.workflowData).name) ?? workflow.name
  const test: TestFile = {
    testFormat: 1,
    name,
    workflow: { id: String(execution.workflowId), name },
    trigger: { node: start, items: items ?? recorded.map(jsonOf) },
    mocks: Object.fromEntries(mocked.map((one) => [one, output(one)])),
    expect: {},
    ignore: [],
    status: "success",
    allow: [],
    timeout: seconds
  }
  return { test, files: givingFiles(data, [recordedStart, ...mocked]) }
}

/** A recorded run cannot be repeated with a changed workflow, or not to its success. */
export class NotReplayed extends Data.TaggedError("NotReplayed")<{
  readonly message: string
  /** Whether it ran, and ended otherwise. */
  readonly hasEnded?: boolean
  /** The node that failed then, and how. */
  readonly node?: string | undefined
  readonly error?: string
}> {}

/** Repeats a recorded success with a changed workflow, in a temporary copy in which nothing acts outside, up to its success. */
export const replay = Effect.fnUntraced(function* (
  given: Replay
): Effect.fn.Return<RunData, NotReplayed, EngineClient> {
  const { files, test } = replayTest(given)
  if (files.length > 0) {
    return yield* new NotReplayed({
      message: `${files.join(", ")} gives out files, which cannot be handed over to a run`
    })
  }
  const ran = yield* runForTest(test, given.workflow)
  if (ran._tag === "NotRun") return yield* new NotReplayed({ message: ran.what })
  if (ran.notice !== undefined) return yield* new NotReplayed({ message: ran.notice })
  if (ran.status === "success") return ran.data
  const failure = failureOf(ran.data)
  const node = failure?.at?.node
  const error = failure === undefined ? ran.status : String(wordsOf(failure.error, 200).message)
  return yield* new NotReplayed({ message: `${node ?? "the run"} failed: ${error}`, hasEnded: true, node, error })
})
