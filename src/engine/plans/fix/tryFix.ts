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
import { editedBy, readOperations } from "../../operator/edit/edited.ts"
import { lastFailed } from "../../operator/explain/relatedRuns.ts"
import { byNode } from "../../operator/explain/runData.ts"
import { failedRunOf, failedRuns, type FailedRun } from "../../operator/explain/subRuns.ts"
import { itemsOf } from "../../operator/tests/NodeOutput.ts"
import { workflowOf } from "../../operator/tests/runTest.ts"
import { shapeOf } from "../../operator/tests/shape.ts"
import { fileName, printTest } from "../../operator/tests/TestFile.ts"
import { TestFolder } from "../../operator/tests/TestFolder.ts"
import { keptTest } from "../../operator/tests/testFromExecution.ts"
import { type Execution, type ExecutionId, type Workflow, WorkflowId } from "../../workflow/models.ts"
import { WorkflowPlans } from "../Plans.ts"
import { provenCallers } from "./callers.ts"
import { draftFix } from "./draftFix.ts"
import { triedRun, type TriedRun } from "./failedRun.ts"
import { changedNodes, type Verdict } from "./judgeRun.ts"
import { compare, successesOf } from "./successes.ts"

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
  const operations = yield* readOperations(request.operations)
  const chain = yield* failedChain(yield* failedExecution(request))
  const { execution } = chain
  const workflow = yield* workflowOfRun(execution)
  const { edited } = yield* editedBy(workflow, operations)
  const { instance } = yield* EngineClient
  const draft = yield* Effect.mapError(
    Effect.fromResult(draftFix({ instance, workflow, edited })),
    (problem) => new InvalidArgument({ argument: "operations", problem })
  )
  const proof = yield* proofOf(chain, workflow, edited.workflow, request.against)
  const { answer, compared, verdict } = proof
  if (compared === undefined) return { ...answer, next: "Nothing was planned: change the operations and try again." }
  const passes = verdict.outcome === "passes"
  const test = request.keep_test === true ? yield* keptFailedRun(proof, execution) : undefined
  const outcome = passes ? "passes" : `is ${verdict.outcome}`
  const reason = `tried on execution ${execution.id}, which ${outcome}; successes: ${compared.text}`
  const plan = yield* (yield* WorkflowPlans).keep({
    ...draft,
    steps: draft.steps.map((step) => ({ ...step, reason })),
    warnings: [
      ...draft.warnings,
      ...(passes ? [] : [`The failed run is ${verdict.outcome}: ${verdict.why}`]),
      ...(compared.first === undefined ? [] : [`A success differs: ${compared.first}`]),
      ...proof.notes
    ],
    premise: answer
  })
  return {
    ...answer,
    ...(test === undefined ? {} : { test }),
    plan_id: plan.id,
    blocked: plan.blocked.slice(0, 3),
    next: `Nothing was changed yet. Show this to a person; when they agree, call apply_plan with plan_id ${plan.id} and confirm true.`
  }
})

/** Successes that are compared with where the caller does not say how many. */
const usualSuccesses = 10

/** The proof of a fix: the failed run, its callers and the last successes, each repeated with it. */
const proofOf = Effect.fnUntraced(function* (
  { callers, execution }: FailedChain,
  workflow: Workflow,
  fixed: Workflow,
  against: number = usualSuccesses
) {
  const changed = changedNodes(workflow, fixed)
  const successes = yield* successesOf(execution, workflow, against)
  const run = yield* triedRun({ fixed, execution, workflow, changed, successes: successes.runs })
  const isTriedFurther = run.verdict.outcome === "passes" && run.repeated !== undefined
  const proven = isTriedFurther ? yield* provenCallers(callers, run.repeated.after) : []
  const broken = proven.find(({ isBroken }) => isBroken)
  const verdict: Verdict = broken === undefined ? run.verdict : { outcome: "still fails", why: broken.text }
  const compared =
    verdict.outcome === "still fails" ? undefined : yield* compare({ fixed, changed, successes: successes.runs })
  const notes = [
    ...run.notes,
    ...proven.filter(({ isBroken }) => !isBroken).map(({ text }) => text),
    ...(compared?.notes ?? []),
    ...successes.notes
  ]
  const answer = {
    execution: execution.id,
    workflow: { id: workflow.id, name: clipped(workflow.name, 80) },
    failed_run: verdict.outcome === "passes" ? "passes" : `${verdict.outcome}: ${verdict.why}`,
    ...(run.given === undefined ? {} : { gives_now: run.given }),
    ...(compared === undefined ? {} : { successes: compared.text }),
    ...(compared?.first === undefined ? {} : { first_difference: clipped(compared.first, 400) }),
    ...(notes.length === 0 ? {} : { not_proven: shortened(notes) })
  }
  return { answer, compared, notes, verdict, repeated: run.repeated }
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

/** The failed run that a fix is for, and those that called it, the outermost first. */
interface FailedChain {
  readonly execution: Execution
  readonly callers: ReadonlyArray<FailedRun>
}

/** The run in which the failure arose; the one that was asked for where its record holds no failure. */
const failedChain = Effect.fnUntraced(function* (top: Execution) {
  const failed = failedRunOf(top)
  const chain = failed === undefined ? [] : yield* failedRuns(failed)
  const inner = chain.at(-1)
  const execution = inner === undefined || chain.length === 1 ? top : yield* wholeRun(inner.execution.id)
  return { execution, callers: chain.slice(0, -1) } satisfies FailedChain
})

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

/** Keeps a failed run that passes now as a recorded test: every node that ran gives as many items, of the same shape. */
const keptFailedRun = Effect.fnUntraced(function* (
  { repeated, verdict }: Pick<TriedRun, "repeated" | "verdict">,
  execution: Execution
) {
  if (repeated === undefined || verdict.outcome !== "passes") return notKept(`the failed run is ${verdict.outcome}`)
  const files = yield* TestFolder
  if (files?.write === undefined) return notKept("there is no folder of tests that may be written to")
  const { after, helpers, test } = repeated
  const others = new Set([...helpers, ...Object.keys(test.mocks), test.trigger.node])
  const expect = [...byNode(after)]
    .filter(([node]) => !others.has(node))
    .map(([node, runs]) => {
      const items = runs.flatMap((one) => itemsOf(one).flat())
      return [node, { shape: shapeOf(items), items: items.length }] as const
    })
  const name = `${test.name} (failed run ${execution.id})`
  const { instance } = yield* EngineClient
  const recorded = { instance, execution: execution.id }
  const kept = keptTest({ ...test, name, recorded, expect: Object.fromEntries(expect) })
  if (Result.isFailure(kept)) return notKept(kept.failure)
  const written = yield* Effect.result(files.write(fileName(name), printTest(kept.success.test), { overwrite: false }))
  return Result.isFailure(written) ? notKept(written.failure.message) : { file: written.success }
})

const notKept = (why: string) => ({ guidance: `No test was kept: ${why}` })
