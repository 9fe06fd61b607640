import { Array as Arrays, Duration, Effect, Result } from "effect"

import type { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { Progress } from "../../../mcp/callContext.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { remaining } from "../../client/Deadline.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { Workflow, WorkflowId } from "../../workflow/models.ts"
import { workflowWithOperations } from "../edit/edited.ts"
import type { Problem } from "./checkExpectations.ts"
import { NoWorkflow, runTest, type Verdict, workflowOf } from "./runTest.ts"
import { readTest, type TestFile } from "./TestFile.ts"
import type { TestFiles } from "./TestFolder.ts"

/** A test with the name of its file, or why that file cannot be read. */
export interface TestCase {
  readonly file: string
  readonly test: Result.Result<TestFile, string>
}

/** The result of one test case. */
export interface TestResult {
  readonly file: string
  readonly name?: string
  readonly verdict: Omit<Verdict, "outcome" | "workflow"> & {
    /** `skipped`: no time was left for it. */
    readonly outcome: Verdict["outcome"] | "skipped"
    readonly workflow?: Verdict["workflow"]
  }
}

/**
 * The workflows that tests run on (by default each on its own; with `id` only on that one, with operations applied), and
 * the concurrency.
 */
export interface RunOptions {
  readonly id?: WorkflowId | undefined
  readonly operations?: ReadonlyArray<JsonObject> | undefined
  /** Tests that run at the same time. */
  readonly concurrency: number
}

/** A test that has less time than this left is not begun. */
const least = Duration.seconds(12)

/** Runs tests concurrently, each through a temporary copy; the results are in the order of the cases. */
export const runTests = Effect.fnUntraced(function* (
  cases: ReadonlyArray<TestCase>,
  { concurrency, id, operations }: RunOptions
) {
  const draft = id === undefined ? undefined : yield* workflowWithOperations(id, operations)
  const chosen = draft === undefined ? cases : cases.filter(({ test }) => isOf(test, draft))
  const finder = yield* cachingFinder
  return yield* runCases(chosen, draft === undefined ? finder : () => Effect.succeed(draft), concurrency)
})

/** Runs tests concurrently on the workflows that `find` finds. */
export const runCases = Effect.fnUntraced(function* (
  cases: ReadonlyArray<TestCase>,
  find: FindWorkflow,
  concurrency: number
) {
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

const isOf = (test: TestCase["test"], { id, name }: Workflow): boolean =>
  Result.isFailure(test) || test.success.workflow.id === id || test.success.workflow.name === name

/** Finds the workflow that a test is of. */
type FindWorkflow = (test: TestFile) => Effect.Effect<Workflow, { readonly message: string }, EngineClient>

/** Reads each workflow only once, however many tests it has. */
const cachingFinder = Effect.sync((): FindWorkflow => {
  const workflows = new Map<string, Effect.Effect<Workflow, { readonly message: string }, EngineClient>>()
  return (test) =>
    Effect.suspend(() => {
      const key = JSON.stringify([test.workflow.id, test.workflow.name])
      const read = workflows.get(key)
      if (read !== undefined) return read
      return Effect.flatMap(Effect.cached(workflowOf(test)), (cached) => {
        workflows.set(key, cached)
        return cached
      })
    })
})

const resultOf = Effect.fnUntraced(function* (
  { file, test }: TestCase,
  find: FindWorkflow
): Effect.fn.Return<TestResult, never, EngineClient> {
  if (Result.isFailure(test)) return { file, verdict: notRun("refused", test.failure) }
  const { name } = test.success
  if (Duration.isLessThan(yield* remaining(least), least)) {
    return { file, name, verdict: notRun("skipped", "no time was left for it") }
  }
  const workflow = yield* Effect.result(find(test.success))
  if (Result.isFailure(workflow)) {
    const { failure } = workflow
    return { file, name, verdict: notRun(failure instanceof NoWorkflow ? "refused" : "error", failure.message) }
  }
  return { file, name, verdict: yield* runTest(test.success, workflow.success) }
})

const notRun = (outcome: TestResult["verdict"]["outcome"], what: string): TestResult["verdict"] => ({
  outcome,
  seconds: 0,
  problems: [{ what } satisfies Problem]
})

/** Reads the tests of a folder, or some of them; for one that cannot be read, the case says why. */
export const readCases = (
  { folder, list, read }: TestFiles,
  names?: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<TestCase>, ConfigurationError | InvalidArgument> =>
  Effect.gen(function* () {
    const fileNames = yield* list
    const wanted = names?.map((name) => (name.endsWith(".json") ? name : `${name}.json`))
    const missing = wanted?.find((name) => !fileNames.includes(name))
    if (missing !== undefined) {
      return yield* new InvalidArgument({
        argument: "files",
        problem: `there is no ${missing} in ${folder}. It has: ${fileNames.slice(0, 30).join(", ") || "no tests"}`
      })
    }
    const all = yield* Effect.forEach(Arrays.dedupe(wanted ?? fileNames), (file) =>
      Effect.map(Effect.result(read(file)), (json): TestCase => ({
        file,
        test: Result.flatMap(
          Result.mapError(json, ({ message }) => message),
          readTest
        )
      }))
    )
    return all
  })
