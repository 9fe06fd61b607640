import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpClientResponse } from "effect/http"

import { runDataOf } from "../../../src/engine/operator/explain/runData.ts"
import { judgeRun } from "../../../src/engine/plans/fix/judgeRun.ts"
import { WorkflowId } from "../../../src/engine/workflow/models.ts"
import { isJsonObject } from "../../../src/internal/schema/JsonObject.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { inFolder } from "../../support/inFolder.ts"
import { Beside, type Given, hook, twoEmbedded } from "./support.ts"

const eachItem = (value: string) => `return { json: { out: ${value} } }`

/** A workflow that fails where a call brings no e-mail. */
const mails = (path: string) => ({
  name: "Mails",
  nodes: [
    { ...hook(path), parameters: { path, httpMethod: "POST", options: {} } },
    {
      id: "work",
      name: "Work",
      type: "n8n-nodes-base.code",
      typeVersion: 2,
      position: [0, 0],
      parameters: { mode: "runOnceForEachItem", jsCode: eachItem("$json.query.email.toLowerCase()") }
    }
  ],
  connections: { Hook: { main: [[{ node: "Work", type: "main", index: 0 }]] } },
  settings: {}
})

const operations = [
  { op: "set", node: "Work", path: "parameters.jsCode", value: eachItem('($json.query.email ?? "").toLowerCase()') }
]

const rowsOf = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))

/** Runs the workflow on `production` twice with success and once without, and answers the number of the failed run. */
const failedRun = Effect.fnUntraced(function* (instance = "production") {
  const { send, trigger } = yield* Beside
  const { id } = yield* send(instance, "POST", "/workflows", mails("mails"))
  yield* send(instance, "POST", `/workflows/${String(id)}/activate`)
  for (const query of ["email=ANN", "email=BOB", "number=1"]) yield* trigger(instance, `mails?${query}`)
  const { data } = yield* send(instance, "GET", "/executions?status=error")
  // From here on the server knows the header that the engine takes its key in.
  yield* ask("list_workflows", { instance })
  return { id: String(id), execution: Number(rowsOf(data)[0]?.["id"]) }
})

/** An execution as an engine shows it whose workflow has its data redacted. */
const hidden = (whole: Json): unknown =>
  JSON.parse(
    JSON.stringify(whole, (_, value: unknown) =>
      isJsonObject(value) && isJsonObject(value.json) && "pairedItem" in value
        ? { ...value, json: {}, redaction: { redacted: true, reason: "workflow_redaction_policy" } }
        : value
    )
  )

/** Lets `production` answer the data of an execution otherwise. */
const answering = Effect.fnUntraced(function* (execution: number, change: (whole: Json) => Response) {
  const { meddle, send } = yield* Beside
  yield* meddle((request, proceed) => {
    const url = new URL(request.url)
    const params = new Map([...request.urlParams].map(([name, value]) => [name, value]))
    const hasData = (url.searchParams.get("includeData") ?? params.get("includeData")) === "true"
    if (!url.pathname.endsWith(`/executions/${execution}`) || !hasData) return proceed
    return Effect.map(send("production", "GET", `/executions/${execution}?includeData=true`), (whole) =>
      HttpClientResponse.fromWeb(request, change(whole))
    )
  })
})

describe("a failed run with a fix", () => {
  it("still fails where the node that failed as a whole gives its input out again, with its error beside it", () => {
    const node = (onError?: string) => ({
      id: "1",
      name: "Sort",
      type: "n8n-nodes-base.sort",
      typeVersion: 1,
      position: [0, 0],
      parameters: {},
      ...(onError === undefined ? {} : { onError })
    })
    const items = [{ json: { a: 1 }, pairedItem: { item: 0 } }]
    const error = { message: "no such field" }
    const source = [{ previousNode: "Hook" }]
    const dataOf = (nodes: ReadonlyArray<Json>, resultData: Json, stack: ReadonlyArray<Json> = []) => {
      const data = runDataOf({
        data: { resultData, executionData: { nodeExecutionStack: stack } },
        workflowData: { nodes }
      })
      return data ?? assert.fail("no data")
    }
    const ran = { Hook: [{ executionIndex: 0, data: { main: [items] } }] }
    const before = dataOf([node()], {
      error,
      lastNodeExecuted: "Sort",
      runData: { ...ran, Sort: [{ executionIndex: 1, source, error }] }
    })
    const going = [node("continueRegularOutput")]
    const after = dataOf(going, {
      lastNodeExecuted: "End",
      runData: {
        ...ran,
        Sort: [{ executionIndex: 1, source, error, data: { main: [items] } }],
        End: [{ executionIndex: 2, source: [{ previousNode: "Sort" }], data: { main: [items] } }]
      }
    })
    const verdict = judgeRun({
      failure: { error, at: before.runs[1], part: undefined, input: items, item: 0 },
      before,
      fixed: { id: WorkflowId.make("w1"), name: "W", active: false, nodes: going, connections: {} },
      changed: new Set(["Sort"]),
      mocked: new Set(),
      after,
      status: "success",
      successes: []
    })
    assert.deepStrictEqual(verdict, {
      outcome: "still fails",
      why: "Sort only goes on after its error: no such field"
    })
  })
})

const engine = (given: Given = {}) => twoEmbedded(["2.41.1", "2.41.1"], given)
const on = { instance: "production" }

describe("try_fix", () => {
  it.live("keeps the failed run as a recorded test that passes with the fix and fails without it", () => {
    const files = new Map<string, unknown>()
    return Effect.gen(function* () {
      const { execution } = yield* failedRun()
      const said = yield* ask("try_fix", { ...on, execution, operations, keep_test: true })
      assert.include(said, { failed_run: "passes", successes: "2 equal, 0 differ" }, JSON.stringify(said))
      const [[file, test] = ["", undefined]] = [...files]
      assert.deepStrictEqual(said["test"], { file })
      const tested = (arguments_: Json = {}) => ask("run_tests", { ...on, test: JSON.stringify(test), ...arguments_ })
      assert.match(JSON.stringify(yield* tested()), /1 failed|"failed":1/)
      yield* ask("apply_plan", { plan_id: said["plan_id"], confirm: true })
      assert.match(JSON.stringify(yield* tested()), /1 passed|"passed":1/)
      const off = [{ op: "disable", node: "Work" }]
      const other = yield* ask("try_fix", { ...on, execution, operations: off, keep_test: true })
      assert.deepStrictEqual(other["test"], { guidance: "No test was kept: the failed run is not proven" })
      assert.strictEqual(files.size, 1)
    }).pipe(inFolder(files), Effect.provide(engine()))
  })

  it.live("says why no test is kept where no folder of tests may be written to", () =>
    Effect.gen(function* () {
      const { execution } = yield* failedRun()
      const said = yield* ask("try_fix", { ...on, execution, operations, keep_test: true })
      assert.include(said, { failed_run: "passes" })
      assert.deepStrictEqual(said["test"], {
        guidance: "No test was kept: there is no folder of tests that may be written to"
      })
    }).pipe(Effect.provide(engine()))
  )

  it.live.each([
    [
      "without data",
      ({ data: _data, ...rest }: Json) => Response.json(rest),
      "the engine keeps no data of execution N: only successes can be compared"
    ],
    [
      "of 70 MB",
      () => new Response("{}", { headers: { "content-length": "70000000" } }),
      "the data of execution N is too large to be read: only successes can be compared"
    ],
    [
      "whose items the engine hides",
      (whole: Json) => Response.json(hidden(whole)),
      "the engine hides what the nodes of execution N gave out: only successes can be compared"
    ],
    [
      "whose version is gone",
      (whole: Json) => Response.json({ ...whole, workflowData: null }),
      "the engine no longer has the version that execution N ran: only successes can be compared"
    ]
  ] as const)("compares the successes of a failed run %s, and says what is missing", ([, change, why]) =>
    Effect.gen(function* () {
      const { execution, id } = yield* failedRun()
      yield* answering(execution, change)
      for (const run of [{ execution }, { workflow: id }]) {
        const said = yield* ask("try_fix", { ...on, ...run, operations })
        assert.include(
          said,
          { failed_run: `not proven: ${why.replace("N", String(execution))}`, successes: "2 equal, 0 differ" },
          JSON.stringify(said)
        )
        assert.match(String(said["plan_id"]), /^fix/)
        const plan = yield* ask("show_plan", { plan_id: said["plan_id"] })
        assert.include(JSON.stringify(plan["warnings"]), "The failed run is not proven")
      }
      const wrong = [{ op: "set", node: "Work", path: "parameters.jsCode", value: eachItem("1") }]
      const differing = yield* ask("try_fix", { ...on, execution, operations: wrong })
      assert.include(differing, { successes: "0 equal, 2 differ" })
      assert.match(String(differing["first_difference"]), /^execution \d+: Work, item 1, out: expected "\w+", got 1$/)
    }).pipe(Effect.provide(engine()))
  )

  it.live("compares the successes of a failed run of 60 MB, whose input no engine takes as it is usually set up", () =>
    Effect.gen(function* () {
      const { execution } = yield* failedRun()
      const text = "x".repeat(60_000_000)
      yield* answering(execution, (whole) => {
        const large = JSON.stringify(whole).replace('"number":"1"', `"number":"${text}"`)
        return new Response(large, { headers: { "content-type": "application/json" } })
      })
      const said = yield* ask("try_fix", { ...on, execution, operations })
      assert.include(said, { successes: "2 equal, 0 differ" })
      assert.match(
        String(said["failed_run"]),
        /^not proven: .*production takes no request of this size \(status 413\): its payload limit is 16 MB/
      )
    }).pipe(Effect.provide(engine()))
  )

  it.live("counts a success that fails with the fix as one that differs, and names the node", () =>
    Effect.gen(function* () {
      const { execution } = yield* failedRun()
      const value = eachItem("($json.query.number ?? $json.query.other.x).toLowerCase()")
      const said = yield* ask("try_fix", {
        ...on,
        execution,
        operations: [{ op: "set", node: "Work", path: "parameters.jsCode", value }]
      })
      assert.include(said, { successes: "0 equal, 2 differ" }, JSON.stringify(said))
      assert.match(String(said["first_difference"]), /^execution \d+: Work failed: /)
    }).pipe(Effect.provide(engine()))
  )

  it.live("has nothing to be tried on where the workflow was deleted, and names the way to bring it back", () =>
    Effect.gen(function* () {
      const { execution, id } = yield* failedRun()
      const { meddle } = yield* Beside
      // An engine that keeps executions longer than their workflow.
      yield* meddle((request, proceed) =>
        new URL(request.url).pathname.endsWith(`/workflows/${id}`)
          ? Effect.succeed(
              HttpClientResponse.fromWeb(request, Response.json({ message: "Not Found" }, { status: 404 }))
            )
          : proceed
      )
      const { message } = yield* refused("try_fix", { ...on, execution, operations })
      assert.include(
        message,
        `${execution} ran workflow ${id}, which production no longer has: restore_workflow can bring it back`
      )
    }).pipe(Effect.provide(engine()))
  )

  it.live("is refused on a read-only instance before anything is sent, and names what works there", () =>
    Effect.gen(function* () {
      const { execution } = yield* failedRun()
      const { meddle } = yield* Beside
      const sent: Array<string> = []
      yield* meddle((request, proceed) => {
        sent.push(request.method)
        return proceed
      })
      const { message } = yield* refused("try_fix", { ...on, execution, operations })
      assert.include(message, "production is read-only")
      assert.include(message, "A fix is tried by temporary copies, which are made there and deleted.")
      assert.deepStrictEqual(sent, [])
      assert.nestedInclude(yield* ask("explain_execution", { ...on, id: execution }), {
        "class.name": "data without a field"
      })
    }).pipe(Effect.provide(engine({ instances: { production: { readOnly: true } } })))
  )
})
