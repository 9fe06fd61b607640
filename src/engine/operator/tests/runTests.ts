import { Duration, Effect, Result as Results } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { Progress } from "../../../mcp/Progress.ts"
import { remaining } from "../../client/Deadline.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { Workflow, WorkflowId } from "../../client/models.ts"
import { drafted } from "../run/runWorkflow.ts"
import type { Problem } from "./judge.ts"
import { NoWorkflow, runTest, type Verdict, workflowOf } from "./runTest.ts"
import type { TestFile } from "./TestFile.ts"

/** A test by the name of its file; or why that cannot be read. */
export interface Case {
  readonly file: string
  readonly test: Results.Result<TestFile, string>
}

/** What came of a case. */
export interface Result {
  readonly file: string
  readonly name?: string
  readonly verdict: Omit<Verdict, "outcome" | "workflow"> & {
    /** `skipped`: there was no time left for it. */
    readonly outcome: Verdict["outcome"] | "skipped"
    readonly workflow?: Verdict["workflow"]
  }
}

/** On what tests run: their own workflows, or one, as it is saved or with operations over it. */
export interface Running {
  readonly id?: WorkflowId | undefined
  readonly operations?: ReadonlyArray<JsonObject> | undefined
  /** How many run side by side. */
  readonly concurrency: number
}

/** A test that has less time than this left is not begun. */
const least = Duration.seconds(12)

/** Runs tests side by side, each through a temporary copy; the results are in the order of the cases. */
export const runTests = Effect.fnUntraced(function* (
  cases: ReadonlyArray<Case>,
  { concurrency, id, operations }: Running
) {
  const draft = id === undefined ? undefined : yield* drafted(id, operations)
  const chosen = draft === undefined ? cases : cases.filter(({ test }) => isOf(test, draft))
  const found = yield* reader
  return yield* runCases(chosen, draft === undefined ? found : () => Effect.succeed(draft), concurrency)
})

/** The same on workflows that `find` finds. */
export const runCases = Effect.fnUntraced(function* (cases: ReadonlyArray<Case>, find: Find, concurrency: number) {
  const report = yield* Progress
  let done = 0
  return yield* Effect.forEach(
    cases,
    (one) =>
      Effect.tap(resultOf(one, find), () => {
        done++
        return report({ progress: done, total: cases.length, message: one.file })
      }),
    { concurrency }
  )
})

const isOf = (test: Case["test"], { id, name }: Workflow): boolean =>
  Results.isFailure(test) || test.success.workflow.id === id || test.success.workflow.name === name

/** Finds the workflow that a test is of. */
export type Find = (test: TestFile) => Effect.Effect<Workflow, { readonly message: string }, EngineClient>

/** Reads each workflow once, however many tests are of it. */
const reader = Effect.sync((): Find => {
  const known = new Map<string, Effect.Effect<Workflow, { readonly message: string }, EngineClient>>()
  return (test) =>
    Effect.suspend(() => {
      const key = JSON.stringify([test.workflow.id, test.workflow.name])
      const read = known.get(key)
      if (read !== undefined) return read
      return Effect.flatMap(Effect.cached(workflowOf(test)), (cached) => {
        known.set(key, cached)
        return cached
      })
    })
})

const resultOf = Effect.fnUntraced(function* (
  { file, test }: Case,
  find: Find
): Effect.fn.Return<Result, never, EngineClient> {
  if (Results.isFailure(test)) return { file, verdict: notRun("refused", test.failure) }
  const { name } = test.success
  if (Duration.isLessThan(yield* remaining(least), least)) {
    return { file, name, verdict: notRun("skipped", "no time was left for it") }
  }
  const workflow = yield* Effect.result(find(test.success))
  if (Results.isFailure(workflow)) {
    const { failure } = workflow
    return { file, name, verdict: notRun(failure instanceof NoWorkflow ? "refused" : "error", failure.message) }
  }
  return { file, name, verdict: yield* runTest(test.success, workflow.success) }
})

const notRun = (outcome: Result["verdict"]["outcome"], what: string): Result["verdict"] => ({
  outcome,
  seconds: 0,
  problems: [{ what } satisfies Problem]
})
