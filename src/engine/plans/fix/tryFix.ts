import { Duration, Effect, Result } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { gatheringSeconds } from "../../../mcp/callContext.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { within } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { executionNotFound, isMissing } from "../../client/isMissing.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { editedBy, readOperations } from "../../operator/edit/edited.ts"
import { firstLacking } from "../../operator/explain/inputFields.ts"
import { lastFailed } from "../../operator/explain/relatedRuns.ts"
import { byNode, type RunData, runDataOf } from "../../operator/explain/runData.ts"
import { failedRunOf, failedRuns, type FailedRun } from "../../operator/explain/subRuns.ts"
import { itemsOf } from "../../operator/tests/NodeOutput.ts"
import { runForTest, workflowOf } from "../../operator/tests/runTest.ts"
import { shapeOf } from "../../operator/tests/shape.ts"
import { fileName, printTest, type TestFile } from "../../operator/tests/TestFile.ts"
import { TestFolder } from "../../operator/tests/TestFolder.ts"
import { keptTest } from "../../operator/tests/testFromExecution.ts"
import { type Execution, type ExecutionId, type Workflow, WorkflowId } from "../../workflow/models.ts"
import { WorkflowPlans } from "../Plans.ts"
import { provenCallers } from "./callers.ts"
import { draftFix } from "./draftFix.ts"
import { changedNodes, type FixedRun, givenNow, judgeRun, limitsOf, type Verdict } from "./judgeRun.ts"
import { failedRunTest } from "./proofTests.ts"
import { compare, runSeconds, type Successes, successesOf } from "./successes.ts"

/** The arguments of `try_fix`. */
export interface FixRequest {
  readonly instance?: string | undefined
  readonly execution?: ExecutionId | undefined
  /** Id or name. */
  readonly workflow?: string | undefined
  readonly operations: ReadonlyArray<JsonObject>
  /** Successes to compare with at most. */
  readonly against?: number | undefined
  readonly keep_test?: boolean | undefined
}

/** Tries a fix on a failed run and on successes, through temporary copies, and plans it. */
export const tryFix = Effect.fn("tryFix")(function* (request: FixRequest) {
  const client = yield* (yield* Instances).resolve(request.instance)
  const { instance } = client
  if (client.isReadOnly) {
    const reason = "A fix is tried by temporary copies, which are made there and deleted. explain_execution works."
    return yield* new ReadOnlyInstance({ instance, operation: "try_fix", reason })
  }
  return yield* tried(request).pipe(
    within(Duration.seconds(gatheringSeconds)),
    Effect.provideService(EngineClient, client)
  )
})

const tried = Effect.fnUntraced(function* (request: FixRequest) {
  const { against = 10, keep_test = false, operations: given } = request
  const engine = yield* EngineClient
  const { instance } = engine
  const operations = yield* readOperations(given)
  const top = yield* failedExecution(request)
  const chain = yield* failedChain(top)
  const failed = chain.at(-1)
  const execution = failed === undefined ? top : chain.length === 1 ? top : yield* wholeRun(failed.execution.id)
  const workflow = yield* workflowOfRun(execution)
  const { edited } = yield* editedBy(workflow, operations)
  const fixed = edited.workflow
  const draft = yield* Effect.fromResult(
    Result.mapError(
      draftFix({ instance, workflow, edited }),
      (problem) => new InvalidArgument({ argument: "operations", problem })
    )
  )
  const changed = changedNodes(workflow, fixed)

  const successes = yield* successesOf(execution, workflow, against)
  const run = yield* fixedRun({ instance, fixed, execution, workflow, changed, successes })
  const verdict: Verdict = run.verdict
  const callers =
    verdict.outcome === "passes" && run.after !== undefined
      ? yield* provenCallers(instance, chain.slice(0, -1), run.after)
      : []
  const broken = callers.find(({ isBroken }) => isBroken)
  const outcome: Verdict = broken === undefined ? verdict : { outcome: "still fails", why: broken.text }
  const compared =
    outcome.outcome === "still fails"
      ? undefined
      : yield* compare({ instance, fixed, changed, successes: successes.runs })
  const notProven = [
    ...run.notes,
    ...callers.filter(({ isBroken }) => !isBroken).map(({ text }) => text),
    ...(compared?.notes ?? []),
    ...successes.notes
  ]
  const said = {
    execution: execution.id,
    workflow: { id: workflow.id, name: clipped(workflow.name, 80) },
    failed_run: outcome.outcome === "passes" ? "passes" : `${outcome.outcome}: ${outcome.why}`,
    ...(run.given === undefined ? {} : { gives_now: run.given }),
    ...(compared === undefined ? {} : { successes: compared.text }),
    ...(compared?.first === undefined ? {} : { first_difference: clipped(compared.first, 400) }),
    ...(notProven.length === 0 ? {} : { not_proven: shortened(notProven) })
  }
  if (compared === undefined) {
    return { ...said, next: "Nothing was planned: change the operations and try again." }
  }
  const proof = `tried on execution ${execution.id}, which ${outcome.outcome === "passes" ? "passes" : `is ${outcome.outcome}`}; successes: ${compared.text}`
  const test =
    keep_test && outcome.outcome === "passes" && run.test !== undefined && run.after !== undefined
      ? yield* keepTest({ test: run.test, after: run.after, helpers: run.helpers ?? new Set(), execution })
      : undefined
  const plans = yield* WorkflowPlans
  const plan = yield* plans.keep({
    ...draft,
    steps: draft.steps.map((step) => ({ ...step, reason: proof })),
    warnings: [
      ...draft.warnings,
      ...(outcome.outcome === "passes" ? [] : [`The failed run is ${outcome.outcome}: ${outcome.why}`]),
      ...(compared.first === undefined ? [] : [`A success differs: ${compared.first}`]),
      ...notProven
    ],
    premise: said
  })
  return {
    ...said,
    ...(test === undefined ? {} : { test }),
    plan_id: plan.id,
    blocked: plan.blocked.slice(0, 3),
    next: `Nothing was changed yet. Show this to a person; when they agree, call apply_plan with plan_id ${plan.id} and confirm true.`
  }
})

/** Lines of an answer, and characters of each. */
const mostLines = 6
const longestLine = 220

const shortened = (lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...lines.slice(0, mostLines).map((line) => clipped(line, longestLine)),
  ...(lines.length > mostLines ? [`and ${lines.length - mostLines} more, which show_plan names`] : [])
]

/** Every item of a run counts. */
const wholeRun = (id: ExecutionId) =>
  EngineClient.use((engine) =>
    engine.getExecution(id, true).pipe(
      Effect.catchIf(
        (error) => error._tag === "NetworkError" && error.problem.includes("larger than"),
        () => Effect.map(engine.getExecution(id, false), (execution): Execution => ({ ...execution, isTooLarge: true }))
      ),
      Effect.mapError(executionNotFound(id))
    )
  )

const failedExecution = Effect.fnUntraced(function* ({ execution: id, workflow: reference }: FixRequest) {
  if (id !== undefined) return yield* wholeRun(id)
  if (reference === undefined) {
    return yield* new InvalidArgument({ argument: "execution", problem: "is needed, or workflow: its last failed run" })
  }
  const { id: workflow, name } = yield* workflowOf({ workflow: { id: reference, name: reference } }).pipe(
    Effect.catchTag("NoWorkflow", ({ message }) =>
      Effect.fail(new InvalidArgument({ argument: "workflow", problem: message }))
    )
  )
  const last = yield* lastFailed(workflow)
  if (last === undefined) {
    return yield* new InvalidArgument({ argument: "workflow", problem: `${name} has no failed run on record` })
  }
  return yield* wholeRun(last.id)
})

/** The failed runs from the one that was asked for to the one in which the failure arose; none where the record holds no failure. */
const failedChain = (top: Execution): Effect.Effect<ReadonlyArray<FailedRun>, never, EngineClient> => {
  const failed = failedRunOf(top)
  return failed === undefined ? Effect.succeed([]) : failedRuns(failed)
}

const workflowOfRun = Effect.fnUntraced(function* ({ id, workflowId }: Execution) {
  const engine = yield* EngineClient
  return yield* engine.getWorkflow(WorkflowId.make(String(workflowId))).pipe(
    Effect.catchIf(isMissing, () =>
      Effect.fail(
        new InvalidArgument({
          argument: "execution",
          problem: `${id} ran workflow ${String(workflowId)}, which ${engine.instance} no longer has: restore_workflow can bring it back`
        })
      )
    )
  )
})

interface Trial {
  readonly instance: string
  readonly fixed: Workflow
  readonly execution: Execution
  readonly workflow: Workflow
  readonly changed: ReadonlySet<string>
  readonly successes: Successes
}

interface Tried {
  readonly verdict: Verdict
  readonly notes: ReadonlyArray<string>
  readonly given?: string | undefined
  readonly test?: TestFile
  readonly after?: FixedRun["after"]
  /** Names of the nodes that only the temporary copy had. */
  readonly helpers?: ReadonlySet<string>
}

const unproven = (why: string, notes: ReadonlyArray<string> = []): Tried => ({
  verdict: { outcome: "not proven", why },
  notes
})

/** Runs the failed run again with the fix, and judges it. */
const fixedRun = Effect.fnUntraced(function* (trial: Trial): Effect.fn.Return<Tried, never, EngineClient> {
  const { changed, execution, fixed, successes, workflow } = trial
  if (execution.isTooLarge === true) {
    return unproven(`the data of execution ${execution.id} is too large to be read: only successes can be compared`)
  }
  const failed = failedRunOf(execution)
  if (failed === undefined) {
    const why =
      runDataOf(execution) === undefined
        ? `the engine returns no data of execution ${execution.id}: only successes can be compared`
        : `execution ${execution.id} has no failed node on record (state ${String(execution.status)})`
    return unproven(why)
  }
  const test = failedRunTest({ ...trial, parse: yield* parser }, successes.runs[0])
  if (Result.isFailure(test)) return unproven(test.failure)
  const ran = yield* runForTest({ ...test.success.test, timeout: runSeconds }, fixed)
  const { mocked, notes } = test.success
  if (ran._tag === "NotRun") return unproven(ran.what, [...notes, ...noticeOf(ran.notice)])
  const run: FixedRun = {
    failure: failed.failure,
    before: failed.data,
    fixed,
    changed,
    mocked,
    after: ran.data,
    status: ran.status,
    successes: successes.runs.flatMap((one) => runDataOf(one) ?? [])
  }
  const { input, item } = failed.failure
  const index =
    item ?? firstLacking({ data: failed.data, input }, failed.references) ?? (input.length === 1 ? 0 : undefined)
  return {
    verdict: judgeRun(run),
    notes: [...limitsOf(run, workflow), ...notes, ...noticeOf(ran.notice)],
    given: index === undefined ? undefined : givenNow(run, index),
    test: test.success.test,
    after: run.after,
    helpers: ran.copy.helpers
  }
})

const noticeOf = (notice: string | undefined): ReadonlyArray<string> => (notice === undefined ? [] : [notice])

/** A failed run that passes with a fix. */
interface Passed {
  readonly test: TestFile
  readonly after: RunData
  /** Names of the nodes that only the temporary copy had. */
  readonly helpers: ReadonlySet<string>
  readonly execution: Execution
}

/** Keeps a failed run that passes now as a recorded test: every node that ran gives as many items, of the same shape. */
const keepTest = Effect.fnUntraced(function* ({ after, execution, helpers, test }: Passed) {
  const others = new Set([...helpers, ...Object.keys(test.mocks), test.trigger.node])
  const expect = [...byNode(after)]
    .filter(([node]) => !others.has(node))
    .map(([node, runs]) => {
      const items = runs.flatMap((one) => itemsOf(one).flat())
      return [node, { shape: shapeOf(items), items: items.length }] as const
    })
  const name = `${test.workflow.name ?? "Workflow"} (failed run ${execution.id})`
  const files = yield* TestFolder
  if (files?.write === undefined) return notKept("there is no folder of tests that may be written to")
  const kept = keptTest({ ...test, name, expect: Object.fromEntries(expect) })
  if (Result.isFailure(kept)) return notKept(kept.failure)
  const written = yield* Effect.result(files.write(fileName(name), printTest(kept.success.test), { overwrite: false }))
  return Result.isFailure(written) ? notKept(written.failure.message) : { file: written.success }
})

const notKept = (why: string) => ({ guidance: `No test was kept: ${why}` })
