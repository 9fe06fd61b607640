import { Effect, Predicate, Result, Schema } from "effect"

import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { creates } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { flag, optional, workflowId as workflowReference } from "../../tools/parameters.ts"
import { ExecutionId, type WorkflowId } from "../../workflow/models.ts"
import { runsOf } from "./NodeOutput.ts"
import { type Expectation, fileName, printTest, type TestFile } from "./TestFile.ts"
import { TestFolder } from "./TestFolder.ts"
import { testFromExecution } from "./testFromExecution.ts"

const Wanted = Schema.Union([Schema.Literals(["exact", "shape"]), JsonObject]).annotate({
  message: 'must be "exact", "shape" or an object from paths to values'
})

export const recordTestTool = EngineTool.make("record_test", {
  title: "Record test",
  description:
    "Make a test of a run: its input, what nodes that act outside gave out (as mocks), what others gave out (as " +
    "expected). Kept in the folder of tests, if there is one, for run_tests",
  annotations: { ...creates, destructiveHint: true },
  sparesEngine: true,
  narrow: "Record a smaller run.",
  arguments: {
    execution: optional(ExecutionId.annotate({ inputSchema: { type: "integer", description: "Id of the run" } })),
    workflow: optional(workflowReference.annotate({ description: "Or its last success" })),
    name: optional(Schema.String.annotate({ description: "Of the test" })),
    expect: optional(
      Schema.Record(Schema.String, Wanted).annotate({
        inputSchema: {
          type: "object",
          description: '{"<node>": "exact" | "shape" | {"[0].total": 12}}; default: all exact'
        }
      })
    ),
    ignore: optional(
      Schema.Array(Schema.String).annotate({
        inputSchema: { type: "array", items: { type: "string" }, description: "Fields that may differ: rows[*].id" }
      })
    ),
    file: optional(Schema.String.annotate({ description: "Its file; default by name" })),
    overwrite: optional(flag("Replace that file")),
    dry_run: optional(flag("Show it, keep nothing"))
  },
  run: Effect.fnUntraced(function* ({
    dry_run = false,
    execution,
    expect,
    file,
    ignore = [],
    name,
    overwrite = false,
    workflow
  }) {
    const engine = yield* EngineClient
    const id = execution ?? (yield* lastSuccess(workflow))
    const whole = yield* EngineTool.toBeShown(engine.getExecution(id, true))
    if (workflow !== undefined && Predicate.isString(whole.workflowId) && whole.workflowId !== workflow) {
      const problem = `execution ${id} is one of workflow ${whole.workflowId}, not of ${workflow}`
      return yield* new InvalidArgument({ argument: "execution", problem })
    }
    const request = { name, expect, ignore, instance: engine.instance, parse: yield* parser }
    const { notes, test } = yield* Effect.fromResult(Result.mapError(testFromExecution(whole, request), refusal))
    const text = printTest(test)
    const files = dry_run ? undefined : yield* TestFolder
    const kept = yield* files?.write?.(file ?? fileName(test.name), text, { overwrite }) ?? Effect.undefined
    return {
      ...(kept === undefined ? {} : { file: kept }),
      ...summaryOf(test),
      ...(notes.length === 0 ? {} : { notes }),
      ...(kept === undefined ? { ...(dry_run ? {} : { guidance: noFolder }), text } : {})
    }
  })
})

/** The refusal of a recording, by the argument whose value is the problem, or else by the execution. */
const refusal = (problem: string) => {
  const [, argument = "execution", rest = problem] = /^(expect|ignore)\b[:.]?\s*(.*)/s.exec(problem) ?? []
  return new InvalidArgument({ argument, problem: rest })
}

const noFolder =
  "Nothing was kept: there is no folder of tests that may be written to. Name it as tests in the configuration or as --tests, " +
  "or give this text to run_tests as test."

/** The newest run of a workflow that succeeded. */
const lastSuccess = Effect.fnUntraced(function* (workflowId: WorkflowId | undefined) {
  if (workflowId === undefined) {
    return yield* new InvalidArgument({ argument: "execution", problem: "give the id of a run, or a workflow" })
  }
  const engine = yield* EngineClient
  const { data } = yield* engine.listExecutions({ workflowId, status: "success", limit: 1 })
  const [last] = data
  if (last !== undefined) return last.id
  yield* engine.getWorkflow(workflowId)
  const problem = `no successful run of ${workflowId} is on record`
  const advice = ". run_workflow runs it, but keeps nothing; execute_workflow does"
  return yield* new InvalidArgument({ argument: "workflow", problem, advice })
})

const mostNodes = 40

/** A summary of a test: the number of items of each node, and the kinds of expectations. */
const summaryOf = ({ expect, mocks, name, trigger, workflow }: TestFile) => ({
  name,
  workflow: workflow.id,
  trigger: { node: trigger.node, items: trigger.items.length },
  mocks: firstOf(Object.entries(mocks).map(([node, given]) => [node, runsOf(given).flat(2).length])),
  expect: firstOf(Object.entries(expect).map(([node, one]) => [node, kindOf(one)]))
})

const firstOf = (entries: ReadonlyArray<readonly [string, unknown]>) =>
  Object.fromEntries(
    entries.length <= mostNodes
      ? entries
      : [...entries.slice(0, mostNodes), ["…", `${entries.length - mostNodes} more`] as const]
  )

const kindOf = ({ exact, ran, shape, values }: Expectation): unknown => {
  if (ran !== undefined) return ran ? "runs" : "does not run"
  return exact !== undefined ? "exact" : shape !== undefined ? "shape" : (values ?? "items")
}
