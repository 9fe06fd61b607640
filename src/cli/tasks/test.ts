import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"

import { Console, Context, Effect, Result, Schema } from "effect"

import { EngineClient } from "../../engine/client/EngineClient.ts"
import { ReadOnlyInstance } from "../../engine/client/EngineError.ts"
import { Instances } from "../../engine/client/Instances.ts"
import { readCases, type RunOptions, runTests, type TestResult } from "../../engine/operator/tests/runTests.ts"
import { runTestsTool, usualConcurrency } from "../../engine/operator/tests/runTestsTool.ts"
import { countsText, junitXml, resultData, resultLines } from "../../engine/operator/tests/testReport.ts"
import { toToolFailure } from "../../engine/tools/errors.ts"
import { WorkflowId } from "../../engine/workflow/models.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { nameText, visible, visibleJson } from "../../internal/foreignText.ts"
import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { type Options, UsageError } from "../configuration/flags.ts"
import type { Launch } from "../configuration/Launch.ts"
import { readLaunch } from "../configuration/readLaunch.ts"
import { instances } from "../engine/instances.ts"
import { testFiles, testFolder } from "../engine/testFiles.ts"
import { withFolders } from "../engine/toolFolders.ts"
import { describe } from "../files/fileProblems.ts"
import { stopRequested } from "../stopRequested.ts"
import { withProgressLine } from "../terminal.ts"
import { readText } from "./call/jsonInput.ts"
import { asCall, watched } from "./watched.ts"

/** The arguments of `test`. */
export interface TestRequest {
  readonly folder: string | undefined
  readonly instance: string | undefined
  /** Undefined for the whole folder. */
  readonly files: ReadonlyArray<string>
  readonly workflow: string | undefined
  readonly operations: string | undefined
  readonly junit: string | undefined
  readonly concurrency: number | undefined
  readonly json: boolean
}

/** Runs the tests of a folder and prints differences; the exit code is 0 if all passed, otherwise 1. */
export const runTestFolder = Effect.fnUntraced(function* (options: Options, request: TestRequest) {
  const { concurrency = usualConcurrency } = request
  if (concurrency < 1 || concurrency > 10) {
    return yield* new UsageError({ message: "--concurrency: expected a number from 1 to 10" })
  }
  const launch = yield* readLaunch({ ...options, http: false })
  const folder = testFolder(
    request.folder === undefined
      ? launch
      : { config: launch.config, tests: { directory: request.folder, besideConfiguration: false } }
  )
  if (folder === undefined) {
    return yield* new UsageError({
      message: "test needs a folder of tests: test DIR, or tests in the configuration, or --tests DIR"
    })
  }
  const id = yield* workflowIn(request)
  const operations = yield* operationsIn(request)
  return yield* watched(launch)(tested(launch, folder, request, { id, operations, concurrency }))
}, Effect.scoped)

/** Runs the chosen tests and prints their results. */
const tested = Effect.fnUntraced(function* (launch: Launch, folder: string, request: TestRequest, running: RunOptions) {
  const { files, json, junit } = request
  const engines = yield* instances(launch)
  const engine = yield* Context.get(engines, Instances)
    .resolve(request.instance)
    .pipe(Effect.mapError(({ message }) => new UsageError({ message })))
  if (engine.isReadOnly) {
    const { message } = new ReadOnlyInstance({ instance: engine.instance, operation: "test" })
    return yield* new ConfigurationError({ message })
  }
  const context = Context.add(yield* withFolders(launch, engines), EngineClient, engine)
  const cases = yield* readCases(testFiles(folder, launch), files.length === 0 ? undefined : files).pipe(
    Effect.catchTag("InvalidArgument", ({ problem }) => Effect.fail(new UsageError({ message: problem })))
  )
  const results = yield* asCall({
    tool: runTestsTool,
    instance: engine.instance,
    input: { id: running.id },
    render: toToolFailure,
    work: Effect.provideContext(runTests(cases, running), context)
  }).pipe(
    withProgressLine,
    Effect.mapError(({ message }) => new ConfigurationError({ message })),
    Effect.raceFirst(Effect.as(stopRequested, undefined))
  )
  if (results === undefined) return 130
  yield* Console.log(
    json
      ? visibleJson(JSON.stringify({ folder, instance: engine.instance, results: results.map(resultData) }))
      : printed(results, folder)
  )
  if (junit !== undefined) yield* written(junit, junitXml(`${engine.instance}: ${path.basename(folder)}`, results))
  return results.length > 0 && results.every(({ verdict }) => verdict.outcome === "passed") ? 0 : 1
})

const printed = (results: ReadonlyArray<TestResult>, folder: string): string =>
  visible(
    results.length === 0
      ? `There is no test for this in ${folder}.`
      : [...results.flatMap(resultLines).map(nameText), "", countsText(results)].join("\n")
  )

const asWorkflow = Schema.decodeUnknownResult(WorkflowId)

const workflowIn = ({ operations, workflow }: TestRequest) => {
  if (workflow === undefined) {
    return operations === undefined
      ? Effect.undefined
      : Effect.fail(
          new UsageError({ message: "--operations needs --workflow, the id of the workflow that they are for" })
        )
  }
  return Effect.fromResult(
    Result.mapError(
      asWorkflow(workflow),
      () => new UsageError({ message: "--workflow: expected the id of a workflow" })
    )
  )
}

const asOperations = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(JsonObject)))

const operationsIn = Effect.fnUntraced(function* ({ operations }: TestRequest) {
  if (operations === undefined) return undefined
  const text = yield* readText("--operations", operations)
  return yield* Effect.fromResult(
    Result.mapError(
      asOperations(text),
      () => new UsageError({ message: "--operations: expected a JSON list of operations" })
    )
  )
})

/** Writes a file, with the folders that it lies in. */
export const written = (file: string, text: string) =>
  Effect.try({
    try: () => {
      mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
      writeFileSync(file, text)
    },
    catch: (error) =>
      new ConfigurationError({
        message: describe(file, { message: error instanceof Error ? error.message : "it cannot be written" })
      })
  })
