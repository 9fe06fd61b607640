import { Clock, Effect, Result, Schema } from "effect"

import { listed } from "../../../internal/foreignText.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { isMissing } from "../../client/isMissing.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import type { Parse } from "../../nodes/check/javaScript.ts"
import { workflowsNamed } from "../../tools/references.ts"
import { type Execution, type ExecutionId, nameOf, type Workflow, WorkflowId } from "../../workflow/models.ts"
import { mapTexts } from "../../workflow/valuePaths.ts"
import { statusOf } from "../explain/describeExecution.ts"
import { type RunData, runDataOf } from "../explain/runData.ts"
import { type Mock, mockable, type Mocks } from "../run/mocks.ts"
import { type Part, partOf, runningOf, unmockable } from "../run/Part.ts"
import { runPart } from "../run/runTemporaryCopy.ts"
import { sideEffectsOf } from "../run/sideEffects.ts"
import type { TemporaryCopy } from "../run/temporaryCopy.ts"
import { checkExpectations, type Problem } from "./checkExpectations.ts"
import { isForEveryRun, type NodeOutput, runsOf, sourceItemsOf } from "./NodeOutput.ts"
import type { TestFile } from "./TestFile.ts"

/** The outcome of a test, and why. */
export interface Verdict {
  /** `refused`: it must not or cannot run on this workflow. `error`: the engine did not let it run to its end. */
  readonly outcome: "error" | "failed" | "passed" | "refused"
  readonly workflow: { readonly id?: string; readonly name: string }
  readonly seconds: number
  /** Deviations from the expectations, in the order of the run. */
  readonly problems: ReadonlyArray<Problem>
  /** A temporary copy that could not be deleted. */
  readonly notice?: string
}

/** A test's workflow does not exist, or several have its name. */
export class NoWorkflow extends Schema.TaggedError<NoWorkflow>()("NoWorkflow", { message: Schema.String }) {}

const asId = Schema.decodeUnknownResult(WorkflowId)

/** Finds a test's workflow by its id or, as on another instance, by its name. */
export const workflowOf = Effect.fnUntraced(function* ({ workflow: { id, name } }: Pick<TestFile, "workflow">) {
  const engine = yield* EngineClient
  const read = asId(id)
  if (Result.isSuccess(read)) {
    const workflow = yield* Effect.result(engine.getWorkflow(read.success))
    if (Result.isSuccess(workflow)) return workflow.success
    const { failure } = workflow
    if (!isMissing(failure)) return yield* failure
  }
  const meant = name === undefined ? `of id ${id ?? ""}` : `called "${name}"`
  const [only, ...others] = name === undefined ? [] : yield* workflowsNamed(name)
  if (only === undefined)
    return yield* new NoWorkflow({ message: `there is no workflow ${meant} on ${engine.instance}` })
  if (others.length > 0) {
    const ids = [only, ...others].map((one) => one.id).join(", ")
    return yield* new NoWorkflow({
      message: `several workflows are ${meant} on ${engine.instance}: ${ids}. Name one by its id`
    })
  }
  return yield* engine.getWorkflow(WorkflowId.make(only.id))
})

/** The run of a test's part of a workflow, whatever came of it. */
export type TestRun =
  | {
      readonly _tag: "Ran"
      readonly data: RunData
      readonly status: string
      readonly copy: TemporaryCopy
      readonly notice: string | undefined
    }
  | {
      readonly _tag: "NotRun"
      readonly outcome: "error" | "refused"
      readonly what: string
      readonly notice?: string | undefined
    }

/** Runs a test's part of a workflow through a temporary copy. */
export const runForTest = Effect.fnUntraced(function* (
  test: TestFile,
  workflow: Workflow
): Effect.fn.Return<TestRun, never, EngineClient> {
  const prepared = prepareTest(workflow, test, yield* parser)
  if (Result.isFailure(prepared)) return { _tag: "NotRun", outcome: "refused", what: prepared.failure }
  const { mocks, part } = prepared.success
  const making = { items: test.trigger.items, mocks, seconds: test.timeout }
  const ran = yield* Effect.result(runPart(workflow, part, making, readWhole))
  if (Result.isFailure(ran)) return { _tag: "NotRun", outcome: "error", what: ran.failure.message }
  const { execution, left, copy } = ran.success
  const notice = left?.message
  if (execution === undefined) {
    const what = `the run did not end within ${test.timeout} s, and left no record`
    return { _tag: "NotRun", outcome: "error", what, notice }
  }
  const data = runDataOf(
    withOriginalName(execution, copy.creation.name, { id: workflow.id, name: workflow.name, ...test.workflow })
  )
  if (data === undefined) {
    const what = "the engine keeps no data of the run, or it is too large to be read"
    return { _tag: "NotRun", outcome: "error", what, notice }
  }
  return { _tag: "Ran", data, status: statusOf(execution), copy, notice }
})

/** Runs a test on a workflow through a temporary copy, and compares the outcome with what is expected. */
export const runTest = Effect.fnUntraced(function* (test: TestFile, workflow: Workflow) {
  const began = yield* Clock.currentTimeMillis
  const run = yield* runForTest(test, workflow)
  const problems: ReadonlyArray<Problem> = run._tag === "NotRun" ? [{ what: run.what }] : checkExpectations(test, run)
  const outcome = run._tag === "NotRun" ? run.outcome : problems.length === 0 ? "passed" : "failed"
  const { id, name } = workflow
  return {
    outcome,
    workflow: { id, name },
    seconds: ((yield* Clock.currentTimeMillis) - began) / 1000,
    problems,
    ...(run.notice === undefined ? {} : { notice: run.notice })
  } satisfies Verdict
})

/** Reads an execution with all of its items. */
export const readWhole = (id: ExecutionId) => EngineClient.use((engine) => engine.getExecution(id, true))

/** The execution as the workflow itself would have left it: the name and id of the copy become those of the original. */
const withOriginalName = (
  execution: Execution,
  copy: string,
  { id, name }: { readonly id: string; readonly name: string }
): JsonObject => {
  const copyId = String(execution.workflowId)
  const data = mapTexts(execution.data, (text) => text.replaceAll(copy, () => name).replaceAll(copyId, () => id))
  return { ...execution, data }
}

/** A test that may run: its part of the workflow, and its mocks. */
interface PreparedTest {
  readonly part: Part
  readonly mocks: Mocks
}

/** Checks a test against the workflow that it is to run on; the failure says why it cannot or must not run. */
const prepareTest = (workflow: Workflow, { allow, expect, failsAt, mocks: given, trigger }: TestFile, parse: Parse) =>
  Result.gen(function* () {
    const names = workflow.nodes.map(nameOf)
    const stranger = [
      trigger.node,
      ...Object.keys(given),
      ...Object.keys(expect),
      failsAt ?? trigger.node,
      ...allow
    ].find((name) => !names.includes(name))
    if (stranger !== undefined) return yield* Result.fail(gone(stranger, names))
    const mocks: Mocks = new Map(Object.entries(given).map(([name, one]) => [name, mockOf(one)]))
    for (const name of mocks.keys()) yield* mockable(workflow, name)
    const unfit = unmockable(workflow, mocks)
    if (unfit !== undefined) return yield* Result.fail(unfit)
    const part = yield* Result.mapError(partOf(workflow, mocks, { from: trigger.node }), ({ problem }) => problem)
    const outside = sideEffectsOf(runningOf(part, mocks), parse).filter(({ node }) => !allow.includes(node))
    if (outside.length > 0) return yield* Result.fail(reaching(outside))
    return { mocks, part } satisfies PreparedTest
  })

/** A mock that gives out what a node gave out. */
const mockOf = (given: NodeOutput): Mock => {
  const from = sourceItemsOf(given)
  return {
    runs: runsOf(given),
    repeats: isForEveryRun(given),
    ...(from.some((one) => one !== undefined) ? { from } : {})
  }
}

const gone = (name: string, names: ReadonlyArray<string>): string => {
  const guess = nearest(name, names)
  return `the workflow has no node ${name}${guess === undefined ? "" : `: is it ${guess} now?`}`
}

const reaching = (outside: ReturnType<typeof sideEffectsOf>): string => {
  const nodeTexts = outside.map(
    ({ does, node, type, why }) => `${node} (${[type, does, why].filter(Boolean).join(": ")})`
  )
  return (
    `${listed(nodeTexts, 5)} would really act outside. ` +
    "Give what it gives out under mocks, or, if a person wants that, name it under allow"
  )
}
