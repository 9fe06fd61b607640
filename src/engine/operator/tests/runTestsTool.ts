import { Effect, Result, Schema, Struct } from "effect"

import { fitted } from "../../../internal/json/values.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { runs } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { optional, workflowId } from "../../tools/parameters.ts"
import { operationsArgument } from "../edit/edited.ts"
import { readCases, runTests, type TestCase, type TestResult } from "./runTests.ts"
import { readTest } from "./TestFile.ts"
import { TestFolder } from "./TestFolder.ts"
import { countsText, resultData } from "./testReport.ts"

/** Tests that run side by side: each is a workflow that comes and goes. */
export const usualConcurrency = 3

export const runTestsTool = EngineTool.make("run_tests", {
  title: "Run tests",
  description:
    "Run recorded tests through temporary copies, without acting outside, on the workflows as they are saved or with " +
    "operations over one. Tells where each first differs from its recording",
  annotations: runs,
  arguments: {
    files: optional(
      Schema.Array(Schema.String).annotate({
        inputSchema: { type: "array", items: { type: "string" }, description: "Default: all of the folder" }
      })
    ),
    test: optional(JsonObject.annotate({ description: "Or a test itself, as record_test shows it" })),
    id: optional(workflowId.annotate({ description: "Only tests of this workflow" })),
    operations: optional(
      operationsArgument.annotate({
        inputSchema: { type: "array", items: { type: "object" }, description: "Over it, unsaved, as in edit_workflow" }
      })
    )
  },
  run: Effect.fnUntraced(function* ({ files, id, operations, test }) {
    if (operations !== undefined && id === undefined) {
      return yield* new InvalidArgument({ argument: "id", problem: "say which workflow the operations are for" })
    }
    const cases = test === undefined ? yield* ofFolder(files) : [yield* given(test)]
    const results = yield* runTests(cases, { id, operations, concurrency: usualConcurrency })
    if (results.length === 0) {
      if (id !== undefined) yield* EngineClient.use(({ getWorkflow }) => getWorkflow(id))
      return { passed: 0, total: 0, guidance: "There is no test for this: record_test makes one." }
    }
    return answer(results)
  })
})

const ofFolder = Effect.fnUntraced(function* (names: ReadonlyArray<string> | undefined) {
  const files = yield* TestFolder
  if (files !== undefined) return yield* readCases(files, names)
  const problem =
    "there is no folder of tests: name it as tests in the configuration or as --tests, or give a test as test"
  return yield* new InvalidArgument({ argument: "files", problem })
})

/** A test that a caller gives; only people may allow nodes to act outside, in files. */
const given = Effect.fnUntraced(function* (json: JsonObject) {
  const refused = (problem: string) => new InvalidArgument({ argument: "test", problem })
  const test = yield* Effect.fromResult(Result.mapError(readTest(json), refused))
  if (test.allow.length > 0) return yield* refused("allow only counts in a file of the folder of tests")
  return { file: "test", test: Result.succeed(test) } satisfies TestCase
})

/** Results that are listed one by one, those that did not pass first. */
const mostResults = 40

/** Bytes that they may have. */
const room = 5500

const answer = (results: ReadonlyArray<TestResult>) => {
  const passed = results.filter(({ verdict }) => verdict.outcome === "passed")
  const others = results.filter(({ verdict }) => verdict.outcome !== "passed")
  const shownResults = fitted(others.slice(0, mostResults).map(resultRow), room)
  const more = others.length - shownResults.length
  return {
    passed: passed.length,
    total: results.length,
    summary: countsText(results),
    ...(others.length === 0 ? {} : { notPassed: shownResults }),
    ...(more > 0 ? { more: `${more} more did not pass` } : {}),
    ...(passed.length === 0 ? {} : { passedFiles: passed.slice(0, mostResults).map(({ file }) => file) }),
    ...noticesOf(results)
  }
}

const resultRow = (result: TestResult) => Struct.omit(resultData(result), ["seconds", "notice"])

const noticesOf = (results: ReadonlyArray<TestResult>) => {
  const notices = results.flatMap(({ verdict }) => verdict.notice ?? [])
  return notices.length === 0 ? {} : { notice: notices.join(" ") }
}
